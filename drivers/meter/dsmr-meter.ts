import { moduleKind, type ModuleDefinition } from '../../src/device/module.js';
import { byteStream } from '../../src/device/byte-stream.js';
import { checkMeter, textMeterProperties } from './meter-properties.js';
import { variablesOf } from '../../src/device/toolkit/meter-variables.js';

/** The module **DSMR Meter**: a meter with a P1 port. */
export const dsmrMeter: ModuleDefinition<typeof textMeterProperties> = {
  id: '{2E6A7C18-95D3-4B0F-8A41-C07D5E9B3F62}',
  name: 'DSMR Meter',
  description: 'An electricity meter with a P1 port, and the gas and water meters behind it.',
  icon: 'Electricity',
  page: 'hardware/meters.md',
  kind: moduleKind.device,
  prefix: 'HW',
  properties: textMeterProperties,
  requires: byteStream,
  variables: ({ Values, StaleAfterS }) => variablesOf(Values, StaleAfterS),
  check: checkMeter,
  open: async (host) => {
    // Before the first await: afterwards the stream may be closed.
    const stream = host.parent(byteStream);
    const [{ ListeningMeter }, { TextParser }] = await Promise.all([
      import('./meter-instance.js'),
      import('./text/text-parser.js'),
    ]);
    host.signal.throwIfAborted();
    return new ListeningMeter(host, stream, {
      name: 'DSMR',
      createParser: (listener) => new TextParser(listener),
      acceptsUnchecked: host.properties.AcceptUnchecked,
    });
  },
};
