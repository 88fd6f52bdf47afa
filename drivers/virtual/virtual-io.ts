import { Type } from '@sinclair/typebox';
import { moduleKind, type ModuleDefinition } from '../../src/device/module.js';
import { byteStream } from '../../src/device/stream.js';
import { virtualFunctions } from './functions.js';

const properties = Type.Object({ Open: Type.Boolean({ default: true }) });

const MODULE = { id: '{6179ED6A-FC31-413C-BB8E-1204150CF376}', name: 'Virtual I/O' } as const;

/** The module **Virtual I/O**: a wire that leads nowhere, for devices that are to be tried without hardware. */
export const virtualIo: ModuleDefinition<typeof properties> = {
  ...MODULE,
  aliases: ['Virtual IO'],
  kind: moduleKind.io,
  prefix: 'VIO',
  properties,
  variables: () => [],
  offers: byteStream,
  off: ({ Open }) => (Open ? undefined : 'switched off; set Open to true'),
  functions: (instances) => virtualFunctions(instances, MODULE),
  async open(host) {
    const { Wire } = await import('./wire.js');
    const wire = new Wire(host);
    return { offer: wire, knownDevices: () => wire.clients(), close: () => Promise.resolve() };
  },
};
