import { Type } from '@sinclair/typebox';
import type { ModuleDefinition } from '../../src/device/module.js';
import { streamModule } from '../../src/device/byte-stream.js';
import { virtualFunctions } from './virtual-functions.js';
import { withHelp } from '../../src/device/toolkit/property-help.js';

const properties = Type.Object({
  Open: withHelp(Type.Boolean({ default: true }), 'Connection', 'Whether the connection is open.'),
});

const MODULE = { id: '{6179ED6A-FC31-413C-BB8E-1204150CF376}', name: 'Virtual I/O' } as const;

/** The module **Virtual I/O**: a simulated stream of bytes, for testing devices without hardware. */
export const virtualIo: ModuleDefinition<typeof properties> = {
  ...MODULE,
  description: 'A simulated stream, for testing devices without hardware.',
  icon: 'Plug',
  page: 'hardware/virtual.md',
  ...streamModule,
  aliases: ['Virtual IO'],
  prefix: 'VIO',
  properties,
  functions: (instances) => virtualFunctions(instances, MODULE),
  async open(host) {
    const { VirtualStream } = await import('./virtual-stream.js');
    const wire = new VirtualStream(host);
    return { provided: wire, knownDevices: () => wire.clients(), close: () => Promise.resolve() };
  },
};
