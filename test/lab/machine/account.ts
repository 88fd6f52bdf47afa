/**
 * A client that changes the configuration of a box as fast as it gets replies, and records what was
 * acknowledged. After a power cut the box must agree with the record: no acknowledged change may be missing.
 * A change without a reply may have been made or not.
 */
import type { Entry } from '../../tools/client/replica.js';
import type { Box } from './box.js';

/** What is known of an object. */
type Known = Partial<Pick<Entry, 'name' | 'info' | 'ident' | 'parentID'>>;
/** The recorded state of an object. */
type State = Known | 'deleted';

const VARIABLE_OF_TYPE_STRING = 3;

/** A client that records the changes that it made. */
export class TreeAccount {
  readonly #box: Box;
  /** What was acknowledged, by id. */
  readonly #states = new Map<number, State>();
  /** What was requested without a reply yet, by id; those without an id are counted. */
  readonly #asked = new Map<number, State>();
  #creating = 0;
  #isOver = false;
  /** Number of acknowledged changes. */
  acknowledged = 0;

  constructor(box: Box) {
    this.#box = box;
  }

  /**
   * Creates, moves, renames and deletes variables until {@link end}, several concurrently; rejects if a call
   * fails before.
   */
  async work(parentID: number, lanes: number): Promise<void> {
    await Promise.all(Array.from({ length: lanes }, (_, lane) => this.#lane(parentID, lane)));
  }

  /** From now on calls may fail. */
  end(): void {
    this.#isOver = true;
  }

  /**
   * Differences between the objects of a snapshot and what was acknowledged, and objects that were never
   * requested; `before` are the ids that existed at the beginning.
   */
  disagreements(objects: Record<string, Entry>, before: ReadonlySet<string>): string[] {
    const wrong = [...this.#states].flatMap(([id, state]) =>
      this.#disagrees(id, state, objects[`ID${id}`]).map((what) => `#${id}: ${what}`),
    );
    const strays = Object.keys(objects).filter(
      (key) => !before.has(key) && !this.#states.has(Number(key.slice(2))),
    );
    return strays.length > this.#creating ? [...wrong, `unrequested: ${strays.join(', ')}`] : wrong;
  }

  #disagrees(id: number, state: State, found: Entry | undefined): string[] {
    const requests = this.#asked.get(id) ?? {};
    if (state === 'deleted') return found === undefined ? [] : ['exists again'];
    if (found === undefined) return requests === 'deleted' ? [] : ['is missing'];
    const commanded = requests === 'deleted' ? {} : requests;
    return (Object.keys(state) as (keyof Known)[])
      .filter((key) => found[key] !== state[key] && found[key] !== commanded[key])
      .map((key) => `${key} is ${found[key]}, not ${state[key]}`);
  }

  async #lane(parentID: number, lane: number): Promise<void> {
    try {
      for (let n = 0; ; n++) {
        const id = await this.#create();
        const word = `${lane}_${n}`;
        await this.#make(id, { parentID }, ['SVC_SetParent', parentID]);
        await this.#make(id, { name: `Name ${word}` }, ['SVC_SetName', `Name ${word}`]);
        await this.#make(id, { ident: `ident_${word}` }, ['SVC_SetIdent', `ident_${word}`]);
        await this.#make(id, { info: word }, ['SVC_SetInfo', word]);
        await this.#make(id, { info: `${word} again` }, ['SVC_SetInfo', `${word} again`]);
        if (n % 3 === 2) await this.#make(id, 'deleted', ['SVC_DeleteVariable']);
      }
    } catch (failure) {
      if (!this.#isOver) throw failure;
    }
  }

  async #create(): Promise<number> {
    this.#creating++;
    const id = (await this.#box.call('SVC_CreateVariable', VARIABLE_OF_TYPE_STRING)) as number;
    this.#creating--;
    this.#states.set(id, {});
    this.acknowledged++;
    return id;
  }

  async #make(id: number, change: State, [method, ...params]: [string, ...unknown[]]): Promise<void> {
    this.#asked.set(id, change);
    await this.#box.call(method, id, ...params);
    this.#asked.delete(id);
    this.#states.set(id, change === 'deleted' ? change : { ...(this.#states.get(id) as Known), ...change });
    this.acknowledged++;
  }
}
