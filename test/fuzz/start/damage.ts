import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../../tools/random.js';
import { randomPropertyValue } from './random-calls.js';
import type { Configuration, Entry } from './sample-gateway.js';

/** All entries of a configuration, each with the list that it is in and its idents from the root. */
function entriesOf(list: Entry[], path = ''): { list: Entry[]; entry: Entry; path: string }[] {
  return list.flatMap((entry) => {
    const own = path === '' ? entry.ident : `${path}/${entry.ident}`;
    return [{ list, entry, path: own }, ...entriesOf(entry.children ?? [], own)];
  });
}

/** Changes a configuration at random places; returns the idents from the root of what changed. */
export function editConfiguration(configuration: Configuration, random: Random): string[] {
  const touched: string[] = [];
  for (let n = 1 + random.below(3); n > 0; n--) {
    const all = entriesOf(configuration.tree);
    const { list, entry, path } = random.pick(all);
    touched.push(path);
    const kind = random.below(6);
    if (kind === 0) list.splice(list.indexOf(entry), 1);
    else if (kind === 1) {
      const copy = structuredClone(entry);
      copy.ident = `${entry.ident}_${random.below(10)}`;
      list.push(copy);
      touched.push(path.replace(/[^/]+$/, copy.ident));
    } else if (kind === 2) entry.ident = random.pick([`${entry.ident}2`, 'STATUS', 'STATE', entry.ident]);
    else if (kind === 3 && 'type' in entry)
      entry['type'] = random.pick(['boolean', 'integer', 'float', 'string']);
    else if (kind === 3 && 'module' in entry)
      entry['module'] = random.pick(['Relay', 'Virtual I/O', 'MQTT Device']);
    else if (kind === 4) entry['profile'] = random.pick(['~Wat', '~Switch', 'Mine', '~Temperature']);
    else if (entry.properties !== undefined) {
      const names = Object.keys(entry.properties);
      const name = names.length === 0 ? 'Wat' : random.pick(names);
      entry.properties[name] = randomPropertyValue(random, name, entry.properties[name]);
    }
  }
  if (random.chance(0.1))
    configuration['configurators'] = [{ title: 'x', ident: 'lines', base: 'gone', passwordRequired: false }];
  if (random.chance(0.1))
    configuration['webServers'] = [{ name: 'w', host: '127.0.0.1', port: 0, serve: 'front' }];
  return touched;
}

/** Files of the data directory, by what is in them. */
const kinds = {
  database: /^stellwerk\.db$/,
  archive: /^archive\.db/,
  runtime: /^run\//,
  script: /^scripts\//,
  media: /^(media|icons|user)\//,
  backup: /^backups?\//,
} as const;
export type DamagedFileKind = keyof typeof kinds;

function filesOf(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(directory, name)).isFile(),
  );
}

/** Damages some files of a data directory. Returns what was done, by kind. */
export function damageFiles(directory: string, random: Random): { kind: DamagedFileKind; done: string }[] {
  const all = filesOf(directory);
  const done: { kind: DamagedFileKind; done: string }[] = [];
  for (const [kind, pattern] of Object.entries(kinds) as [DamagedFileKind, RegExp][]) {
    const files = all.filter((name) => pattern.test(name));
    if (files.length === 0 || !random.chance(0.35)) continue;
    const name = random.pick(files);
    const path = join(directory, name);
    // Without a database file there is nothing to open; that is another case.
    const isFolder = kind !== 'database' && random.chance(0.05);
    done.push({ kind, done: `${name} ${isFolder ? replaceByFolder(path) : damage(path, random)}` });
  }
  return done;
}

function replaceByFolder(path: string): string {
  rmSync(path);
  mkdirSync(path);
  return 'replaced by a directory';
}

function damage(path: string, random: Random): string {
  if (!existsSync(path)) return 'was deleted';
  const bytes = readFileSync(path);
  const way = random.below(10);
  if (way === 0) {
    rmSync(path);
    return 'deleted';
  }
  if (way === 1) {
    truncateSync(path, random.below(bytes.length + 1));
    return 'truncated';
  }
  if (way === 2) {
    writeFileSync(path, random.bytes(1 + random.below(200)));
    return 'replaced';
  }
  const bits = 1 + random.below(random.pick([1, 4, 60]));
  if (bytes.length === 0) return 'was empty';
  for (let n = 0; n < bits; n++) {
    const at = random.below(bytes.length);
    bytes[at] = (bytes[at] as number) ^ (1 << random.below(8));
  }
  writeFileSync(path, bytes);
  return `${bits} bits flipped`;
}
