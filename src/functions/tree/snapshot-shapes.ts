import { Type } from '@sinclair/typebox';
import { anything, bool, float, int, listOf, map, named, time, value } from '../shapes.js';

/** Schemas of snapshots and of the changes since (interface §2.2, §2.3). */
const text = Type.String();

export const changes = listOf(
  named('ChangeRecord', 'A message of the gateway, as in a WebSocket frame; TimeStamp is a counter.', {
    TimeStamp: int,
    SenderID: int,
    Message: int,
    Data: listOf(anything),
  }),
);

const snapshotObject = named(
  'SnapshotObject',
  'An object in a snapshot; the members of data depend on its type.',
  {
    position: int,
    readOnly: bool,
    ident: text,
    hidden: bool,
    disabled: bool,
    type: int,
    name: text,
    info: text,
    icon: text,
    parentID: int,
    summary: text,
    publish: Type.Optional(text),
    data: map(anything),
  },
);

const snapshotProfile = named('SnapshotProfile', 'A profile in a snapshot.', {
  type: int,
  icon: text,
  prefix: text,
  suffix: text,
  minValue: float,
  maxValue: float,
  stepSize: float,
  digits: int,
  readOnly: bool,
  associations: listOf(Type.Object({ value, name: text, icon: text, color: int, key: Type.Optional(text) })),
});

export const snapshot = named(
  'Snapshot',
  'The tree at one moment: objects by ID<id>, profiles by name; timestamp is a counter.',
  {
    options: map(int),
    archive: map(anything),
    server: Type.Object({ architecture: text, date: time, platform: text, version: text }),
    license: Type.Object({
      expiration: Type.Object({ demo: time, subscription: time }),
      licensee: text,
    }),
    timestamp: int,
    timezone: text,
    compatibility: Type.Object({ version: text, date: time }),
    area: Type.Optional(Type.Object({ configurator: int, base: int, title: text })),
    profiles: map(snapshotProfile),
    objects: map(snapshotObject),
  },
);
