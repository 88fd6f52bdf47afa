/**
 * The outputs that the proof watches, all policies at once: five of the machine's PL061, whose pins the host
 * sees, two of it that exclude each other, and three of the kernel's simulated chip, which fall to their pull
 * at once if anybody lets them go. Those three are active low.
 */

/**
 * What a line does when its gateway is gone: `late` is held for {@link HOLD_S}, `back` for longer than any
 * gateway is gone here.
 */
export type Policy = 'hold' | 'active' | 'inactive' | 'late' | 'back';

/** One output. */
export interface Line {
  readonly ident: string;
  readonly chip: keyof typeof CHIPS;
  readonly offset: number;
  readonly policy: Policy;
}

/** The labels of the chips. */
export const CHIPS = { pl061: '9030000.pl061', sim: 'lab' } as const;
/** How long `late` is held after the gateway's end before it becomes inactive, s. */
export const HOLD_S = 1;
/** How long of the pair both are inactive at least, ms. */
export const DEAD_TIME_MS = 20;

/** Two relays of which at most one may be active. */
export const PAIR = [
  { ident: 'opens', chip: 'pl061', offset: 6, policy: 'back' },
  { ident: 'closes', chip: 'pl061', offset: 7, policy: 'back' },
] as const satisfies readonly Line[];

/** All of them. Pin 3 is the machine's power button. */
export const LINES: readonly Line[] = [
  { ident: 'holds', chip: 'pl061', offset: 0, policy: 'hold' },
  { ident: 'on', chip: 'pl061', offset: 1, policy: 'active' },
  { ident: 'off', chip: 'pl061', offset: 2, policy: 'inactive' },
  { ident: 'late', chip: 'pl061', offset: 4, policy: 'late' },
  { ident: 'back', chip: 'pl061', offset: 5, policy: 'back' },
  ...PAIR,
  { ident: 'sim_holds', chip: 'sim', offset: 0, policy: 'hold' },
  { ident: 'sim_on', chip: 'sim', offset: 1, policy: 'active' },
  { ident: 'sim_off', chip: 'sim', offset: 2, policy: 'inactive' },
];

const isOfPair = (line: Line): boolean => PAIR.some(({ ident }) => ident === line.ident);

/** The `tree` of the configuration. */
export const TREE = LINES.map((line) => {
  const { ident, chip, offset } = line;
  const properties = {
    Chip: CHIPS[chip],
    Line: `${offset}`,
    ActiveLow: chip === 'sim',
    ...policyOf(line),
    ...(isOfPair(line) ? { Interlock: 'gate', DeadTimeMs: DEAD_TIME_MS } : {}),
  };
  // Both ways in which a module drives a line.
  const module = chip === 'sim' || isOfPair(line) ? 'Relay' : 'GPIO Output';
  return `- { instance: ${ident}, ident: ${ident}, module: ${module}, properties: ${JSON.stringify(properties)} }`;
}).join('\n');

function policyOf({ policy }: Line): Record<string, unknown> {
  switch (policy) {
    case 'late':
      return { HoldForS: HOLD_S };
    case 'back':
      return { HoldForS: 3600 };
    case 'hold':
    case 'active':
    case 'inactive':
      return { Boot: policy, OnDeath: policy, OnStop: policy, OnUpdate: policy, HoldForS: 0 };
  }
}

/**
 * Whether a line is active when a round begins: one round from where its policy moves it, the next from where
 * it leaves it.
 */
export function before(line: Line, round: number): boolean {
  const isOdd = round % 2 === 1;
  return line.policy === 'active' || line.ident === PAIR[1].ident ? !isOdd : isOdd;
}

/**
 * The moves (to active or not) that a line's policy makes after its gateway's end, from what it was. Nothing
 * else is allowed.
 */
export function allowed({ policy }: Line, was: boolean): boolean[] {
  const becomes = { hold: was, back: was, active: true, inactive: false, late: false }[policy];
  return becomes === was ? [] : [becomes];
}
