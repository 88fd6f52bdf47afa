import { buildMap } from '../../../drivers/modbus/maps/build-map.js';
import type { RegisterMap } from '../../../drivers/modbus/maps/register-map.js';
import type { Value } from '../../../src/device/module.js';

/** A map of coils and registers, all of one value, without a tree. */
export class RegisterMapStub {
  readonly map: RegisterMap = buildMap('stub', {
    name: 'Stub',
    kind: 'server',
    blocks: [
      { table: 'holding', values: { VALUE: { at: 0, count: 99, variable: 'a', write: true } } },
      { table: 'coils', values: { COIL: { at: 0, count: 99, variable: 'b', write: true } } },
    ],
  });

  read(path: string): Value {
    return path === 'a' ? 7 : true;
  }

  async write(): Promise<void> {
    await Promise.resolve();
  }
}
