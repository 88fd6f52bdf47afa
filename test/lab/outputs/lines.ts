/**
 * The outputs of the proof, with all policies: five lines of the machine's PL061, whose pins the host reads,
 * two more that are interlocked, and three active-low lines of the kernel's simulated chip, which return to
 * their pull level immediately when released.
 */

/**
 * The policies: `late` is held for {@link HOLD_S}, `back` for longer than any gateway is down here.
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
/** Dead time of the pair, ms. */
export const DEAD_TIME_MS = 20;

/** Two relays of which at most one may be active. */
export const PAIR = [
  { ident: 'opens', chip: 'pl061', offset: 6, policy: 'back' },
  { ident: 'closes', chip: 'pl061', offset: 7, policy: 'back' },
] as const satisfies readonly Line[];

/** All outputs. Pin 3 is the machine's power button. */
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

export const isOfPair = (line: Line): boolean => PAIR.some(({ ident }) => ident === line.ident);

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
  // A module without rules and one with rules.
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

/** Whether a line is active when a round begins: alternately so that its policy changes it or keeps it. */
export function before(line: Line, round: number): boolean {
  const isOdd = round % 2 === 1;
  return line.policy === 'active' || line.ident === PAIR[1].ident ? !isOdd : isOdd;
}

/** The changes that a line's policy makes after the end of the gateway. No other changes are allowed. */
export function allowed({ policy }: Line, was: boolean): boolean[] {
  const becomes = { hold: was, back: was, active: true, inactive: false, late: false }[policy];
  return becomes === was ? [] : [becomes];
}
