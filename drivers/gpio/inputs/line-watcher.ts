import type { Host, OpenInstance } from '../../../src/device/module.js';
import type { Backends } from '../backends/backends.js';
import type { InputProperties } from '../line-properties.js';
import { oscillating } from './oscillation-detector.js';
import {
  type EdgeHandler,
  type RequestedInput,
  type RequestedInputs,
  requestInputs,
} from './request-inputs.js';

/** The part of a module that interprets the edges of one line. */
export interface LineWatcher extends EdgeHandler {
  /** Called once with the value at the start, which is not an edge. */
  onInitial(active: boolean, line: RequestedInput): void;
  /** Reports what is not reported yet; see `OpenInstance.flush`. */
  flush?(): void;
  /** The line is about to be released; nothing may be reported any more. */
  close?(): void;
}

/** Requests the line that the properties name and connects it to its watcher. */
export async function watchLine(
  host: Host<InputProperties>,
  backends: Backends,
  watcher: LineWatcher,
): Promise<OpenInstance> {
  const lines = await requestInputs(host, backends, { names: [host.properties.Line], handler: watcher });
  const watched = new WatchedLine(host, lines, watcher);
  watched.begin();
  return watched;
}

class WatchedLine implements OpenInstance {
  readonly #host: Host;
  readonly #inputs: RequestedInputs;
  readonly #watcher: LineWatcher;

  constructor(host: Host, inputs: RequestedInputs, watcher: LineWatcher) {
    this.#host = host;
    this.#inputs = inputs;
    this.#watcher = watcher;
  }

  begin(): void {
    for (const line of this.#inputs.lines) this.#watcher.onInitial(line.initial, line);
  }

  async refresh(ident: string): Promise<void> {
    for (const line of this.#inputs.lines) {
      const active = await line.get();
      if (ident !== 'STATE') continue;
      if (this.#inputs.isOscillating) this.#host.reportUncertain('STATE', active, oscillating);
      else this.#host.report('STATE', active);
    }
  }

  probe(): Promise<void> {
    return this.#inputs.probe();
  }

  flush(): void {
    this.#watcher.flush?.();
    this.#inputs.flush();
  }

  close(): Promise<void> {
    this.#watcher.close?.();
    return this.#inputs.close();
  }
}
