import type { Clock } from '../../../src/base/clock.js';
import { fault } from '../../../src/base/fault.js';
import { EventQueue } from './event-queue.js';
import {
  type Chip,
  CONSUMER,
  type GpioBackend,
  type InputLine,
  type InputListener,
  type InputOptions,
  type LineInfo,
  type OutputLine,
  type OutputOptions,
  type LineLocation,
  type RequestedLine,
  MIN_KERNEL_DEBOUNCE_US,
} from './line.js';
import type { LineHolder, SimulatedLine, SimulatedBoard } from './simulated-board.js';

/** The way to the lines of a simulated world, with the kernel's manners: numbered events, a bounded buffer, busy lines. */
export function openSimulated(world: SimulatedBoard, clock: Clock): GpioBackend {
  return new SimulatedGpio(world, clock);
}

class SimulatedGpio implements GpioBackend {
  readonly name = 'simulated';
  readonly minDebounceUs = MIN_KERNEL_DEBOUNCE_US;
  readonly #world: SimulatedBoard;
  readonly #clock: Clock;
  readonly #held = new Set<SimulatedRequest>();

  constructor(world: SimulatedBoard, clock: Clock) {
    this.#world = world;
    this.#clock = clock;
  }

  get heldCount(): number {
    return this.#held.size;
  }

  requestedLines(): Iterable<RequestedLine> {
    return this.#held;
  }

  async chips(): Promise<Chip[]> {
    return this.#world.chips();
  }

  async lines(chip: Chip): Promise<LineInfo[]> {
    return this.#world.lines(chip.label).map(({ offset, name, holder }) => {
      const consumer = holder?.consumer ?? '';
      const direction = holder?.output === undefined ? 'input' : 'output';
      return { offset, name, consumer, used: consumer !== '', direction };
    });
  }

  async requestOutput(place: LineLocation, wish: OutputOptions): Promise<OutputLine> {
    return this.#take(new SimulatedOutput(this.#where(place, wish.activeLow), wish));
  }

  async requestInput(place: LineLocation, wish: InputOptions, listener: InputListener): Promise<InputLine> {
    const queue = new EventQueue(wish, listener, this.#clock);
    return this.#take(new SimulatedInput(this.#where(place, wish.activeLow), { wish, listener, queue }));
  }

  #take<L extends SimulatedRequest>(line: L): L {
    line.take();
    this.#held.add(line);
    return line;
  }

  #where(place: LineLocation, activeLow: boolean): SimulatedLocation {
    const spot = this.#world.lines(place.chip.label)[place.offset];
    if (spot === undefined)
      throw fault('DEVICE_CONFIGURATION', `${place.chip.label} has no line ${place.offset}`);
    return { world: this.#world, place, spot, activeLow, onClosed: (line) => this.#held.delete(line) };
  }
}

interface SimulatedLocation {
  readonly world: SimulatedBoard;
  readonly place: LineLocation;
  readonly spot: SimulatedLine;
  readonly activeLow: boolean;
  readonly onClosed: (line: SimulatedRequest) => void;
}

abstract class SimulatedRequest implements RequestedLine {
  abstract readonly initial: boolean;
  protected readonly where: SimulatedLocation;
  protected abstract readonly holder: LineHolder;
  #state: 'held' | 'lost' | 'closed' = 'held';

  constructor(where: SimulatedLocation) {
    this.where = where;
  }

  get location(): LineLocation {
    return this.where.place;
  }

  take(): void {
    this.where.world.request(this.where.spot, this.holder);
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

class SimulatedOutput extends SimulatedRequest implements OutputLine {
  readonly initial: boolean;
  protected readonly holder: LineHolder & { readonly output: NonNullable<LineHolder['output']> };

  constructor(where: SimulatedLocation, wish: OutputOptions) {
    super(where);
    const found = where.spot.net.level !== wish.activeLow;
    this.initial = wish.boot === 'hold' ? found : wish.boot === 'active';
    const output = { drive: wish.drive, level: this.initial !== wish.activeLow };
    this.holder = { consumer: CONSUMER, output, onChipGone: () => this.lose() };
  }

  async set(active: boolean): Promise<void> {
    this.check();
    const { spot, place } = this.where;
    if (spot.rejectsWrites)
      throw fault('DEVICE_REFUSED', `${place.name}: the simulated board was told to refuse`);
    this.holder.output.level = active !== this.where.activeLow;
    this.where.world.outputChanged(this.where.spot);
  }
}

class SimulatedInput extends SimulatedRequest implements InputLine {
  initial = false;
  protected readonly holder: LineHolder;
  readonly #queue: EventQueue;

  constructor(
    where: SimulatedLocation,
    input: { wish: InputOptions; listener: InputListener; queue: EventQueue },
  ) {
    super(where);
    this.#queue = input.queue;
    this.holder = {
      consumer: CONSUMER,
      bias: input.wish.bias,
      activeLow: input.wish.activeLow,
      onLevelChange: (level, atNs) => input.queue.levelChanged(level, atNs),
      onChipGone: () => {
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
