import { type Static, Type } from '@sinclair/typebox';
import { enumProperty, statePolicies } from '../../src/device/toolkit/enum-property.js';
import { referenceKind, type VariableDeclaration, variableType } from '../../src/device/module.js';
import { backendNames, biases, drives } from './backends/line.js';

/** What all modules need to know to find their line. */
export const lineProperties = {
  /** A chip's label; empty: whichever chip has the line. */
  Chip: Type.String({ default: '', maxLength: 64 }),
  /** A name of the board's or the kernel's, or an offset on the chip. */
  Line: Type.String({ default: '', maxLength: 64, refers: referenceKind.line }),
  ActiveLow: Type.Boolean({ default: false }),
  Backend: enumProperty(['auto', ...backendNames] as const, 'auto'),
};

/** Longer than this is no contact bouncing. */
const DEBOUNCE_MAX_US = 10_000_000;

/** What a module that watches one line needs to know of it; `debounceUs` unless another is set. */
export const inputProperties = (debounceUs: number) => ({
  ...lineProperties,
  Bias: enumProperty(biases, 'as-is'),
  DebounceUs: Type.Integer({ default: debounceUs, minimum: 0, maximum: DEBOUNCE_MAX_US }),
});

const anInput = Type.Object(inputProperties(0));
/** {@link inputProperties}, set. */
export type InputProperties = Static<typeof anInput>;

/** The mistake of a module of one line that was given none. */
export const missingLineError = ({ Line }: { readonly Line: string }): string | undefined =>
  Line === '' ? 'Line is empty: give the name of a line, or its offset' : undefined;

/** The keeper's most (`keeper/table.h`): a month; longer is for ever. */
const LONGEST_HOLD_S = 31 * 24 * 3600;
/** A week, as of all times here: timers hold 24 days. */
const LONGEST_SILENCE_S = 7 * 24 * 3600;

/** What an output becomes when something happens to what commands it (`docs/hardware/safe-outputs.md`). */
export const outputPolicies = {
  Boot: enumProperty(statePolicies, 'hold'),
  OnDeath: enumProperty(statePolicies, 'hold'),
  OnStop: enumProperty(statePolicies, 'hold'),
  OnUpdate: enumProperty(statePolicies, 'hold'),
  HoldForS: Type.Integer({ default: 120, minimum: 0, maximum: LONGEST_HOLD_S }),
  OnLost: enumProperty(statePolicies, 'hold'),
  OnSilence: enumProperty(statePolicies, 'hold'),
  SilentAfterS: Type.Number({ default: 0, minimum: 0, maximum: LONGEST_SILENCE_S }),
};

/** What a module that drives one line needs to know. */
export const outputProperties = {
  ...lineProperties,
  Drive: enumProperty(drives, 'push-pull'),
  ...outputPolicies,
};

/** What such a line is, and the way to switch it. */
export const outputState: VariableDeclaration = {
  ident: 'STATE',
  name: 'State',
  type: variableType.boolean,
  profile: '~Switch',
  action: true,
  position: 1,
};
