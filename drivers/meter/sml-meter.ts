import { moduleKind, type ModuleDefinition } from '../../src/device/module.js';
import { byteStream } from '../../src/device/byte-stream.js';
import { checkMeter, meterProperties } from './meter-properties.js';
import { variablesOf } from '../../src/device/toolkit/meter-variables.js';

/** The module **SML Meter**: a meter that sends SML telegrams by itself. */
export const smlMeter: ModuleDefinition<typeof meterProperties> = {
  id: '{B5E0F1C2-4D0A-4C1E-9E6B-3A8B0C7D1F54}',
  name: 'SML Meter',
  description: 'An electricity meter that sends SML telegrams to a reading head.',
  icon: 'Electricity',
  page: 'hardware/meters.md',
  kind: moduleKind.device,
  prefix: 'HW',
  properties: meterProperties,
  requires: byteStream,
  variables: ({ Values, StaleAfterS }) => variablesOf(Values, StaleAfterS),
  check: checkMeter,
  open: async (host) => {
    // Before the first await: afterwards the stream may be closed.
    const stream = host.parent(byteStream);
    const [{ ListeningMeter }, { SmlParser }] = await Promise.all([
      import('./meter-instance.js'),
      import('./sml/sml-parser.js'),
    ]);
    host.signal.throwIfAborted();
    return new ListeningMeter(host, stream, {
      name: 'SML',
      createParser: (listener) => new SmlParser(listener),
    });
  },
};
