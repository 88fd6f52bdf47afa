import type { Host, Running } from '../../src/device/module.js';
import type { Edge, InputLine, InputListener } from './line.js';
import { findLine } from './places.js';
import type { InputProperties } from './properties.js';
import type { GpioBoard, Ways } from './ways.js';

/** Where a module's lines come from. */
export interface Way {
  readonly board: GpioBoard;
  readonly ways: Ways;
}

/** What a module makes of one line. */
export interface Watcher {
  /** The value at the start: a fact, not an edge. */
  found(active: boolean): void;
  /** Changes after that, in their order; at least one. */
  edges(edges: readonly Edge[]): void;
  /** Reports what is not told yet; see `Running.flush`. */
  flush?(): void;
  /** The line is let go of; nothing is told any more. */
  close?(): void;
}

/** Takes the line that the properties name, and tells its watcher of it. Keeps LOST, and says when it grows. */
export async function watch(host: Host<InputProperties>, way: Way, watcher: Watcher): Promise<Running> {
  const { Backend, Chip, Line, ActiveLow, Bias, DebounceUs } = host.properties;
  const binding = await way.ways.binding(Backend);
  const place = await findLine(binding, way.board.gpio, { chip: Chip, line: Line });
  host.signal.throwIfAborted();
  const losses = new Losses(host);
  const listener: InputListener = {
    edges: (edges) => {
      watcher.edges(edges);
      losses.note(edges);
    },
    lost: (cause) => host.lost(cause),
  };
  const wish = { activeLow: ActiveLow, bias: Bias, debounceUs: DebounceUs };
  const line = await binding.requestInput(place, wish, listener);
  way.ways.owners.set(line, host.id);
  host.log.debug({ line: place.name, chip: place.chip.label, backend: binding.backend }, 'input taken');
  watcher.found(line.initial);
  losses.show();
  return new WatchedLine(host, line, { watcher, losses });
}

/** Edges that were dropped, exactly: LOST goes on from where it stood when the gateway last knew it. */
class Losses {
  readonly #host: Host;
  #lost: number;
  /** The last edge's number on this request. */
  #seqno = 0;
  #lostSinceLook = false;

  constructor(host: Host) {
    this.#host = host;
    this.#lost = countOf(host, 'LOST');
  }

  show(atNs?: bigint): void {
    this.#host.report('LOST', this.#lost, atNs);
  }

  note(edges: readonly Edge[]): void {
    const before = this.#lost;
    for (const { lineSeqno } of edges) {
      if (lineSeqno !== 0) this.#lost += dropped(this.#seqno, lineSeqno);
      this.#seqno = lineSeqno;
    }
    if (this.#lost === before) return;
    this.show(edges.at(-1)?.atNs);
    if (!this.#lostSinceLook)
      this.#host.trouble(
        'OVERFLOW',
        `The line changes faster than it can be read: ${this.#lost - before} changes were lost at once`,
      );
    this.#lostSinceLook = true;
  }

  /** Takes the trouble away when nothing was lost since the last look. */
  look(): void {
    if (!this.#lostSinceLook) this.#host.trouble('OVERFLOW', undefined);
    this.#lostSinceLook = false;
  }
}

class WatchedLine implements Running {
  readonly #host: Host;
  readonly #line: InputLine;
  readonly #with: { readonly watcher: Watcher; readonly losses: Losses };

  constructor(host: Host, line: InputLine, parts: { watcher: Watcher; losses: Losses }) {
    this.#host = host;
    this.#line = line;
    this.#with = parts;
  }

  async refresh(ident: string): Promise<void> {
    const active = await this.#line.get();
    if (ident === 'STATE') this.#host.report('STATE', active);
  }

  async probe(): Promise<void> {
    await this.#line.get();
    this.#with.losses.look();
  }

  flush(): void {
    this.#with.watcher.flush?.();
  }

  close(): Promise<void> {
    this.#with.watcher.close?.();
    return this.#line.close();
  }
}

/** Edges between two numbers that the kernel dropped; the numbers are unsigned 32-bit ones and wrap. */
const dropped = (before: number, seqno: number): number => (seqno - before - 1) >>> 0;

/** The count that a variable had when the gateway last knew it; 0 before that. */
export function countOf(host: Host, ident: string): number {
  const value = host.last(ident);
  return typeof value === 'number' ? value : 0;
}
