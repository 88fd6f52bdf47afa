import t from 'tap';
import { SimulatedSwitch, SimulatedThermometer } from '../../../drivers/onewire/simulated-chips.js';
import { SimulatedOneWire } from '../../../drivers/onewire/simulated-bus.js';
import { systemClock } from '../../../src/base/clock.js';
import { type OneWireFixture, oneWireContract } from './suite.js';

const [THERMOMETER, SINGLE, EIGHT, PAIR] = [
  '28-0000075565ad',
  '12-000000c0ffee',
  '29-000000d0d0d0',
  '3a-000000123456',
] as const;

async function simulatedFixture(): Promise<OneWireFixture> {
  // Measurements take no time here.
  const after = (_ms: number, callback: () => void) => {
    const soon = setImmediate(callback);
    return () => clearImmediate(soon);
  };
  const clock = { ...systemClock(), after };
  const machine = new SimulatedOneWire(clock, [[THERMOMETER, SINGLE, EIGHT, PAIR]]);
  const writes = new Map<string, number>();
  machine.onSwitchWrite = (address) => writes.set(address, (writes.get(address) ?? 0) + 1);
  const thermometer = machine.chip(THERMOMETER, SimulatedThermometer);
  return {
    attributes: machine,
    bus: 'w1_bus_master1',
    thermometer: THERMOMETER,
    single: SINGLE,
    eight: EIGHT,
    pair: PAIR,
    warm: (celsius) => void (thermometer.celsius = () => celsius),
    weaken: (isWeak) => void (thermometer.isWeak = isWeak),
    damage: (isDamaged) => void (thermometer.isDamaged = isDamaged),
    pull: (address, pin, isDown) => machine.chip(address, SimulatedSwitch).pull(pin, isDown),
    conducting: (address) => machine.chip(address, SimulatedSwitch).on,
    writes: (address) => writes.get(address) ?? 0,
    setSilent: (address, isSilent) => machine.setSilent(address, isSilent),
    searchUntil: (address, isListed) => machine.setUnplugged(address, !isListed),
    close: async () => undefined,
  };
}

await t.test('the simulated machine', (t) =>
  oneWireContract((name, body) => t.test(name, body), simulatedFixture),
);
