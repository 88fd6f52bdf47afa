/**
 * Runs only the GPIO backend of a gateway with its outputs, so that tests can kill it. Each line of its standard
 * input is a command in JSON.
 */
import { createInterface } from 'node:readline';
import { openCharacterDevice } from '../../../../drivers/gpio/backends/cdev.js';
import { KeeperClient } from '../../../../drivers/gpio/keeper/keeper-client.js';
import type { Guard, OutputLine } from '../../../../drivers/gpio/backends/line.js';
import { systemClock } from '../../../../src/base/clock.js';
import { messageOf } from '../../../../src/base/fault.js';
import { type Log, silentLog } from '../../../../src/base/log.js';
import type { StatePolicy } from '../../../../src/device/toolkit/enum-property.js';

interface Command {
  readonly requestId: number;
  readonly requestOutput?: { offset: number; activeLow?: boolean; boot: StatePolicy; guard: Guard };
  readonly input?: number;
  readonly set?: number;
  readonly active?: boolean;
  readonly close?: number;
  readonly block?: number;
  readonly goodbye?: 'stop' | 'update';
  readonly health?: true;
}

const [, , directory = '', socket = '', data = '', addon = ''] = process.argv;
const say = (text: string): void => void process.stdout.write(`${text}\n`);
const print = (_details: object, text: string) => say(`log ${text}`);
const log: Log = { ...silentLog, info: print, warn: print, error: print };
const clock = systemClock();
let isUpdate = false;
const keeper = new KeeperClient(
  { socket, directory: data, deadlineMs: 1500, releaseAfterMs: 3000, isUpdating: () => isUpdate },
  { clock, log },
);
const backend = openCharacterDevice(clock, { directory, keeper, addon });
const lines = new Map<number, OutputLine>();

async function locationOf(offset: number) {
  const [chip] = await backend.chips();
  if (chip === undefined) throw new Error('no chip');
  return { chip, offset, name: `LINE ${offset}` };
}

async function requestOutput({
  offset,
  activeLow = false,
  boot,
  guard,
}: NonNullable<Command['requestOutput']>): Promise<string> {
  const onLost = (cause: Error) => say(`lost ${offset} ${cause.message}`);
  const options = { activeLow, drive: 'push-pull', boot, guard, onLost } as const;
  const line = await backend.requestOutput(await locationOf(offset), options);
  lines.set(offset, line);
  return String(line.initial);
}

async function close(offset: number): Promise<string> {
  await lines.get(offset)?.close();
  lines.delete(offset);
  return '';
}

async function goodbye(how: 'stop' | 'update'): Promise<string> {
  isUpdate = how === 'update';
  for (const offset of lines.keys()) await close(offset);
  await keeper.goodbye();
  return '';
}

async function execute(command: Command): Promise<string> {
  if (command.requestOutput !== undefined) return requestOutput(command.requestOutput);
  if (command.close !== undefined) return close(command.close);
  if (command.goodbye !== undefined) return goodbye(command.goodbye);
  if (command.health !== undefined) return JSON.stringify(keeper.check());
  if (command.input !== undefined) {
    const options = { activeLow: false, bias: 'as-is', debounceUs: 0 } as const;
    await backend.requestInput(await locationOf(command.input), options, {
      onEdges: () => undefined,
      onLost: () => undefined,
    });
  }
  if (command.set !== undefined) await lines.get(command.set)?.set(command.active === true);
  if (command.block !== undefined) {
    say('blocked');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, command.block);
  }
  return '';
}

for await (const line of createInterface(process.stdin)) {
  const command = JSON.parse(line) as Command;
  void execute(command)
    .catch((thrown: unknown) => `failed: ${messageOf(thrown)}`)
    .then((reply) => say(`done ${command.requestId} ${reply}`));
}
