import { openQueueFiles } from '../../../drivers/bridge/queue/disk-files.js';
import type { BridgeEnvironment } from '../../../drivers/bridge/bridge.js';
import { join } from 'node:path';
import type { Clock } from '../../../src/base/clock.js';
import { variableType, type ModuleDefinition, type Value } from '../../../src/device/module.js';
import { objectType, type TreeObject } from '../../../src/kernel/object.js';
import type { Variable } from '../../../src/kernel/variables.js';
import { DeviceFixture } from '../devices/device-fixture.js';

/** The environment of bridges whose queues are in a directory of a test: one of each kind. */
export const environmentIn = (directory: string): BridgeEnvironment => ({
  boot: 'boot-1',
  openFiles: (kind) =>
    openQueueFiles({
      directory: join(directory, kind),
      memoryFile: join(directory, 'run', kind),
    }),
});

/** A tree with two rooms whose variables tests change. */
export class BridgeFixture extends DeviceFixture {
  readonly hall: TreeObject;
  readonly #variables = new Map<string, Variable>();

  constructor(modules: readonly ModuleDefinition[], clock?: Clock) {
    super(modules, clock);
    this.hall = this.kernel.tree.create(objectType.category, {}, { ident: 'hall', name: 'Hall' });
    this.#add('TEMPERATURE', variableType.float, 20);
    this.#add('COUNT', variableType.integer, 0);
    this.#add('LIGHT', variableType.boolean, false);
    this.#add('TEXT', variableType.string, '');
  }

  #add(ident: string, type: 0 | 1 | 2 | 3, value: Value): void {
    const variable = this.kernel.variables.create(type, {
      parent: this.hall,
      ident,
      name: ident.toLowerCase(),
    });
    this.kernel.variables.update(variable, value, 0);
    this.#variables.set(ident, variable);
  }

  variable(ident: string): Variable {
    const found = this.#variables.get(ident);
    if (found === undefined) throw new Error(`there is no variable ${ident}`);
    return found;
  }

  set(ident: string, value: Value): void {
    this.kernel.variables.update(this.variable(ident), value, Date.now());
  }
}
