import type { Host } from '../../src/device/module.js';
import { Losses } from './counts.js';
import { Debounce } from './debounce.js';
import type { Edge, GpioBinding, InputLine, Place } from './line.js';
import { type Liveliness, Oscillation } from './oscillation.js';
import { findLine } from './places.js';
import type { InputProperties } from './properties.js';
import type { GpioBoard, Ways } from './ways.js';

/** Where a module's lines come from. */
export interface Way {
  readonly board: GpioBoard;
  readonly ways: Ways;
}

/** What a module of several lines needs to know of all of them. */
export type SharedProperties = Omit<InputProperties, 'Line'>;

/** What a module makes of its lines; each is told by its place among their names. */
export interface Ear {
  /** Changes, in their order, debounced; at least one. Those of the first lines may come while others are being taken. */
  edges(edges: readonly Edge[], at: number): void;
  /** What its lines may do; without it, as many changes as can be read are fine. */
  readonly limit?: Liveliness;
  /** As `edges`, of a line that oscillates: nothing is to be told now. */
  rush?(edges: readonly Edge[], at: number): void;
  /** Once a second while a line oscillates: how it stands may be told. `isOver`: none does any more. */
  glance?(isOver: boolean): void;
}

/** A line as its module sees it. */
export type TakenLine = Pick<InputLine, 'initial' | 'get' | 'interrupts'>;

/** Lines of one module, as one. */
export interface Lines {
  /** With the debounced value. */
  readonly all: readonly TakenLine[];
  /** Tells how much is lost, where that is not told yet. */
  flush(): void;
  /** Rejects when one of them is gone. */
  probe(): Promise<void>;
  close(): Promise<void>;
}

/** Takes all these lines or none. Keeps LOST, and says when it grows; recognises lines that oscillate. */
export async function takeAll(
  host: Host<SharedProperties>,
  { board, ways }: Way,
  { names, ear }: { readonly names: readonly string[]; readonly ear: Ear },
): Promise<Lines> {
  const taken = new TakenLines(host, names, ear);
  try {
    const binding = await ways.binding(host.properties.Backend);
    for (const name of names) {
      const place = await findLine(binding, board.gpio, { chip: host.properties.Chip, line: name });
      host.signal.throwIfAborted();
      await taken.take(ways, binding, place);
    }
  } catch (thrown) {
    await taken.close();
    throw thrown;
  }
  taken.losses.show();
  return taken;
}

/** A line that we debounce. */
interface Debounced extends TakenLine, Pick<InputLine, 'close'> {
  readonly debounce?: Debounce;
}

class TakenLines implements Lines {
  readonly all: Debounced[] = [];
  readonly losses: Losses;
  readonly #host: Host<SharedProperties>;
  readonly #ear: Ear;
  readonly #oscillation: Oscillation | undefined;

  constructor(host: Host<SharedProperties>, names: readonly string[], ear: Ear) {
    this.#host = host;
    this.#ear = ear;
    this.losses = new Losses(host);
    const { limit } = ear;
    if (limit !== undefined)
      this.#oscillation = new Oscillation(host, { limit, names }, (isOver) => ear.glance?.(isOver));
  }

  async take(ways: Ways, binding: GpioBinding, place: Place): Promise<void> {
    const { ActiveLow, Bias, DebounceUs } = this.#host.properties;
    const at = this.all.length;
    const isOurs = DebounceUs > 0 && DebounceUs < binding.debouncesFromUs;
    let debounce: Debounce | undefined;
    const listener = {
      edges: (edges: readonly Edge[]) => {
        for (const { active } of edges) this.#host.debug('edge', active ? 'active' : 'inactive', place.name);
        if (debounce === undefined) this.#tell(edges, at);
        else debounce.edges(edges);
        this.losses.note(edges, at);
      },
      lost: (cause: Error) => this.#host.lost(cause),
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
      debounce = new Debounce(debouncing, line.initial);
    }
    this.all.push(debounce === undefined ? line : debounced(line, debounce));
    const by = DebounceUs === 0 ? 'nobody' : isOurs ? 'gateway' : 'kernel';
    const { name, chip } = place;
    log.debug({ line: name, chip: chip.label, backend: binding.backend, debouncedBy: by }, 'input taken');
  }

  flush(): void {
    this.losses.flush();
  }

  async probe(): Promise<void> {
    for (const line of this.all) await line.get();
    this.losses.look();
  }

  async close(): Promise<void> {
    this.#oscillation?.close();
    this.losses.close();
    for (const { debounce } of this.all) debounce?.close();
    await Promise.all(this.all.map((line) => line.close()));
  }

  /** Debounced: a contact that bounces is none that oscillates. */
  #tell(edges: readonly Edge[], at: number): void {
    this.#oscillation?.note(edges, at);
    if (this.#oscillation?.isOn(at)) this.#ear.rush?.(edges, at);
    else this.#ear.edges(edges, at);
  }
}

/** The line with the value that counts; asking for it still shows whether its chip is there. */
const debounced = (line: InputLine, debounce: Debounce): Debounced => ({
  initial: line.initial,
  debounce,
  get: async () => {
    await line.get();
    return debounce.active;
  },
  close: () => line.close(),
});
