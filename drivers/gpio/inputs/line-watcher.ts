import type { Host, OpenInstance } from '../../../src/device/module.js';
import type { InputProperties } from '../line-properties.js';
import {
  type EdgeHandler,
  type RequestedInputs,
  requestInputs,
  type RequestedInput,
  type LineSource,
} from './request-inputs.js';

/** What a module makes of one line. */
export interface LineWatcher extends EdgeHandler {
  /** The value at the start, a fact, not an edge; and the line. */
  onInitial(active: boolean, line: RequestedInput): void;
  /** Reports what is not told yet; see `Running.flush`. */
  flush?(): void;
  /** The line is let go of; nothing is told any more. */
  close?(): void;
}

/** Takes the line that the properties name, and tells its watcher of it. */
export async function watchLine(
  host: Host<InputProperties>,
  way: LineSource,
  watcher: LineWatcher,
): Promise<OpenInstance> {
  const lines = await requestInputs(host, way, { names: [host.properties.Line], ear: watcher });
  const watched = new WatchedLine(host, lines, watcher);
  watched.begin();
  return watched;
}

class WatchedLine implements OpenInstance {
  readonly #host: Host;
  readonly #lines: RequestedInputs;
  readonly #watcher: LineWatcher;

  constructor(host: Host, lines: RequestedInputs, watcher: LineWatcher) {
    this.#host = host;
    this.#lines = lines;
    this.#watcher = watcher;
  }

  begin(): void {
    for (const line of this.#lines.lines) this.#watcher.onInitial(line.initial, line);
  }

  async refresh(ident: string): Promise<void> {
    for (const line of this.#lines.lines) {
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
