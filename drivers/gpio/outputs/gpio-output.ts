import { type Static, Type } from '@sinclair/typebox';
import { fault } from '../../../src/base/fault.js';
import {
  type Host,
  moduleKind,
  type ModuleDefinition,
  type OpenInstance,
} from '../../../src/device/module.js';
import { parseBoolean } from '../../../src/device/toolkit/parse-boolean.js';
import type { OutputLine } from '../backends/line.js';
import { missingLineError, outputProperties, outputState } from '../line-properties.js';
import { CommandTimeout } from './command-timeout.js';
import { simulationFunctions } from '../simulation-functions.js';
import { findOutput, driveLine } from './request-output.js';
import type { GpioBoard, Backends } from '../backends/backends.js';

const properties = Type.Object(outputProperties);

/** The module **GPIO Output**: a relay, a lamp, anything that one line switches. */
export function outputModule(board: GpioBoard, ways: Backends): ModuleDefinition<typeof properties> {
  return {
    id: '{1448F419-4671-4427-8CFD-A3117E879461}',
    name: 'GPIO Output',
    kind: moduleKind.device,
    prefix: 'HW',
    properties,
    variables: () => [outputState],
    check: missingLineError,
    functions: () =>
      ways.simulatedBoard === undefined ? [] : simulationFunctions(ways.simulatedBoard, ways.clock),
    open: (host) => open(host, board, ways),
  };
}

async function open(
  host: Host<Static<typeof properties>>,
  board: GpioBoard,
  ways: Backends,
): Promise<OpenInstance> {
  const found = await findOutput(host, board, ways);
  const line = await found.request(found.boot);
  found.markBooted();
  return new Output(host, line);
}

class Output implements OpenInstance {
  readonly #host: Host;
  readonly #line: OutputLine;
  readonly #silence: CommandTimeout;
  #written: boolean;

  constructor(host: Host<Static<typeof properties>>, line: OutputLine) {
    this.#host = host;
    this.#line = line;
    this.#written = line.initial;
    this.#silence = new CommandTimeout(host, (active) => this.#set(active));
    host.report('STATE', line.initial);
  }

  async write(ident: string, value: unknown): Promise<void> {
    if (ident !== 'STATE') throw fault('READ_ONLY', ident);
    const active = parseBoolean(value);
    this.#silence.restart();
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
    await driveLine(this.#host, this.#line, active);
    this.#written = active;
    this.#host.report('STATE', active);
  }
}
