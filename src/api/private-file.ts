import { readFile } from 'node:fs/promises';
import { writeFileAtomically } from '../base/atomic-write.js';
import { codeOf } from '../base/fault.js';

/** Where a text is kept across restarts. */
export interface TextStorage {
  /** The text that was written last; undefined if there is none. */
  read(): Promise<string | undefined>;
  /** Replaces the text atomically and durably. Calls do not overlap. */
  write(text: string): Promise<void>;
}

/**
 * A file of the data directory that only the gateway can read. It is in no backup: a session or a subscription
 * that has ended does not return when a backup is restored.
 */
export function privateFile(path: string): TextStorage {
  return {
    read: async () => {
      try {
        return await readFile(path, 'utf8');
      } catch (thrown) {
        if (codeOf(thrown) === 'ENOENT') return undefined;
        throw thrown;
      }
    },
    write: (text) => writeFileAtomically(path, text, 0o600),
  };
}
