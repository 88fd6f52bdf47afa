/**
 * The part of a gateway that holds outputs, as a program that can be killed: a backend controlled by lines of
 * JSON.
 */
import { createInterface } from 'node:readline';
import { openCharacterDevice } from '../../../../drivers/gpio/backends/cdev.js';
import { KeeperClient } from '../../../../drivers/gpio/keeper/keeper-client.js';
import type { Guard, OutputLine } from '../../../../drivers/gpio/backends/line.js';
import { systemClock } from '../../../../src/base/clock.js';
import { messageOf } from '../../../../src/base/fault.js';
import { type Log, silentLog } from '../../../../src/base/log.js';
import type { StatePolicy } from '../../../../src/device/toolkit/enum-property.js';

interface Told {
  readonly asked: number;
  readonly take?: { offset: number; activeLow?: boolean; boot: StatePolicy; guard: Guard };
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
const said = (_details: object, text: string) => say(`log ${text}`);
const log: Log = { ...silentLog, info: said, warn: said, error: said };
const clock = systemClock();
let isUpdate = false;
const keeper = new KeeperClient(
  { socket, directory: data, deadlineMs: 1500, releaseAfterMs: 3000, isUpdating: () => isUpdate },
  { clock, log },
);
const backend = openCharacterDevice(clock, { directory, keeper, addon });
const lines = new Map<number, OutputLine>();

async function place(offset: number) {
  const [chip] = await backend.chips();
  if (chip === undefined) throw new Error('no chip');
  return { chip, offset, name: `LINE ${offset}` };
}

async function take({ offset, activeLow = false, boot, guard }: NonNullable<Told['take']>): Promise<string> {
  const onLost = (cause: Error) => say(`lost ${offset} ${cause.message}`);
  const command = { activeLow, drive: 'push-pull', boot, guard, onLost } as const;
  const line = await backend.requestOutput(await place(offset), command);
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

async function obey(messages: Told): Promise<string> {
  if (messages.take !== undefined) return take(messages.take);
  if (messages.close !== undefined) return close(messages.close);
  if (messages.goodbye !== undefined) return goodbye(messages.goodbye);
  if (messages.health !== undefined) return JSON.stringify(keeper.check());
  if (messages.input !== undefined) {
    const command = { activeLow: false, bias: 'as-is', debounceUs: 0 } as const;
    await backend.requestInput(await place(messages.input), command, {
      onEdges: () => undefined,
      onLost: () => undefined,
    });
  }
  if (messages.set !== undefined) await lines.get(messages.set)?.set(messages.active === true);
  if (messages.block !== undefined)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, messages.block);
  return '';
}

for await (const line of createInterface(process.stdin)) {
  const messages = JSON.parse(line) as Told;
  void obey(messages)
    .catch((thrown: unknown) => `failed: ${messageOf(thrown)}`)
    .then((reply) => say(`done ${messages.asked} ${reply}`));
}
