import type { Random } from '../../tools/random.js';

/** Stands for the id that an earlier step of the sequence made, so that a sequence means the same in every run. */
export interface Ref {
  /** Which creation of the sequence; -1 is the root, -2 an object that never was. */
  readonly made: number;
  /** One of the variables that an instance brought along, by its ident. */
  readonly ident?: string;
}

/** One call, to be made when what it refers to is known. */
export interface Step {
  readonly name: string;
  readonly params: readonly unknown[];
  /** For those that create: its place among the creations, so that leaving out steps renames nothing. */
  readonly made?: number;
}

export const isRef = (param: unknown): param is Ref =>
  typeof param === 'object' && param !== null && 'made' in param;

export const ROOT: Ref = { made: -1 };
export const NEVER: Ref = { made: -2 };

const IDENTS = ['', 'a', 'b', 'Light_1', 'not an ident', 'ä'];
const NAMES = ['', 'Lamp', 'Blind', 'ä "quoted"\n'];
const PROFILES = ['Own', 'Other', 'Third', '~Switch', '~Temperature', '~Intensity.100', 'Nowhere', '', 'a~b'];
const TEXTS = ['', 'x', ' °C', '\u{1F600}'];
const VALUES = [true, false, 0, 1, 3, -2.5, 2.5, 21.5, '3', 'true', 'x', '', null, [1], 2 ** 53];

type Kind = 'category' | 'instance' | 'variable' | 'script' | 'link';

/** Makes up a sequence of calls from a seed; it needs to know nothing of what comes of them. */
export class Author {
  readonly #random: Random;
  readonly #module: string;
  readonly #kinds: Kind[] = [];

  constructor(random: Random, module: string) {
    this.#random = random;
    this.#module = module;
  }

  sequence(length: number): Step[] {
    const steps: Step[] = [];
    while (steps.length < length) {
      if (this.#kinds.length < 4 || this.#random.chance(0.15)) steps.push(this.#creation());
      else steps.push(...this.#any());
    }
    return steps;
  }

  #creation(): Step {
    const random = this.#random;
    const [kind, name, ...params] = random.pick<readonly [Kind, string, ...unknown[]]>([
      ['category', 'SVC_CreateCategory'],
      ['variable', 'SVC_CreateVariable', random.below(4)],
      ['variable', 'SVC_CreateVariable', random.below(4)],
      ['link', 'SVC_CreateLink'],
      ['script', 'SVC_CreateScript', 0],
      ['instance', 'SVC_CreateInstance', this.#module],
    ]);
    return { name, params, made: this.#kinds.push(kind) - 1 };
  }

  #any(): Step[] {
    const random = this.#random;
    if (random.chance(0.1)) return this.#deletion();
    const id = this.#ref();
    const variable = this.#ref('variable');
    const profile = random.pick(PROFILES);
    const number = random.pick([0, 1, -3, 2.5, 100]);
    const type = random.below(4);
    const choices: (readonly [string, ...unknown[]])[] = [
      ['SVC_SetName', id, random.pick(NAMES)],
      ['SVC_SetName', id, 'Lamp'],
      ['SVC_SetIdent', id, random.pick(IDENTS)],
      ['SVC_SetPosition', id, random.below(5) - 2],
      ['SVC_SetHidden', id, random.chance(0.5)],
      ['SVC_SetDisabled', id, random.chance(0.5)],
      ['SVC_SetIcon', id, random.pick(TEXTS)],
      ['SVC_SetInfo', id, random.pick(TEXTS)],
      ['SVC_SetParent', id, random.chance(0.2) ? ROOT : this.#ref()],
      ['SVC_SetParent', id, this.#ref('category')],
      ['SVC_SetLinkTargetID', this.#ref('link'), random.chance(0.2) ? ROOT : this.#ref()],
      ['SVC_SetVariableCustomProfile', variable, profile],
      ['SVC_SetVariableCustomAction', variable, this.#action()],
      ['SetValue', variable, random.pick(VALUES)],
      ['SetValue', variable, random.pick(VALUES)],
      ['SetValueBoolean', variable, random.chance(0.5)],
      ['SetValueInteger', variable, random.below(9)],
      ['SetValueFloat', variable, number],
      ['SetValueString', variable, random.pick(TEXTS)],
      ['SVC_CreateVariableProfile', profile, type],
      ['SVC_SetVariableProfileText', profile, random.pick(TEXTS), random.pick(TEXTS)],
      ['SVC_SetVariableProfileValues', profile, number, number, 1],
      ['SVC_SetVariableProfileDigits', profile, random.below(20) - 2],
      ['SVC_SetVariableProfileIcon', profile, random.pick(TEXTS)],
      ['SVC_SetVariableProfileAssociation', profile, random.pick(VALUES), ...this.#label()],
      ['SVC_SetVariableProfileAssociation', profile, random.pick(VALUES), ...this.#label()],
    ];
    const [name, ...params] = random.pick(choices);
    return [{ name, params }];
  }

  /** A deletion, of the right kind mostly; an instance goes with the variables that it brought along, or does not go. */
  #deletion(): Step[] {
    const random = this.#random;
    if (random.chance(0.15)) return [{ name: 'SVC_DeleteVariableProfile', params: [random.pick(PROFILES)] }];
    const made = random.below(this.#kinds.length);
    const kind = random.chance(0.1) ? 'category' : (this.#kinds[made] ?? 'category');
    const own = ['LINK', 'STATUS'].map((ident) => ({
      name: 'SVC_DeleteVariable',
      params: [{ made, ident }],
    }));
    const before = kind === 'instance' && random.chance(0.5) ? own : [];
    const name = `SVC_Delete${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
    const more = kind === 'script' ? [random.chance(0.5)] : [];
    return [...before, { name, params: [{ made }, ...more] }];
  }

  #ref(wanted?: Kind): Ref {
    const random = this.#random;
    if (random.chance(0.03)) return random.pick([ROOT, NEVER]);
    const fitting = this.#kinds.flatMap((kind, made) =>
      wanted === undefined || kind === wanted || random.chance(0.05) ? [made] : [],
    );
    const made = fitting.length === 0 ? random.below(this.#kinds.length) : random.pick(fitting);
    const hasOwn = this.#kinds[made] === 'instance' && random.chance(0.2);
    return hasOwn ? { made, ident: random.pick(['LINK', 'STATUS']) } : { made };
  }

  #action(): unknown {
    return this.#random.chance(0.3)
      ? this.#random.pick([0, 1])
      : this.#ref(this.#random.pick(['script', 'instance']));
  }

  #label(): readonly [string, string, number] {
    const random = this.#random;
    return [random.pick(['', 'On', 'Off']), random.pick(['', 'Bulb']), random.below(300) - 1];
  }
}
