import { coded, type Text } from '../../../src/base/codes/coded-text.js';
import { type Static, Type } from '@sinclair/typebox';
import type { Cancel } from '../../../src/base/clock.js';
import { fault, codedMessageOf } from '../../../src/base/fault.js';
import {
  type Host,
  type ModuleDefinition,
  type OpenInstance,
  type Value,
  variableType,
} from '../../../src/device/module.js';
import { DeviceQueue } from '../../../src/device/toolkit/device-queue.js';
import { parseBoolean } from '../../../src/device/toolkit/parse-boolean.js';
import type { Backends } from '../backends/backends.js';
import { gpioModule, missingLineError, outputProperties, outputState } from '../line-properties.js';
import { CommandTimeout } from './command-timeout.js';
import { findOutput, type GpioOutput } from './request-output.js';
import { withHelp } from '../../../src/device/toolkit/property-help.js';

/**
 * The shortest time that a lamp is lit or dark. The event loop is late by some milliseconds now and then
 * (`docs/reference/performance.md`). That is not visible in 50 ms; faster blinking is dimming, where it would
 * flicker.
 */
const SHORTEST_MS = 50;

const phaseMs = Type.Integer({ default: 500, minimum: 1, maximum: 60_000 });

const properties = Type.Object({
  ...outputProperties,
  OnMs: withHelp(phaseMs, 'Blinking', 'How long the lamp is on while it blinks.'),
  OffMs: withHelp(phaseMs, 'Blinking', 'How long the lamp is off while it blinks.'),
});
type BlinkerProperties = Static<typeof properties>;

/** The module **Blinker**: a lamp on a line, which blinks (`docs/hardware/led.md`). */
export const blinkerModule = (backends: Backends): ModuleDefinition<typeof properties> =>
  gpioModule({
    id: '{31B757DE-183E-47A2-A6F3-38654B305CFB}',
    name: 'Blinker',
    description: 'A lamp on a line that blinks.',
    icon: 'Bulb',
    page: 'hardware/led.md',
    properties,
    variables: () => [
      outputState,
      {
        ident: 'BLINK',
        name: 'Blinks',
        type: variableType.boolean,
        role: 'detail',
        profile: '~Switch',
        action: true,
        position: 2,
      },
    ],
    check: (properties) => missingLineError(properties) ?? tooFastError(properties),
    open: (host) => open(host, backends),
  });

function tooFastError({ OnMs, OffMs }: BlinkerProperties): Text | undefined {
  if (Math.min(OnMs, OffMs) >= SHORTEST_MS) return undefined;
  return coded`BLINKING_TOO_FAST: OnMs and OffMs must be at least ${SHORTEST_MS}: faster is dimming, which would flicker on a line; use a channel of the module PWM`;
}

async function open(host: Host<BlinkerProperties>, backends: Backends): Promise<OpenInstance> {
  const found = await findOutput(host, backends);
  // A warning light resumes blinking after a restart of the gateway. After a boot, and if its chip was gone,
  // the policies decide.
  const wasBlinking = found.isBooted && found.boot === 'hold' && host.lastValue('BLINK') === true;
  const output = await found.request(found.boot);
  found.markBooted();
  return new Blinker(host, output, wasBlinking);
}

class Blinker implements OpenInstance {
  readonly #host: Host<BlinkerProperties>;
  readonly #output: GpioOutput;
  readonly #queue: DeviceQueue;
  readonly #timeout: CommandTimeout;
  #isBlinking = false;
  /** Changes with every command, so that a beat that was scheduled before it does nothing. */
  #revision = 0;
  #cancelBeat: Cancel = () => undefined;

  constructor(host: Host<BlinkerProperties>, output: GpioOutput, isBlinking: boolean) {
    this.#host = host;
    this.#output = output;
    this.#queue = new DeviceQueue(host, output.location.name);
    this.#timeout = new CommandTimeout(host, (active) => this.#command('STATE', active));
    if (isBlinking) this.#begin();
    this.#report();
  }

  async write(ident: string, value: Value): Promise<void> {
    if (ident !== 'STATE' && ident !== 'BLINK') throw fault('READ_ONLY', ident);
    const isOn = parseBoolean(value);
    this.#timeout.restart();
    return this.#command(ident, isOn);
  }

  async refresh(): Promise<void> {
    await this.#output.probe();
    this.#report();
  }

  probe(): Promise<void> {
    return this.#output.probe();
  }

  /** The lamp stays lit or dark as it is. */
  async close(): Promise<void> {
    this.#timeout.close();
    this.#end();
    await this.#queue.close(() => undefined);
    await this.#output.close();
  }

  #command(ident: 'STATE' | 'BLINK', value: boolean): Promise<void> {
    return this.#queue.run(async () => {
      if (ident === 'BLINK' && value === this.#isBlinking) return;
      // When BLINK ends, the lamp is lit; STATE switches it off.
      await this.#output.drive(ident === 'BLINK' || value);
      this.#host.setProblem('BLINK', undefined);
      this.#end();
      if (ident === 'BLINK' && value) this.#begin();
      this.#report();
    });
  }

  #begin(): void {
    this.#isBlinking = true;
    const { OnMs, OffMs } = this.#host.properties;
    const revision = ++this.#revision;
    this.#cancelBeat = this.#host.clock.after(this.#output.value ? OnMs : OffMs, () => {
      this.#queue.run(() => this.#beat(revision)).catch(() => undefined); // a problem was set, or it is closed
    });
  }

  async #beat(revision: number): Promise<void> {
    if (revision !== this.#revision) return;
    try {
      await this.#output.drive(!this.#output.value);
      this.#host.setProblem('BLINK', undefined);
    } catch (thrown) {
      this.#host.setProblem('BLINK', coded`DOES_NOT_BLINK: It does not blink: ${codedMessageOf(thrown)}`);
      throw thrown;
    } finally {
      if (revision === this.#revision) this.#begin();
    }
  }

  #end(): void {
    this.#isBlinking = false;
    this.#revision++;
    this.#cancelBeat();
  }

  /** While it blinks, STATE stays true instead of following each beat. */
  #report(): void {
    this.#host.report('STATE', this.#isBlinking || this.#output.value);
    this.#host.report('BLINK', this.#isBlinking);
  }
}
