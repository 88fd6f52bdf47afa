import { Type } from '@sinclair/typebox';
import { moduleKind, type ModuleDefinition } from '../device/module.js';

type Identity = Omit<ModuleDefinition, 'properties' | 'variables' | 'open'>;

/** A module without a device: functions are called on its instance. */
const withoutDevice = (identity: Identity): ModuleDefinition => ({
  ...identity,
  properties: Type.Object({}),
  variables: () => [],
  open: async () => ({ close: async () => undefined }),
});

/** The core modules without code of their own (interface §1, core module GUIDs). */
export const coreModules: readonly ModuleDefinition[] = [
  withoutDevice({
    id: '{43192F0B-135B-4CE7-A0A7-1475603F3060}',
    name: 'Archive Control',
    description: 'Records the values of variables.',
    icon: 'Database',
    page: 'use/archive.md',
    kind: moduleKind.core,
    prefix: 'AC',
  }),
  withoutDevice({
    id: '{B69010EA-96D5-46DF-B885-24821B8C8DBD}',
    name: 'Utility Control',
    description: 'Functions for many objects: search, replace, copy.',
    icon: 'Gear',
    page: 'use/utility.md',
    kind: moduleKind.core,
    prefix: 'UC',
  }),
];

/** The module of web front configurators (interface §1, core module GUIDs). */
export const webFrontModule: ModuleDefinition = withoutDevice({
  id: '{3565B1F2-8F7B-4311-A4B6-1BF1D868F39E}',
  name: 'WebFront Configurator',
  description: 'A front for residents: its area, its password, its items.',
  icon: 'Home',
  page: 'use/web-front.md',
  kind: moduleKind.visualisation,
  prefix: 'WFC',
  aliases: ['WebFront'],
});
