/**
 * A client that changes the configuration of a box as fast as it is answered, and keeps an account of what it
 * was told was done. After a power cut the box must agree with the account: nothing acknowledged may be
 * missing. What had no answer yet may be done or not.
 */
import type { Entry } from '../../tools/client/replica.js';
import type { Box } from './box.js';

/** What is known of an object. */
type Known = Partial<Pick<Entry, 'name' | 'info' | 'ident' | 'parentID'>>;
/** How an object was made to be. */
type State = Known | 'deleted';

const VARIABLE_OF_TYPE_STRING = 3;

/** See the file's head. */
export class TreeAccount {
  readonly #box: Box;
  /** What was acknowledged, by id. */
  readonly #states = new Map<number, State>();
  /** What was asked for and not answered, by id; those that have none yet are counted. */
  readonly #asked = new Map<number, State>();
  #creating = 0;
  #isOver = false;
  /** Changes acknowledged so far. */
  acknowledged = 0;

  constructor(box: Box) {
    this.#box = box;
  }

  /**
   * Creates, moves, renames and deletes variables until {@link end}, several at a time; rejects when a call
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
   * What the objects of a snapshot lack of what was acknowledged, and what was never asked for; `before` are
   * the ids of old.
   */
  disagreements(objects: Record<string, Entry>, before: ReadonlySet<string>): string[] {
    const wrong = [...this.#states].flatMap(([id, state]) =>
      this.#disagrees(id, state, objects[`ID${id}`]).map((what) => `#${id}: ${what}`),
    );
    const strays = Object.keys(objects).filter(
      (key) => !before.has(key) && !this.#states.has(Number(key.slice(2))),
    );
    return strays.length > this.#creating ? [...wrong, `nobody asked for ${strays.join(', ')}`] : wrong;
  }

  #disagrees(id: number, state: State, found: Entry | undefined): string[] {
    const requests = this.#asked.get(id) ?? {};
    if (state === 'deleted') return found === undefined ? [] : ['is there again'];
    if (found === undefined) return requests === 'deleted' ? [] : ['is gone'];
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
