import { coded, type Text } from '../../src/base/codes/coded-text.js';
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
import { withAdvancedHelp, withHelp } from '../../src/device/toolkit/property-help.js';

/** A module of this driver: all of them are devices, and their functions share a prefix. */
export const gpioModule = <S extends TObject>(
  definition: Omit<ModuleDefinition<S>, 'kind' | 'prefix'>,
): ModuleDefinition<S> => ({ ...definition, kind: moduleKind.device, prefix: 'HW' });

/** The properties that select a line. */
export const lineProperties = {
  Chip: withAdvancedHelp(
    Type.String({ default: '', maxLength: 64, source: 'chip' }),
    'Line',
    'The label of the chip; empty for any chip that has the line.',
  ),
  Line: withHelp(
    Type.String({ default: '', maxLength: 64, refers: referenceKind.line }),
    'Line',
    'The name of the line on the board or in the kernel, or its offset on the chip.',
  ),
  ActiveLow: withHelp(Type.Boolean({ default: false }), 'Line', 'The line is active at low level.'),
  Backend: withAdvancedHelp(
    enumProperty(['auto', ...backendNames] as const, 'auto'),
    'Line',
    'The kernel interface through which the line is used.',
  ),
};

/** Maximum debounce time, µs: no contact bounces for longer. */
const DEBOUNCE_MAX_US = 10_000_000;

/** The properties of a module that watches one line. */
export const inputProperties = (defaultDebounceUs: number) => ({
  ...lineProperties,
  Bias: withHelp(
    enumProperty(biases, 'as-is'),
    'Line',
    'The resistor that pulls the line up or down while nothing drives it.',
  ),
  DebounceUs: withHelp(
    Type.Integer({ default: defaultDebounceUs, minimum: 0, maximum: DEBOUNCE_MAX_US }),
    'Line',
    'A level counts after it was stable for this time.',
  ),
});

const inputSchema = Type.Object(inputProperties(0));
/** The values of {@link inputProperties}. */
export type InputProperties = Static<typeof inputSchema>;

/** The validation error of an instance without a line; undefined if it has one. */
export const missingLineError = ({ Line }: { readonly Line: string }): Text | undefined =>
  Line === '' ? coded`LINE_EMPTY: Line is empty: set it to the name of a line, or its offset` : undefined;

/** Maximum of `HoldForS`, that of the line keeper (`keeper/table.h`): 31 days. */
const LONGEST_HOLD_S = 31 * 24 * 3600;
/** Maximum of `SilentAfterS`: a week; timers are limited to 24 days. */
const LONGEST_SILENCE_S = 7 * 24 * 3600;

/**
 * The value that an output gets when its machine, its gateway or its source of commands fails
 * (`docs/hardware/safe-outputs.md`).
 */
export const outputPolicies = {
  Boot: withHelp(
    enumProperty(statePolicies, 'hold'),
    'When something fails',
    'What happens to the output when the gateway starts.',
  ),
  OnDeath: withHelp(
    enumProperty(statePolicies, 'hold'),
    'When something fails',
    'What happens to the output when the gateway crashes.',
  ),
  OnStop: withHelp(
    enumProperty(statePolicies, 'hold'),
    'When something fails',
    'What happens to the output when the gateway is stopped.',
  ),
  OnUpdate: withAdvancedHelp(
    enumProperty(statePolicies, 'hold'),
    'When something fails',
    'What happens to the output while the gateway is updated.',
  ),
  HoldForS: withAdvancedHelp(
    Type.Integer({ default: 120, minimum: 0, maximum: LONGEST_HOLD_S }),
    'When something fails',
    'How long the output is held without a gateway; 0 is indefinitely.',
  ),
  OnLost: withAdvancedHelp(
    enumProperty(statePolicies, 'hold'),
    'When something fails',
    'What happens to the output when its chip is connected again.',
  ),
  OnSilence: withHelp(
    enumProperty(statePolicies, 'hold'),
    'When something fails',
    'What happens to the output without a command for the time below.',
  ),
  SilentAfterS: withHelp(
    Type.Number({ default: 0, minimum: 0, maximum: LONGEST_SILENCE_S }),
    'When something fails',
    'The time without a command after which the output changes; 0 is never.',
  ),
};

/** The properties of a module that drives one line. */
export const outputProperties = {
  ...lineProperties,
  Drive: withAdvancedHelp(enumProperty(drives, 'push-pull'), 'Line', 'How the output drives its line.'),
  ...outputPolicies,
};

/** The state of an input. */
export const inputState: VariableDeclaration = {
  ident: 'STATE',
  name: 'State',
  type: variableType.boolean,
  role: 'main',
  profile: '~Switch',
  position: 1,
};

/** The state of an output, which is also how it is switched. */
export const outputState: VariableDeclaration = { ...inputState, action: true };
