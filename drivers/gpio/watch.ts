import type { Host, Running } from '../../src/device/module.js';
import type { InputProperties } from './properties.js';
import { type Ear, type Lines, takeAll, type TakenLine, type Way } from './take.js';

/** What a module makes of one line. */
export interface Watcher extends Ear {
  /** The value at the start, a fact, not an edge; and the line. */
  found(active: boolean, line: TakenLine): void;
  /** Reports what is not told yet; see `Running.flush`. */
  flush?(): void;
  /** The line is let go of; nothing is told any more. */
  close?(): void;
}

/** Takes the line that the properties name, and tells its watcher of it. */
export async function watch(host: Host<InputProperties>, way: Way, watcher: Watcher): Promise<Running> {
  const lines = await takeAll(host, way, { names: [host.properties.Line], ear: watcher });
  const watched = new WatchedLine(host, lines, watcher);
  watched.begin();
  return watched;
}

class WatchedLine implements Running {
  readonly #host: Host;
  readonly #lines: Lines;
  readonly #watcher: Watcher;

  constructor(host: Host, lines: Lines, watcher: Watcher) {
    this.#host = host;
    this.#lines = lines;
    this.#watcher = watcher;
  }

  begin(): void {
    for (const line of this.#lines.all) this.#watcher.found(line.initial, line);
  }

  async refresh(ident: string): Promise<void> {
    for (const line of this.#lines.all) {
      const active = await line.get();
      if (ident === 'STATE') this.#host.report('STATE', active);
    }
  }

  probe(): Promise<void> {
    return this.#lines.probe();
  }

  flush(): void {
    this.#watcher.flush?.();
    this.#lines.flush();
  }

  close(): Promise<void> {
    this.#watcher.close?.();
    return this.#lines.close();
  }
}
