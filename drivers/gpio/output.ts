import { type Static, Type } from '@sinclair/typebox';
import { fault } from '../../src/base/fault.js';
import { type Host, moduleKind, type ModuleDefinition, type Running } from '../../src/device/module.js';
import { onOrOff } from '../../src/device/wish.js';
import type { OutputLine } from './line.js';
import { lineMissing, outputProperties, outputState } from './properties.js';
import { Silence } from './silence.js';
import { simulateFunctions } from './simulate.js';
import { findOutput, setLine } from './taking.js';
import type { GpioBoard, Ways } from './ways.js';

const properties = Type.Object(outputProperties);

/** The module **GPIO Output**: a relay, a lamp, anything that one line switches. */
export function gpioOutput(board: GpioBoard, ways: Ways): ModuleDefinition<typeof properties> {
  return {
    id: '{1448F419-4671-4427-8CFD-A3117E879461}',
    name: 'GPIO Output',
    kind: moduleKind.device,
    prefix: 'HW',
    properties,
    variables: () => [outputState],
    check: lineMissing,
    functions: () => (ways.world === undefined ? [] : simulateFunctions(ways.world, ways.clock)),
    open: (host) => open(host, board, ways),
  };
}

async function open(host: Host<Static<typeof properties>>, board: GpioBoard, ways: Ways): Promise<Running> {
  const found = await findOutput(host, board, ways);
  const line = await found.take(found.boot);
  found.booted();
  return new Output(host, line);
}

class Output implements Running {
  readonly #host: Host;
  readonly #line: OutputLine;
  readonly #silence: Silence;
  #written: boolean;

  constructor(host: Host<Static<typeof properties>>, line: OutputLine) {
    this.#host = host;
    this.#line = line;
    this.#written = line.initial;
    this.#silence = new Silence(host, (active) => this.#set(active));
    host.report('STATE', line.initial);
  }

  async write(ident: string, value: unknown): Promise<void> {
    if (ident !== 'STATE') throw fault('READ_ONLY', ident);
    const active = onOrOff(value);
    this.#silence.heard();
    await this.#set(active);
  }

  /** What the line was told is what it is: reading an open drain back would tell what others do with it. */
  async refresh(): Promise<void> {
    await this.#line.get();
    this.#host.report('STATE', this.#written);
  }

  async probe(): Promise<void> {
    await this.#line.get();
  }

  close(): Promise<void> {
    this.#silence.close();
    return this.#line.close();
  }

  async #set(active: boolean): Promise<void> {
    await setLine(this.#host, this.#line, active);
    this.#written = active;
    this.#host.report('STATE', active);
  }
}
