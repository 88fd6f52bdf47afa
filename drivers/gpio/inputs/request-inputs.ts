import type { Host } from '../../../src/device/module.js';
import type { Backends, LocatedLine } from '../backends/backends.js';
import type { Edge, InputLine } from '../backends/line.js';
import type { InputProperties } from '../line-properties.js';
import { Debouncer } from './debouncer.js';
import { DroppedEdges } from './dropped-edges.js';
import { OscillationDetector, type RateLimit } from './oscillation-detector.js';

/** The properties that all lines of a module have in common. */
type SharedProperties = Omit<InputProperties, 'Line'>;

/** Receives the edges of a module's lines; `index` is the line's index among their names. */
export interface EdgeHandler {
  /**
   * Debounced edges in order, at least one. Edges of the first lines may come while others are still being
   * requested.
   */
  onEdges(edges: readonly Edge[], index: number): void;
  /** The rate above which a line counts as oscillating; absent if any rate is fine. */
  readonly limit?: RateLimit;
  /** Called instead of `onEdges` while the line oscillates; nothing should be reported now. */
  onOscillating?(edges: readonly Edge[], index: number): void;
  /**
   * Called once per second while a line oscillates, to report the present state; `isOver` when no line does
   * any more.
   */
  onOscillationTick?(isOver: boolean): void;
}

/** A requested line as its module sees it. */
export type RequestedInput = Pick<InputLine, 'initial' | 'get' | 'countInterrupts'>;

/** The requested lines of one module. */
export interface RequestedInputs {
  /** In the order of their names. `get` resolves to the debounced value. */
  readonly lines: readonly RequestedInput[];
  /** Whether one of the lines oscillates. */
  readonly isOscillating: boolean;
  /** Reports a count of dropped edges that is not reported yet. */
  flush(): void;
  /** Rejects if one of the lines is gone. */
  probe(): Promise<void>;
  close(): Promise<void>;
}

/** Requests all of these lines or none. Maintains LOST and detects lines that oscillate. */
export async function requestInputs(
  host: Host<SharedProperties>,
  backends: Backends,
  { names, handler }: { readonly names: readonly string[]; readonly handler: EdgeHandler },
): Promise<RequestedInputs> {
  const inputs = new RequestedInputSet(host, names, handler);
  try {
    for (const line of names) {
      const located = await backends.locate(host.properties.Backend, { chip: host.properties.Chip, line });
      host.signal.throwIfAborted();
      await inputs.request(backends, located);
    }
  } catch (thrown) {
    await inputs.close();
    throw thrown;
  }
  inputs.dropped.report();
  return inputs;
}

/** A line, with its debouncer if the gateway debounces it. */
interface DebouncedInput extends RequestedInput, Pick<InputLine, 'close'> {
  readonly debouncer?: Debouncer;
}

class RequestedInputSet implements RequestedInputs {
  readonly lines: DebouncedInput[] = [];
  readonly dropped: DroppedEdges;
  readonly #host: Host<SharedProperties>;
  readonly #handler: EdgeHandler;
  readonly #detector: OscillationDetector | undefined;

  constructor(host: Host<SharedProperties>, names: readonly string[], handler: EdgeHandler) {
    this.#host = host;
    this.#handler = handler;
    this.dropped = new DroppedEdges(host);
    const { limit } = handler;
    if (limit !== undefined)
      this.#detector = new OscillationDetector(host, { limit, names }, (isOver) =>
        handler.onOscillationTick?.(isOver),
      );
  }

  async request(backends: Backends, located: LocatedLine): Promise<void> {
    const { backend, location } = located;
    const { ActiveLow, Bias, DebounceUs } = this.#host.properties;
    const index = this.lines.length;
    const isOurs = DebounceUs > 0 && DebounceUs < backend.minDebounceUs;
    let debouncer: Debouncer | undefined;
    const listener = {
      onEdges: (edges: readonly Edge[]) => {
        for (const { active } of edges)
          this.#host.debug('edge', active ? 'active' : 'inactive', location.name);
        if (debouncer === undefined) this.#deliver(edges, index);
        else debouncer.addEdges(edges);
        this.dropped.noteEdges(edges, index);
      },
      onLost: (cause: Error) => this.#host.reportLost(cause),
    };
    const options = { activeLow: ActiveLow, bias: Bias, debounceUs: isOurs ? 0 : DebounceUs };
    const line = await backends.request(this.#host, located, () =>
      backend.requestInput(location, options, listener),
    );
    const { clock, log } = this.#host;
    if (isOurs) {
      const onEdges = (edges: readonly Edge[]) => this.#deliver(edges, index);
      debouncer = new Debouncer({ clock, periodUs: DebounceUs, onEdges }, line.initial);
    }
    this.lines.push(debouncer === undefined ? line : debouncedInput(line, debouncer));
    const debouncedBy = DebounceUs === 0 ? 'none' : isOurs ? 'gateway' : 'kernel';
    const { name, chip } = location;
    log.debug({ line: name, chip: chip.label, backend: backend.name, debouncedBy }, 'input requested');
  }

  get isOscillating(): boolean {
    return this.#detector?.isOscillating === true;
  }

  flush(): void {
    this.dropped.flush();
  }

  async probe(): Promise<void> {
    for (const line of this.lines) await line.get();
    this.dropped.clearOverflow();
  }

  async close(): Promise<void> {
    this.#detector?.close();
    this.dropped.close();
    for (const { debouncer } of this.lines) debouncer?.close();
    await Promise.all(this.lines.map((line) => line.close()));
  }

  /** Takes debounced edges: a contact that bounces does not oscillate. */
  #deliver(edges: readonly Edge[], index: number): void {
    if (this.#detector?.noteEdges(edges, index) === true) this.#handler.onOscillating?.(edges, index);
    else this.#handler.onEdges(edges, index);
  }
}

/** The line with its debounced value; `get` still rejects if the chip is gone. */
const debouncedInput = (line: InputLine, debouncer: Debouncer): DebouncedInput => ({
  initial: line.initial,
  debouncer,
  get: async () => {
    await line.get();
    return debouncer.active;
  },
  close: () => line.close(),
});
