import { ChunkedResult } from '../../base/json-chunks.js';
import { declare, int, type FunctionDeclaration } from '../../device/declare.js';
import type { Change } from '../../kernel/changes.js';
import type { Configurator } from '../../kernel/configurator.js';
import { profileEntryOf } from '../../kernel/profiles/profiles.js';
import { SnapshotReader, type SnapshotDepth } from '../../kernel/snapshot.js';
import type { TreeObject } from '../../kernel/object.js';
import { INTERFACE_VERSION } from '../interface-version.js';
import type { Ports } from '../ports.js';
import * as snapshotShapes from './snapshot-shapes.js';

/** Snapshots of the tree, and the changes since (interface §2.2, §2.3). */
export function snapshotFunctions(ports: Ports): FunctionDeclaration[] {
  return [
    declare({
      name: 'SVC_GetSnapshot',
      parameters: [],
      result: 'array',
      shape: snapshotShapes.snapshot,
      help: 'The complete tree with all values at this moment.',
      run: () => createSnapshot(ports),
    }),
    declare({
      name: 'SVC_GetSnapshotChanges',
      parameters: [int('LastTimestamp')],
      result: 'array',
      shape: snapshotShapes.changes,
      help: 'All changes after a counter; 0: only the current counter. Fails if some of them are no longer buffered.',
      run: (_caller, since) => changesSince(ports, since, (changes) => changes),
    }),
  ];
}

/**
 * Creates a snapshot of the tree, or of the given objects with the profiles that they use. It is generated
 * while it is read.
 */
export function createSnapshot(
  ports: Ports,
  area?: {
    readonly objects: Iterable<readonly [TreeObject, SnapshotDepth]>;
    readonly profiles: ReadonlySet<string>;
    readonly configurator: Configurator;
  },
): ChunkedResult {
  const objects = area === undefined ? undefined : [...area.objects];
  const reader = new SnapshotReader(ports.kernel.tree, objects);
  const visible = objects?.flatMap(([object, depth]) => (depth === 'complete' ? [object] : []));
  const head = headOf(ports, reader.timestamp, {
    names: area?.profiles,
    objects: visible && new Set(visible),
    configurator: area?.configurator,
  });
  return new ChunkedResult(chunksOf(head, reader));
}

function chunksOf(head: string, reader: SnapshotReader) {
  let state: 'head' | 'objects' | 'end' = 'head';
  let comma = '';
  return {
    next(): string | undefined {
      switch (state) {
        case 'head':
          state = 'objects';
          return head;
        case 'objects': {
          const entries = reader.read();
          if (entries === undefined) {
            state = 'end';
            return '}}';
          }
          const chunk = comma + entries;
          comma = ',';
          return chunk;
        }
        case 'end':
          return undefined;
      }
    },
    close(): void {
      state = 'end';
      reader.close();
    },
  };
}

/** Everything before the objects, which come last so that they can be sent in chunks. */
function headOf(
  { kernel, system, options }: Ports,
  timestamp: number,
  { names, objects, configurator }: HeadOptions,
): string {
  const { architecture, platform, builtAt: date, timezone } = system;
  const version = INTERFACE_VERSION;
  const isFront = names !== undefined;
  const facts = JSON.stringify({
    // Web fronts see neither the options nor the version of the operating system.
    options: isFront ? {} : options.all(),
    archive: archiveOf(kernel, objects),
    server: { architecture, date, platform: isFront ? platform.split(' ', 1)[0] : platform, version },
    license: { expiration: { demo: 0, subscription: 0 }, licensee: '' },
    timestamp,
    timezone,
    compatibility: { version, date },
    // Not part of the interface; only fronts have an area.
    area: configurator && {
      configurator: configurator.id,
      base: configurator.baseId,
      title: configurator.title,
    },
  });
  const profiles = names === undefined ? kernel.profiles.snapshotJson : profilesText(kernel.profiles, names);
  return `${facts.slice(0, -1)},"profiles":${profiles},"objects":{`;
}

type ObjectSet = ReadonlySet<TreeObject>;

/** For a front: the names of the visible profiles, the visible objects, and its configurator. */
interface HeadOptions {
  readonly names: ReadonlySet<string> | undefined;
  readonly objects: ObjectSet | undefined;
  readonly configurator: Configurator | undefined;
}

/** The logged variables and how they are aggregated; clients only test whether an entry exists. */
function archiveOf({ variables }: Ports['kernel'], objects?: ObjectSet): object {
  const logged = variables.logged().filter((variable) => objects?.has(variable) ?? true);
  return Object.fromEntries(
    logged.map(({ id, data: { logging } }) => [
      `ID${id}`,
      { aggregationType: Number(logging?.counter), aggregationVisible: logging?.graph },
    ]),
  );
}

function profilesText(profiles: Ports['kernel']['profiles'], names: ReadonlySet<string>): string {
  const entries = [...names].flatMap((name) => {
    const profile = profiles.find(name);
    return profile === undefined ? [] : [[name, profileEntryOf(profile)] as const];
  });
  return JSON.stringify(Object.fromEntries(entries));
}

/** Frames per chunk: about 1 ms of work if none of them was sent before. */
const FRAMES = 500;

/**
 * The changes after a counter, as a list of frames (interface §2.3). For 0, the list only has an element with
 * message 0 and the current counter. Throws `CHANGES_LOST`.
 */
export function changesSince(
  { kernel }: Ports,
  since: number,
  select: (changes: readonly Change[]) => readonly Change[],
): ChunkedResult | readonly Pick<Change, 'TimeStamp' | 'SenderID' | 'Message' | 'Data'>[] {
  if (since === 0) return [{ TimeStamp: kernel.changes.counter, SenderID: 0, Message: 0, Data: [] }];
  const changes = select(kernel.changes.since(since));
  let at = 0;
  let isFinished = false;
  return new ChunkedResult({
    next() {
      if (isFinished) return undefined;
      const slice = changes.slice(at, at + FRAMES);
      const opening = at === 0 ? '[' : ',';
      at += slice.length;
      isFinished = at >= changes.length;
      return (
        (slice.length === 0 ? '[' : opening) +
        slice.map(({ frame }) => frame).join(',') +
        (isFinished ? ']' : '')
      );
    },
    close() {
      isFinished = true;
    },
  });
}
