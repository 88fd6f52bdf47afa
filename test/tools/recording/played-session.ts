import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../src/base/clock.js';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';
import { connectBroker } from '../../../src/composition/recording/connect-broker.js';
import { type Peer, Player } from '../../../src/recording/player.js';
import { type Entry, parseRecording } from '../../../src/recording/entry-format.js';
import { PATIENCE_MS } from '../until.js';

/** A recording of `test/fixtures/sessions`, played part by part; a note begins each part. */
export class PlayedSession implements AsyncDisposable {
  readonly #parts: ReadonlyMap<string, readonly Entry[]>;
  readonly #player: Player;
  readonly #peer: Peer;
  readonly #lost = new AbortController();

  private constructor(parts: ReadonlyMap<string, readonly Entry[]>, player: Player, peer: Peer) {
    this.#parts = parts;
    this.#player = player;
    this.#peer = peer;
  }

  /** Connects to the broker at this port. */
  static async open(name: string, port: number): Promise<PlayedSession> {
    const text = readFileSync(join(PACKAGE_ROOT, 'test/fixtures/sessions', `${name}.jsonl`), 'utf8');
    const { entries } = parseRecording(text);
    const parts = new Map<string, Entry[]>();
    let part: Entry[] = [];
    for (const entry of entries) {
      if ('note' in entry) parts.set(entry.note, (part = []));
      else part.push(entry);
    }
    const player = new Player({ clock: systemClock(), speed: 0, waitMs: PATIENCE_MS });
    const sent = entries.flatMap((entry) =>
      'note' in entry || entry.direction === 'in' ? [] : [entry.topic],
    );
    const peer = await connectBroker(
      {
        url: `mqtt://127.0.0.1:${port}`,
        userName: '',
        password: '',
        caFile: '',
        filters: [...new Set(sent)],
        onMessage: ({ topic, payload }) => player.take(topic, payload),
        onLost: () => undefined,
      },
      new AbortController().signal,
    );
    return new PlayedSession(parts, player, peer);
  }

  /** Plays one part without pauses; what the gateway sends is awaited. */
  async play(note: string): Promise<void> {
    const part = this.#parts.get(note);
    if (part === undefined)
      throw new Error(`there is no part ${note}: ${[...this.#parts.keys()].join(', ')}`);
    await this.#player.play(part, this.#peer, this.#lost.signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#lost.abort();
    await this.#peer[Symbol.asyncDispose]();
  }
}
