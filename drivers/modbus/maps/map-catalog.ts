import type { TSchema } from '@sinclair/typebox';
import { coded, type Text } from '../../../src/base/codes/coded-text.js';
import { didYouMean } from '../../../src/base/did-you-mean.js';
import { codedMessageOf } from '../../../src/base/fault.js';
import { buildMap } from './build-map.js';
import { checkMap, type AddError } from './check-map.js';
import { listMaps, readMapFile, versionOf, type MapFile } from './map-files.js';
import { mapSchema, type MapEntry } from './map-schema.js';
import type { RegisterMap } from './register-map.js';

/**
 * Parses a YAML file and checks it against a schema, then with `check`. Throws an error with all findings as
 * FILE:LINE:COLUMN: KEY: TEXT.
 */
type ParseYaml = (
  file: { readonly path: string; readonly text: string },
  schema: TSchema,
  check: (value: unknown, add: AddError) => void,
) => unknown;

/** Where maps are. */
export interface MapSources {
  /** Of the package. */
  readonly packaged: string;
  /** Of the user, in the data directory; undefined while only a configuration is checked. */
  readonly user: string | undefined;
  readonly parse: ParseYaml;
}

interface ParsedMap {
  readonly version: string | undefined;
  readonly entry: MapEntry | undefined;
  readonly error: Text | undefined;
}

/** The register maps of a gateway. A file is read when it is used, and again after it has changed. */
export class MapCatalog {
  readonly #sources: MapSources;
  readonly #parsed = new Map<string, ParsedMap>();

  constructor(sources: MapSources) {
    this.#sources = sources;
  }

  /** The files by name; a user's map replaces the packaged one of that name. */
  files(): ReadonlyMap<string, MapFile> {
    const { packaged, user } = this.#sources;
    const own = user === undefined ? [] : listMaps(user);
    return new Map([...listMaps(packaged), ...own].map((file) => [file.id, file]));
  }

  /** What is wrong with the name or the file of a map; undefined if nothing is. */
  check(id: string, purpose: 'device' | 'server'): Text | undefined {
    if (id === '') return coded`MAP_EMPTY: Map is empty; give the name of a register map`;
    const files = this.files();
    const file = files.get(id);
    if (file !== undefined) return this.#parse(file.path, purpose).error;
    // Without a data directory, the maps of the user are not known.
    if (this.#sources.user === undefined) return undefined;
    return coded`MAP_UNKNOWN: there is no register map ${id} in the package or in ${this.#sources.user}${didYouMean(id, [...files.keys()])}`;
  }

  /** A map; undefined if there is none of this name, or its file has errors. */
  find(id: string, purpose: 'device' | 'server', everyMs = 0): RegisterMap | undefined {
    const file = this.files().get(id);
    if (file === undefined) return undefined;
    const { entry } = this.#parse(file.path, purpose);
    return entry === undefined ? undefined : buildMap(id, entry, everyMs);
  }

  #parse(path: string, purpose: 'device' | 'server'): ParsedMap {
    const version = versionOf(path);
    const key = `${purpose} ${path}`;
    const known = this.#parsed.get(key);
    if (known !== undefined && known.version === version) return known;
    const parsed = this.#read(path, purpose, version);
    this.#parsed.set(key, parsed);
    return parsed;
  }

  #read(path: string, purpose: 'device' | 'server', version: string | undefined): ParsedMap {
    try {
      const text = readMapFile(path);
      const check = (value: unknown, add: AddError) => checkMap(value as MapEntry, purpose, add);
      const entry = this.#sources.parse({ path, text }, mapSchema, check) as MapEntry;
      return { version, entry, error: undefined };
    } catch (thrown) {
      return { version, entry: undefined, error: codedMessageOf(thrown) };
    }
  }
}
