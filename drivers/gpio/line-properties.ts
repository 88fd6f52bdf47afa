import { type Static, type TObject, Type } from '@sinclair/typebox';
import {
  moduleKind,
  type ModuleDefinition,
  referenceKind,
  type VariableDeclaration,
  variableType,
} from '../../src/device/module.js';
import { enumProperty, statePolicies } from '../../src/device/toolkit/enum-property.js';
import { backendNames, biases, drives } from './backends/line.js';

/** Completes the definition of a module: all modules of this driver are devices and share a prefix. */
export const gpioModule = <S extends TObject>(
  definition: Omit<ModuleDefinition<S>, 'kind' | 'prefix'>,
): ModuleDefinition<S> => ({ ...definition, kind: moduleKind.device, prefix: 'HW' });

/** The properties that select a line. */
export const lineProperties = {
  /** A chip's label; empty for any chip that has the line. */
  Chip: Type.String({ default: '', maxLength: 64 }),
  /** The line's name on the board or in the kernel, or its offset on the chip. */
  Line: Type.String({ default: '', maxLength: 64, refers: referenceKind.line }),
  ActiveLow: Type.Boolean({ default: false }),
  Backend: enumProperty(['auto', ...backendNames] as const, 'auto'),
};

/** No contact bounces for longer than this. */
const DEBOUNCE_MAX_US = 10_000_000;

/** The properties of a module that watches one line. */
export const inputProperties = (defaultDebounceUs: number) => ({
  ...lineProperties,
  Bias: enumProperty(biases, 'as-is'),
  DebounceUs: Type.Integer({ default: defaultDebounceUs, minimum: 0, maximum: DEBOUNCE_MAX_US }),
});

const inputSchema = Type.Object(inputProperties(0));
/** The values of {@link inputProperties}. */
export type InputProperties = Static<typeof inputSchema>;

/** The validation error of a module of one line that has none; undefined if it has one. */
export const missingLineError = ({ Line }: { readonly Line: string }): string | undefined =>
  Line === '' ? 'Line is empty: set it to the name of a line, or its offset' : undefined;

/** The keeper's maximum (`keeper/table.h`): a month. */
const LONGEST_HOLD_S = 31 * 24 * 3600;
/** A week; timers are limited to 24 days. */
const LONGEST_SILENCE_S = 7 * 24 * 3600;

/**
 * What an output becomes when its machine, its gateway or its source of commands fails
 * (`docs/hardware/safe-outputs.md`).
 */
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

/** The properties of a module that drives one line. */
export const outputProperties = {
  ...lineProperties,
  Drive: enumProperty(drives, 'push-pull'),
  ...outputPolicies,
};

/** The state of an output, which is also how it is switched. */
export const outputState: VariableDeclaration = {
  ident: 'STATE',
  name: 'State',
  type: variableType.boolean,
  role: 'main',
  profile: '~Switch',
  action: true,
  position: 1,
};
