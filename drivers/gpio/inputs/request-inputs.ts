import type { Host } from '../../../src/device/module.js';
import { DroppedEdges } from './dropped-edges.js';
import { Debouncer } from './debouncer.js';
import type { Edge, GpioBackend, InputLine, LineLocation } from '../backends/line.js';
import { type RateLimit, OscillationDetector } from './oscillation-detector.js';
import { findLine } from '../backends/find-line.js';
import type { InputProperties } from '../line-properties.js';
import type { GpioBoard, Backends } from '../backends/backends.js';

/** Where a module's lines come from. */
export interface LineSource {
  readonly board: GpioBoard;
  readonly backends: Backends;
}

/** What a module of several lines needs to know of all of them. */
export type SharedProperties = Omit<InputProperties, 'Line'>;

/** What a module makes of its lines; each is told by its place among their names. */
export interface EdgeHandler {
  /** Changes, in their order, debounced; at least one. Those of the first lines may come while others are being taken. */
  onEdges(edges: readonly Edge[], at: number): void;
  /** What its lines may do; without it, as many changes as can be read are fine. */
  readonly limit?: RateLimit;
  /** As `edges`, of a line that oscillates: nothing is to be told now. */
  onOscillating?(edges: readonly Edge[], at: number): void;
  /** Once a second while a line oscillates: how it stands may be told. `isOver`: none does any more. */
  onOscillationTick?(isOver: boolean): void;
}

/** A line as its module sees it. */
export type RequestedInput = Pick<InputLine, 'initial' | 'get' | 'interrupts'>;

/** Lines of one module, as one. */
export interface RequestedInputs {
  /** With the debounced value. */
  readonly lines: readonly RequestedInput[];
  /** Tells how much is lost, where that is not told yet. */
  flush(): void;
  /** Rejects when one of them is gone. */
  probe(): Promise<void>;
  close(): Promise<void>;
}

/** Takes all these lines or none. Keeps LOST, and says when it grows; recognises lines that oscillate. */
export async function requestInputs(
  host: Host<SharedProperties>,
  { board, backends: ways }: LineSource,
  { names, ear }: { readonly names: readonly string[]; readonly ear: EdgeHandler },
): Promise<RequestedInputs> {
  const taken = new RequestedInputSet(host, names, ear);
  try {
    const binding = await ways.get(host.properties.Backend);
    for (const name of names) {
      const place = await findLine(binding, board.gpio, { chip: host.properties.Chip, line: name });
      host.signal.throwIfAborted();
      await taken.take(ways, binding, place);
    }
  } catch (thrown) {
    await taken.close();
    throw thrown;
  }
  taken.losses.report();
  return taken;
}

/** A line that we debounce. */
interface DebouncedInput extends RequestedInput, Pick<InputLine, 'close'> {
  readonly debounce?: Debouncer;
}

class RequestedInputSet implements RequestedInputs {
  readonly lines: DebouncedInput[] = [];
  readonly losses: DroppedEdges;
  readonly #host: Host<SharedProperties>;
  readonly #ear: EdgeHandler;
  readonly #oscillation: OscillationDetector | undefined;

  constructor(host: Host<SharedProperties>, names: readonly string[], ear: EdgeHandler) {
    this.#host = host;
    this.#ear = ear;
    this.losses = new DroppedEdges(host);
    const { limit } = ear;
    if (limit !== undefined)
      this.#oscillation = new OscillationDetector(host, { limit, names }, (isOver) =>
        ear.onOscillationTick?.(isOver),
      );
  }

  async take(ways: Backends, binding: GpioBackend, place: LineLocation): Promise<void> {
    const { ActiveLow, Bias, DebounceUs } = this.#host.properties;
    const at = this.lines.length;
    const isOurs = DebounceUs > 0 && DebounceUs < binding.minDebounceUs;
    let debounce: Debouncer | undefined;
    const listener = {
      edges: (edges: readonly Edge[]) => {
        for (const { active } of edges) this.#host.debug('edge', active ? 'active' : 'inactive', place.name);
        if (debounce === undefined) this.#tell(edges, at);
        else debounce.addEdges(edges);
        this.losses.noteEdges(edges, at);
      },
      lost: (cause: Error) => this.#host.reportLost(cause),
    };
    const settings = { activeLow: ActiveLow, bias: Bias, debounceUs: isOurs ? 0 : DebounceUs };
    const line = await ways.request(this.#host, { binding, place }, () =>
      binding.requestInput(place, settings, listener),
    );
    const { clock, log } = this.#host;
    if (isOurs) {
      const debouncing = {
        clock,
        periodUs: DebounceUs,
        tell: (edges: readonly Edge[]) => this.#tell(edges, at),
      };
      debounce = new Debouncer(debouncing, line.initial);
    }
    this.lines.push(debounce === undefined ? line : debouncedInput(line, debounce));
    const by = DebounceUs === 0 ? 'nobody' : isOurs ? 'gateway' : 'kernel';
    const { name, chip } = place;
    log.debug({ line: name, chip: chip.label, backend: binding.name, debouncedBy: by }, 'input taken');
  }

  flush(): void {
    this.losses.flush();
  }

  async probe(): Promise<void> {
    for (const line of this.lines) await line.get();
    this.losses.clearOverflow();
  }

  async close(): Promise<void> {
    this.#oscillation?.close();
    this.losses.close();
    for (const { debounce } of this.lines) debounce?.close();
    await Promise.all(this.lines.map((line) => line.close()));
  }

  /** Debounced: a contact that bounces is none that oscillates. */
  #tell(edges: readonly Edge[], at: number): void {
    this.#oscillation?.noteEdges(edges, at);
    if (this.#oscillation?.isOscillating(at)) this.#ear.onOscillating?.(edges, at);
    else this.#ear.onEdges(edges, at);
  }
}

/** The line with the value that counts; asking for it still shows whether its chip is there. */
const debouncedInput = (line: InputLine, debounce: Debouncer): DebouncedInput => ({
  initial: line.initial,
  debounce,
  get: async () => {
    await line.get();
    return debounce.active;
  },
  close: () => line.close(),
});
