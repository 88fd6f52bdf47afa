import type { Host } from '../../src/device/module.js';
import type { Edge, InputLine } from './line.js';
import { findLine } from './places.js';
import type { InputProperties } from './properties.js';
import type { Way } from './watch.js';

/** What a module of several lines needs to know of all of them. */
export type SharedProperties = Omit<InputProperties, 'Line'>;

/** Several lines of one module, as one. */
export interface Lines {
  readonly all: readonly InputLine[];
  close(): Promise<void>;
}

/** Takes all these lines or none; `edges` hears which of them changed, by its place in `names`. */
export async function takeAll(
  host: Host<SharedProperties>,
  { board, ways }: Way,
  wish: { readonly names: readonly string[]; edges(at: number, edges: readonly Edge[]): void },
): Promise<Lines> {
  const { Backend, Chip, ActiveLow, Bias, DebounceUs } = host.properties;
  const all: InputLine[] = [];
  const close = async () => void (await Promise.all(all.map((line) => line.close())));
  try {
    const binding = await ways.binding(Backend);
    for (const [at, name] of wish.names.entries()) {
      const place = await findLine(binding, board.gpio, { chip: Chip, line: name });
      host.signal.throwIfAborted();
      const settings = { activeLow: ActiveLow, bias: Bias, debounceUs: DebounceUs };
      const listener = {
        edges: (edges: readonly Edge[]) => wish.edges(at, edges),
        lost: (cause: Error) => host.lost(cause),
      };
      const line = await binding.requestInput(place, settings, listener);
      ways.owners.set(line, host.id);
      all.push(line);
    }
  } catch (thrown) {
    await close();
    throw thrown;
  }
  return { all, close };
}
