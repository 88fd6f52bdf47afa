import type { Random } from '../../tools/random.js';
import { choicesOf, families } from './call-choices.js';
import { conditionSteps, setupSteps } from './events/event-choices.js';
import { TEXTS } from './scripts.js';
import {
  DEVICE,
  IO,
  MISSING,
  ROOT,
  UTILITY,
  type Vocabulary,
  type Choice,
  type Chooser,
  type Family,
  type Kind,
  type CreatedObject,
  type Ref,
  type Step,
} from './steps.js';

const DELETION: CreatedObject = { kind: 'deletion', type: 0 };
const TASK: CreatedObject = { kind: 'task', type: 0 };

/** Generates a sequence of calls from a seed, without knowing their outcome. */
export class CallGenerator implements Chooser {
  readonly random: Random;
  readonly cast: Vocabulary;
  readonly #made: CreatedObject[] = [];
  /** The objects whose deletion it has generated, whether or not it succeeds. */
  readonly #gone = new Set<number>();

  constructor(random: Random, cast: Vocabulary) {
    this.random = random;
    this.cast = cast;
  }

  /** More than half of a sequence is about one kind of object, so that many states of it are combined. */
  sequence(length: number, theme = this.random.pick(this.cast.families)): Step[] {
    const { random, cast } = this;
    const steps = [
      ...(this.#made.length === 0 ? this.#beginning() : []),
      ...this.#creation(theme),
      ...this.#creation(theme),
    ];
    while (steps.length < length) {
      const family = random.chance(0.6) ? theme : random.pick(cast.families);
      if (random.chance(0.12)) steps.push(...this.#creation(family));
      else if (random.chance(0.06)) steps.push(...this.#deletion());
      else if (random.chance(0.03)) steps.push(...this.#undo());
      else if (random.chance(0.02)) steps.push(...this.#tasks());
      else steps.push(this.#step(random.pick(choicesOf(family, this))));
    }
    return steps;
  }

  /** Waits until everything before it is on the disk. */
  last(): Step {
    return this.#step(['SVC_CreateCategory'], { kind: 'category', type: 0 });
  }

  /** The objects that most steps need. */
  #beginning(): Step[] {
    const numbers = [0, 1 + this.random.below(2)];
    const makes = [...numbers, 3].map((type) =>
      this.#step(['SVC_CreateVariable', type], { kind: 'variable', type }),
    );
    return [this.last(), ...makes];
  }

  #step([name, ...params]: Choice, made?: CreatedObject): Step {
    return { name, params, ...(made !== undefined && { made: this.#made.push(made) - 1 }) };
  }

  #creation(family: Family): Step[] {
    const { random, cast } = this;
    const type = random.below(4);
    const common: (readonly [Choice, CreatedObject])[] = [
      [['SVC_CreateVariable', type], { kind: 'variable', type }],
      [['SVC_CreateCategory'], { kind: 'category', type: 0 }],
      [['SVC_CreateLink'], { kind: 'link', type: 0 }],
      [['SVC_CreateScript', 0], { kind: 'script', type: 0 }],
    ];
    const own: (readonly [Choice, CreatedObject])[] = families[family].makes(random).map((made) => {
      if (made.kind === 'instance')
        return [['SVC_CreateInstance', made.type === IO ? cast.io : cast.device], made];
      const name = `SVC_Create${made.kind.charAt(0).toUpperCase()}${made.kind.slice(1)}`;
      return [[name, made.type], made];
    });
    const isCopy = random.chance(0.1);
    if (isCopy) return [this.#copy()];
    const [choice, made] = random.pick(own.length > 0 && random.chance(0.6) ? own : common);
    const creation = this.#step(choice, made);
    if (made.kind !== 'event' || random.chance(0.3)) return [creation];
    const ref = { made: this.#made.length - 1 };
    const more = [
      ...setupSteps(this, made.type, ref),
      ...(family === 'conditions' ? conditionSteps(this, ref) : []),
    ];
    return [creation, ...more.map((one) => this.#step(one))];
  }

  /** A copy of an object whose copies are simple. */
  #copy(): Step {
    const kinds: readonly Kind[] = ['category', 'variable', 'event', 'link'];
    const simple = this.#made.flatMap((one, made) => (kinds.includes(one.kind) ? [made] : []));
    if (simple.length === 0) return this.last();
    const made = this.random.pick(simple);
    return this.#step(['UC_DuplicateObject', UTILITY, { made }, this.ref(), false], this.#made[made]);
  }

  /** A deletion, mostly with the right function; an instance is deleted with its variables, or not at all. */
  #deletion(): Step[] {
    const { random } = this;
    const made = random.below(this.#made.length);
    this.#gone.add(made);
    if (random.chance(0.15)) return [this.#step(['UC_DeleteObjects', UTILITY, [{ made }, this.ref()]])];
    if (random.chance(0.15)) return [this.#step(['GW_DeleteObject', { made }, random.chance(0.5)], DELETION)];
    const known = this.#made[made]!.kind;
    const kind = known === 'deletion' || known === 'task' || random.chance(0.1) ? 'category' : known;
    const own = ['LINK', 'STATUS', 'STATE', 'LEVEL'].map((ident) =>
      this.#step(['SVC_DeleteVariable', { made, ident }]),
    );
    const before = kind === 'instance' && random.chance(0.5) ? own : [];
    const name = `SVC_Delete${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
    const more = kind === 'script' || kind === 'media' ? [random.chance(0.5)] : [];
    return [...before, this.#step([name, { made }, ...more])];
  }

  /**
   * Objects that are created, deleted together, and restored a few steps later. Nothing outside refers to them
   * before: that has tests of its own.
   */
  #undo(): Step[] {
    const { random } = this;
    const steps: Step[] = [];
    const add = (choice: Choice, made?: CreatedObject): Ref => {
      steps.push(this.#step(choice, made));
      return { made: this.#made.length - 1 };
    };
    const type = random.below(4);
    const above = add(['SVC_CreateCategory'], { kind: 'category', type: 0 });
    const variable = add(['SVC_CreateVariable', type], { kind: 'variable', type });
    const link = add(['SVC_CreateLink'], { kind: 'link', type: 0 });
    add(['SVC_SetParent', variable, above]);
    add(['SVC_SetParent', link, random.chance(0.5) ? above : variable]);
    const ident = random.pick(['', 'a', 'b']);
    add(['SVC_SetIdent', above, ident]);
    add(['SVC_SetName', variable, 'Lamp']);
    add(['SVC_SetVariableCustomProfile', variable, random.pick(['Own', '~Switch', ''])]);
    add(['SVC_SetLinkTargetID', link, random.pick([variable, above])]);
    const parent = random.chance(0.5) ? ROOT : this.ref('category');
    add(['SVC_SetParent', above, parent]);
    add(['SetValue', variable, random.pick([true, 3, 2.5, 'x'])]);
    this.#undoneObject(add, above, variable);
    const deletion = add(['GW_DeleteObject', above, random.chance(0.5)], DELETION);
    if (random.chance(0.3)) {
      const rival = add(['SVC_CreateCategory'], { kind: 'category', type: 0 });
      add(['SVC_SetParent', rival, parent]);
      add(['SVC_SetIdent', rival, ident]);
    }
    for (let n = random.below(4); n > 0; n--) steps.push(this.#step(random.pick(choicesOf('objects', this))));
    add(['GW_RestoreDeleted', random.chance(0.05) ? MISSING : deletion]);
    if (random.chance(0.2)) add(['GW_RestoreDeleted', deletion]);
    return steps;
  }

  /** Two tasks of clients that are reported, cancelled and ended, also after their end. */
  #tasks(): Step[] {
    const { random } = this;
    const begin = (): Step =>
      this.#step(['GW_BeginTask', random.pick(['export', 'import', 'backup']), random.below(9) - 1], TASK);
    const steps = [begin(), begin()];
    const tasks = [this.#made.length - 2, this.#made.length - 1];
    for (let n = random.below(6); n > 0; n--) {
      const task = random.chance(0.1) ? MISSING : { made: random.pick(tasks) };
      const report: Choice = ['GW_ReportTask', task, random.below(9)];
      steps.push(
        this.#step(random.pick<Choice>([report, report, ['GW_CancelTask', task], ['GW_EndTask', task]])),
      );
    }
    return [...steps, ...tasks.map((made) => this.#step(['GW_EndTask', { made }]))];
  }

  /** An object of one of the other types, below the first: an event of the variable, or one that has content. */
  #undoneObject(add: (choice: Choice, made?: CreatedObject) => Ref, above: Ref, variable: Ref): void {
    const { random, cast } = this;
    const kind = random.pick(['event', 'instance', 'script', 'media'] as const);
    if (kind === 'event') {
      const event = add(['SVC_CreateEvent', 0], { kind, type: 0 });
      add(['SVC_SetParent', event, above]);
      add(['SVC_SetEventTrigger', event, 1, variable]);
    } else if (kind === 'instance') {
      const device = add(['SVC_CreateInstance', cast.device], { kind, type: DEVICE });
      const io = add(['SVC_CreateInstance', cast.io], { kind, type: IO });
      add(['SVC_ConnectInstance', device, io]);
      add(['SVC_SetParent', device, above]);
      if (random.chance(0.5)) add(['SVC_SetParent', io, above]);
      const [name, value] = random.pick(cast.settings);
      add(['SVC_SetProperty', device, name, value]);
      add(['SVC_ApplyChanges', device]);
    } else if (kind === 'script') {
      const script = add(['SVC_CreateScript', 0], { kind, type: 0 });
      add(['SVC_SetParent', script, above]);
      if (cast.families.includes('scripts')) add(['SVC_SetScriptContent', script, random.pick(TEXTS).text]);
    } else {
      const type = 1 + random.below(2);
      const media = add(['SVC_CreateMedia', type], { kind, type });
      add(['SVC_SetParent', media, above]);
      add(['SVC_SetMediaContent', media, 'AAEC']);
    }
  }

  ref(expected?: Kind): Ref {
    const { random } = this;
    if (random.chance(0.03)) return random.pick([ROOT, MISSING]);
    const made = this.#pick(({ kind }) => expected === undefined || kind === expected || random.chance(0.05));
    const hasOwn = this.#made[made]?.kind === 'instance' && random.chance(0.2);
    return hasOwn ? { made, ident: random.pick(['LINK', 'STATUS']) } : { made };
  }

  exactly(expected: Kind, ...wantedTypes: number[]): Ref {
    const made = this.#pick(({ kind, type }) => kind === expected && wantedTypes.includes(type));
    const { kind, type } = this.#made[made] ?? {};
    return kind === expected && wantedTypes.includes(type ?? -1) ? { made } : MISSING;
  }

  #pick(fits: (made: CreatedObject) => boolean): number {
    const fitting = this.#made.flatMap((one, made) =>
      fits(one) && (!this.#gone.has(made) || this.random.chance(0.02)) ? [made] : [],
    );
    return fitting.length === 0 ? this.random.below(this.#made.length) : this.random.pick(fitting);
  }
}
