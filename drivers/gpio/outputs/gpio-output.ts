import { type Static, Type } from '@sinclair/typebox';
import { fault } from '../../../src/base/fault.js';
import type { Host, ModuleDefinition, OpenInstance } from '../../../src/device/module.js';
import { parseBoolean } from '../../../src/device/toolkit/parse-boolean.js';
import type { Backends } from '../backends/backends.js';
import { gpioModule, missingLineError, outputProperties, outputState } from '../line-properties.js';
import { CommandTimeout } from './command-timeout.js';
import { findOutput, type GpioOutput } from './request-output.js';

const properties = Type.Object(outputProperties);
type OutputHost = Host<Static<typeof properties>>;

/** The module **GPIO Output**: a relay, a lamp, anything that one line switches. */
export const outputModule = (backends: Backends): ModuleDefinition<typeof properties> =>
  gpioModule({
    id: '{1448F419-4671-4427-8CFD-A3117E879461}',
    name: 'GPIO Output',
    description: 'An output line that is switched as commanded.',
    icon: 'Plug',
    page: 'hardware/outputs.md',
    properties,
    variables: () => [outputState],
    check: missingLineError,
    open: (host) => open(host, backends),
  });

async function open(host: OutputHost, backends: Backends): Promise<OpenInstance> {
  const found = await findOutput(host, backends);
  const output = await found.request(found.boot);
  found.markBooted();
  return new Output(host, output);
}

class Output implements OpenInstance {
  readonly #host: Host;
  readonly #output: GpioOutput;
  readonly #timeout: CommandTimeout;

  constructor(host: OutputHost, output: GpioOutput) {
    this.#host = host;
    this.#output = output;
    this.#timeout = new CommandTimeout(host, (active) => this.#drive(active));
    host.report('STATE', output.value);
  }

  async write(ident: string, value: unknown): Promise<void> {
    if (ident !== 'STATE') throw fault('READ_ONLY', ident);
    const active = parseBoolean(value);
    this.#timeout.restart();
    await this.#output.drive(active);
    this.#host.report('STATE', active);
  }

  async refresh(): Promise<void> {
    await this.#output.probe();
    this.#host.report('STATE', this.#output.value);
  }

  probe(): Promise<void> {
    return this.#output.probe();
  }

  close(): Promise<void> {
    this.#timeout.close();
    return this.#output.close();
  }

  async #drive(active: boolean): Promise<void> {
    await this.#output.drive(active);
    this.#host.report('STATE', active);
  }
}
