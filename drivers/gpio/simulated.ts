import type { Clock } from '../../src/base/clock.js';
import { fault } from '../../src/base/fault.js';
import { EventQueue } from './events.js';
import {
  type Chip,
  CONSUMER,
  type GpioBinding,
  type InputLine,
  type InputListener,
  type InputWish,
  type LineInfo,
  type OutputLine,
  type OutputWish,
  type Place,
  type RequestedLine,
  TICKS_US,
} from './line.js';
import type { Holder, Spot, World } from './world.js';

/** The way to the lines of a simulated world, with the kernel's manners: numbered events, a bounded buffer, busy lines. */
export function simulated(world: World, clock: Clock): GpioBinding {
  return new SimulatedGpio(world, clock);
}

class SimulatedGpio implements GpioBinding {
  readonly backend = 'simulated';
  readonly debouncesFromUs = TICKS_US;
  readonly #world: World;
  readonly #clock: Clock;
  readonly #held = new Set<SimulatedLine>();

  constructor(world: World, clock: Clock) {
    this.#world = world;
    this.#clock = clock;
  }

  get held(): number {
    return this.#held.size;
  }

  requested(): Iterable<RequestedLine> {
    return this.#held;
  }

  async chips(): Promise<Chip[]> {
    return this.#world.chips();
  }

  async lines(chip: Chip): Promise<LineInfo[]> {
    return this.#world.spots(chip.label).map(({ offset, name, holder }) => {
      const consumer = holder?.consumer ?? '';
      const direction = holder?.output === undefined ? 'input' : 'output';
      return { offset, name, consumer, used: consumer !== '', direction };
    });
  }

  async requestOutput(place: Place, wish: OutputWish): Promise<OutputLine> {
    return this.#take(new SimulatedOutput(this.#where(place, wish.activeLow), wish));
  }

  async requestInput(place: Place, wish: InputWish, listener: InputListener): Promise<InputLine> {
    const queue = new EventQueue(wish, listener, this.#clock);
    return this.#take(new SimulatedInput(this.#where(place, wish.activeLow), { wish, listener, queue }));
  }

  #take<L extends SimulatedLine>(line: L): L {
    line.take();
    this.#held.add(line);
    return line;
  }

  #where(place: Place, activeLow: boolean): Where {
    const spot = this.#world.spots(place.chip.label)[place.offset];
    if (spot === undefined)
      throw fault('DEVICE_CONFIGURATION', `${place.chip.label} has no line ${place.offset}`);
    return { world: this.#world, place, spot, activeLow, onClosed: (line) => this.#held.delete(line) };
  }
}

interface Where {
  readonly world: World;
  readonly place: Place;
  readonly spot: Spot;
  readonly activeLow: boolean;
  readonly onClosed: (line: SimulatedLine) => void;
}

abstract class SimulatedLine implements RequestedLine {
  abstract readonly initial: boolean;
  protected readonly where: Where;
  protected abstract readonly holder: Holder;
  #state: 'held' | 'lost' | 'closed' = 'held';

  constructor(where: Where) {
    this.where = where;
  }

  get place(): Place {
    return this.where.place;
  }

  take(): void {
    this.where.world.take(this.where.spot, this.holder);
  }

  async get(): Promise<boolean> {
    this.check();
    return this.level() !== this.where.activeLow;
  }

  async close(): Promise<void> {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.where.world.release(this.where.spot, this.holder);
    this.where.onClosed(this);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  protected lose(): void {
    this.#state = 'lost';
  }

  protected check(): void {
    const { name, chip } = this.where.place;
    if (this.#state === 'closed') throw new DOMException(`${name} is closed`, 'AbortError');
    if (this.#state === 'lost') throw fault('DEVICE_OFFLINE', `${name}: the GPIO chip ${chip.label} is gone`);
  }

  protected level(): boolean {
    return this.where.spot.net.level;
  }
}

class SimulatedOutput extends SimulatedLine implements OutputLine {
  readonly initial: boolean;
  protected readonly holder: Holder & { readonly output: NonNullable<Holder['output']> };

  constructor(where: Where, wish: OutputWish) {
    super(where);
    const found = where.spot.net.level !== wish.activeLow;
    this.initial = wish.boot === 'hold' ? found : wish.boot === 'active';
    const output = { drive: wish.drive, level: this.initial !== wish.activeLow };
    this.holder = { consumer: CONSUMER, output, lost: () => this.lose() };
  }

  async set(active: boolean): Promise<void> {
    this.check();
    const { spot, place } = this.where;
    if (spot.isRefused)
      throw fault('DEVICE_REFUSED', `${place.name}: the simulated board was told to refuse`);
    this.holder.output.level = active !== this.where.activeLow;
    this.where.world.driven(this.where.spot);
  }
}

class SimulatedInput extends SimulatedLine implements InputLine {
  initial = false;
  protected readonly holder: Holder;
  readonly #queue: EventQueue;

  constructor(where: Where, input: { wish: InputWish; listener: InputListener; queue: EventQueue }) {
    super(where);
    this.#queue = input.queue;
    this.holder = {
      consumer: CONSUMER,
      bias: input.wish.bias,
      activeLow: input.wish.activeLow,
      moved: (level, atNs) => input.queue.moved(level, atNs),
      lost: () => {
        this.lose();
        input.listener.lost(fault('DEVICE_OFFLINE', `the GPIO chip ${where.place.chip.label} is gone`));
      },
    };
  }

  override take(): void {
    super.take();
    const level = this.where.spot.net.level;
    this.initial = level !== this.where.activeLow;
    this.#queue.start(level);
  }

  override async close(): Promise<void> {
    this.#queue.stop();
    await super.close();
  }

  protected override lose(): void {
    super.lose();
    this.#queue.stop();
  }

  protected override level(): boolean {
    return this.#queue.level ?? super.level();
  }
}
