import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Test } from 'tap';
import { Backends, gpioModules } from '../../../drivers/gpio/index.js';
import { modbusModules } from '../../../drivers/modbus/index.js';
import { serialModules } from '../../../drivers/serial/index.js';
import type { SerialPorts } from '../../../drivers/serial/port.js';
import { socketModules } from '../../../drivers/socket/index.js';
import { systemClock, type Clock } from '../../../src/base/clock.js';
import { variableType, type ModuleDefinition } from '../../../src/device/module.js';
import { simulatedBoard } from '../../tools/devices/board-fixture.js';
import { DeviceFixture } from '../../tools/devices/device-fixture.js';
import { registerMaps } from '../../tools/devices/register-maps.js';
import { tempDirectory } from '../../tools/temp-directory.js';

/** The unit of the server. */
export const UNIT = 9;
const PLANT = `name: Values for the plant
kind: server
blocks:
  - table: holding
    values:
      TEMPERATURE: { at: 0, type: int16, scale: 0.1, variable: temperature }
      COUNT: { at: 1, type: uint32, variable: count, bad: 4294967295 }
      NAME: { at: 3, type: text, length: 4, variable: name }
      PUMP: { at: 10, variable: pump/STATE, write: true }
      GONE: { at: 20, variable: nothing/there }
  - table: input
    values:
      TEMPERATURE_F: { at: 0, type: float32, words: low-first, variable: temperature }
  - table: coils
    values:
      PUMP_COIL: { at: 5, variable: pump/STATE, write: true }
      FIXED: { at: 6, variable: flag, write: true }
      VALVE_COIL: { at: 7, variable: valve/STATE, write: true }
      PUMP_AGAIN: { at: 8, variable: pump/STATE, write: true }
  - table: discrete
    values:
      FLAG: { at: 0, variable: flag }
`;

/** The protocol of the clients, what replaces the system's clock and ports, and further modules. */
interface PlantOptions {
  readonly Protocol: 'TCP' | 'RTU';
  readonly clock?: Clock;
  readonly ports?: SerialPorts;
  readonly more?: readonly ModuleDefinition[];
}

/** A gateway with a relay and three variables, served over TCP or a serial line. */
export async function makeServer(
  t: Test,
  io: readonly [string, Record<string, unknown>],
  { Protocol, clock = systemClock(), ports, more = [] }: PlantOptions,
) {
  const directory = await tempDirectory(t);
  await writeFile(join(directory, 'plant.yaml'), PLANT);
  const modules = [
    ...gpioModules(new Backends(simulatedBoard, clock)),
    ...serialModules(ports),
    ...socketModules(),
    ...modbusModules(registerMaps(directory)),
    ...more,
  ];
  const fixture = new DeviceFixture(modules, clock);
  const { kernel } = fixture;
  const make = (ident: string, type: keyof typeof variableType, value: number | string | boolean) => {
    const variable = kernel.variables.create(variableType[type], {
      parent: kernel.tree.root,
      ident,
      name: ident,
    });
    kernel.variables.update(variable, value, Date.now());
    return variable;
  };
  const temperature = make('temperature', 'float', -21.5);
  const count = make('count', 'integer', 100_000);
  make('name', 'string', 'Plant 1');
  make('flag', 'boolean', true);
  const pump = fixture.devices.create('Relay', { ident: 'pump' }, { Line: 'RELAY1', MinOnS: 3600 });
  await fixture.waitForLink(pump, 'online');
  const parent = await fixture.add(io[0], io[1]);
  const server = await fixture.add('ModBus Server', { Map: 'plant', UnitID: UNIT, Protocol }, parent);
  await fixture.waitForLink(server, 'online');
  return { fixture, kernel, temperature, count, pump, server };
}
