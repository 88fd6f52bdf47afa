import { type Static, Type } from '@sinclair/typebox';
import type { Cancel } from '../../../src/base/clock.js';
import { fault, messageOf } from '../../../src/base/fault.js';
import { DeviceQueue } from '../../../src/device/toolkit/device-queue.js';
import {
  type Host,
  moduleKind,
  type ModuleDefinition,
  type OpenInstance,
  type Value,
  variableType,
} from '../../../src/device/module.js';
import { parseBoolean } from '../../../src/device/toolkit/parse-boolean.js';
import type { OutputLine } from '../backends/line.js';
import { missingLineError, outputProperties, outputState } from '../line-properties.js';
import { CommandTimeout } from './command-timeout.js';
import { findOutput } from './request-output.js';
import type { GpioBoard, Backends } from '../backends/backends.js';

/**
 * The shortest that a lamp is lit or dark. The event loop is late by some milliseconds now and then (docs/reference/performance.md), which
 * nobody sees in a twentieth of a second; faster is dimming, and there each of them is a flicker.
 */
const SHORTEST_MS = 50;

const phaseMs = Type.Integer({ default: 500, minimum: 1, maximum: 60_000 });

const properties = Type.Object({ ...outputProperties, OnMs: phaseMs, OffMs: phaseMs });
type BlinkerProperties = Static<typeof properties>;

/** The module **Blinker**: a lamp on a line, that blinks (`docs/hardware/led.md`). */
export function blinkerModule(board: GpioBoard, ways: Backends): ModuleDefinition<typeof properties> {
  return {
    id: '{31B757DE-183E-47A2-A6F3-38654B305CFB}',
    name: 'Blinker',
    kind: moduleKind.device,
    prefix: 'HW',
    properties,
    variables: () => [
      outputState,
      {
        ident: 'BLINK',
        name: 'Blinks',
        type: variableType.boolean,
        profile: '~Switch',
        action: true,
        position: 2,
      },
    ],
    check: (set) => missingLineError(set) ?? tooFast(set),
    open: (host) => open(host, board, ways),
  };
}

function tooFast({ OnMs, OffMs }: BlinkerProperties): string | undefined {
  if (Math.min(OnMs, OffMs) >= SHORTEST_MS) return undefined;
  return (
    `OnMs and OffMs must be ${SHORTEST_MS} at least: faster is dimming, which a program can't hold on a line without ` +
    'flicker; use a channel of the module PWM'
  );
}

async function open(host: Host<BlinkerProperties>, board: GpioBoard, ways: Backends): Promise<OpenInstance> {
  const found = await findOutput(host, board, ways);
  // After a restart of the gateway a warning light goes on blinking; after one of the machine, and when its chip was lost,
  // the policy is what counts.
  const goesOn =
    host.bootFlags.has(found.lineKey) && found.boot === 'hold' && host.lastValue('BLINK') === true;
  const line = await found.request(found.boot);
  found.markBooted();
  return new Blinker(host, line, goesOn);
}

class Blinker implements OpenInstance {
  readonly #host: Host<BlinkerProperties>;
  readonly #line: OutputLine;
  readonly #jobs: DeviceQueue;
  readonly #silence: CommandTimeout;
  /** What was last driven. */
  #active: boolean;
  #isBlinking = false;
  /** Counts what was planned: a beat that was planned before a command came does nothing after it. */
  #plan = 0;
  #cancel: Cancel = () => undefined;

  constructor(host: Host<BlinkerProperties>, line: OutputLine, isBlinking: boolean) {
    this.#host = host;
    this.#line = line;
    this.#jobs = new DeviceQueue(host, line.location.name);
    this.#silence = new CommandTimeout(host, (active) => this.#command('STATE', active));
    this.#active = line.initial;
    if (isBlinking) this.#begin();
    this.#tell();
  }

  async write(ident: string, value: Value): Promise<void> {
    if (ident !== 'STATE' && ident !== 'BLINK') throw fault('READ_ONLY', ident);
    const isOn = parseBoolean(value);
    this.#silence.restart();
    await this.#command(ident, isOn);
  }

  async refresh(): Promise<void> {
    await this.#line.get();
    this.#tell();
  }

  async probe(): Promise<void> {
    await this.#line.get();
  }

  /** The line stays lit or dark, as it is just now. */
  async close(): Promise<void> {
    this.#silence.close();
    this.#end();
    await this.#jobs.close(() => undefined);
    await this.#line.close();
  }

  #command(ident: 'STATE' | 'BLINK', value: boolean): Promise<void> {
    return this.#jobs.run(async () => {
      if (ident === 'BLINK' && value === this.#isBlinking) return;
      // BLINK ended is lit: STATE is what switches it off.
      await this.#drive(ident === 'BLINK' || value);
      this.#end();
      if (ident === 'BLINK' && value) this.#begin();
      this.#tell();
    });
  }

  #begin(): void {
    this.#isBlinking = true;
    const { OnMs, OffMs } = this.#host.properties;
    const plan = ++this.#plan;
    this.#cancel = this.#host.clock.after(this.#active ? OnMs : OffMs, () => {
      this.#jobs.run(() => this.#beat(plan)).catch(() => undefined); // told already, or closed
    });
  }

  async #beat(plan: number): Promise<void> {
    if (plan !== this.#plan) return;
    try {
      await this.#drive(!this.#active);
      this.#host.setProblem('BLINK', undefined);
    } catch (thrown) {
      this.#host.setProblem('BLINK', `It does not blink: ${messageOf(thrown)}`);
      throw thrown;
    } finally {
      if (plan === this.#plan) this.#begin();
    }
  }

  #end(): void {
    this.#isBlinking = false;
    this.#plan++;
    this.#cancel();
  }

  async #drive(active: boolean): Promise<void> {
    await this.#line.set(active);
    this.#active = active;
  }

  /** Lit and dark are not told one by one: who looks at it knows more than STATE could say. */
  #tell(): void {
    this.#host.report('STATE', this.#isBlinking || this.#active);
    this.#host.report('BLINK', this.#isBlinking);
  }
}
