import { coded } from '../../../src/base/codes/coded-text.js';
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
  type LineLocation,
  MIN_KERNEL_DEBOUNCE_US,
  type OutputLine,
  type OutputOptions,
  type RequestedLine,
} from './line.js';
import type { LineHolder, SimulatedBoard, SimulatedLine } from './simulated-board.js';

/**
 * The backend of a simulated board. It behaves like the kernel: numbered events, a bounded buffer, busy
 * lines.
 */
export function openSimulated(board: SimulatedBoard, clock: Clock): GpioBackend {
  return new SimulatedGpio(board, clock);
}

class SimulatedGpio implements GpioBackend {
  readonly name = 'simulated';
  readonly minDebounceUs = MIN_KERNEL_DEBOUNCE_US;
  readonly #board: SimulatedBoard;
  readonly #clock: Clock;
  readonly #held = new Set<SimulatedRequest>();

  constructor(board: SimulatedBoard, clock: Clock) {
    this.#board = board;
    this.#clock = clock;
  }

  requestedLines(): Iterable<RequestedLine> {
    return this.#held;
  }

  async chips(): Promise<Chip[]> {
    return this.#board.chips();
  }

  async lines(chip: Chip): Promise<LineInfo[]> {
    return this.#board.lines(chip.label).map(({ offset, name, holder }) => {
      const consumer = holder?.consumer ?? '';
      const direction = holder?.output === undefined ? 'input' : 'output';
      return { offset, name, consumer, isUsed: consumer !== '', direction };
    });
  }

  async requestOutput(location: LineLocation, options: OutputOptions): Promise<OutputLine> {
    return this.#request(new SimulatedOutput(this.#resolve(location, options.activeLow), options));
  }

  async requestInput(
    location: LineLocation,
    options: InputOptions,
    listener: InputListener,
  ): Promise<InputLine> {
    const queue = new EventQueue(options, listener, this.#clock);
    const resolved = this.#resolve(location, options.activeLow);
    return this.#request(new SimulatedInput(resolved, { options, listener, queue }));
  }

  #request<L extends SimulatedRequest>(line: L): L {
    line.request();
    this.#held.add(line);
    return line;
  }

  #resolve(location: LineLocation, activeLow: boolean): SimulatedLocation {
    const line = this.#board.lines(location.chip.label)[location.offset];
    if (line === undefined)
      throw fault(
        'DEVICE_CONFIGURATION',
        coded`CHIP_HAS_NO_LINE: ${location.chip.label} has no line ${location.offset}`,
      );
    const onClosed = (request: SimulatedRequest) => this.#held.delete(request);
    return { board: this.#board, location, line, activeLow, onClosed };
  }
}

interface SimulatedLocation {
  readonly board: SimulatedBoard;
  readonly location: LineLocation;
  readonly line: SimulatedLine;
  readonly activeLow: boolean;
  readonly onClosed: (request: SimulatedRequest) => void;
}

abstract class SimulatedRequest implements RequestedLine {
  abstract readonly initial: boolean;
  protected readonly at: SimulatedLocation;
  protected abstract readonly holder: LineHolder;
  #state: 'held' | 'lost' | 'closed' = 'held';

  constructor(at: SimulatedLocation) {
    this.at = at;
  }

  get location(): LineLocation {
    return this.at.location;
  }

  request(): void {
    this.at.board.request(this.at.line, this.holder);
  }

  async get(): Promise<boolean> {
    this.throwIfNotHeld();
    return this.level() !== this.at.activeLow;
  }

  async close(): Promise<void> {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.at.board.release(this.at.line, this.holder);
    this.at.onClosed(this);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  protected lose(): void {
    this.#state = 'lost';
  }

  protected throwIfNotHeld(): void {
    const { name, chip } = this.location;
    if (this.#state === 'closed') throw new DOMException(`${name} is closed`, 'AbortError');
    if (this.#state === 'lost')
      throw fault('DEVICE_OFFLINE', coded`LINE_CHIP_GONE: ${name}: the GPIO chip ${chip.label} is gone`);
  }

  protected level(): boolean {
    return this.at.line.net.level;
  }
}

const chipGone = ({ location }: SimulatedLocation) =>
  fault('DEVICE_OFFLINE', coded`CHIP_GONE: the GPIO chip ${location.chip.label} is gone`);

class SimulatedOutput extends SimulatedRequest implements OutputLine {
  readonly initial: boolean;
  protected readonly holder: LineHolder & { readonly output: NonNullable<LineHolder['output']> };

  constructor(at: SimulatedLocation, options: OutputOptions) {
    super(at);
    const present = at.line.net.level !== options.activeLow;
    this.initial = options.boot === 'hold' ? present : options.boot === 'active';
    const output = { drive: options.drive, level: this.initial !== options.activeLow };
    const onChipGone = () => {
      this.lose();
      options.onGone?.(chipGone(at));
    };
    this.holder = { consumer: CONSUMER, output, onChipGone };
  }

  async set(active: boolean): Promise<void> {
    this.throwIfNotHeld();
    const { board, line, location, activeLow } = this.at;
    if (line.rejectsWrites)
      throw fault(
        'DEVICE_REFUSED',
        coded`SIMULATED_BOARD_REJECTS_WRITES: ${location.name}: the simulated board rejects writes to this line`,
      );
    this.holder.output.level = active !== activeLow;
    board.outputChanged(line);
  }
}

class SimulatedInput extends SimulatedRequest implements InputLine {
  initial = false;
  protected readonly holder: LineHolder;
  readonly #queue: EventQueue;

  constructor(
    at: SimulatedLocation,
    { options, listener, queue }: { options: InputOptions; listener: InputListener; queue: EventQueue },
  ) {
    super(at);
    this.#queue = queue;
    this.holder = {
      consumer: CONSUMER,
      bias: options.bias,
      activeLow: options.activeLow,
      onLevelChange: (level, atNs) => queue.levelChanged(level, atNs),
      onChipGone: () => {
        this.lose();
        listener.onLost(chipGone(at));
      },
    };
  }

  override request(): void {
    super.request();
    const level = this.at.line.net.level;
    this.initial = level !== this.at.activeLow;
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
