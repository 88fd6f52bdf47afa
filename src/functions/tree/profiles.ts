import { fault } from '../../base/fault.js';
import { declare, float, int, text, variant, type FunctionDeclaration } from '../../device/declare.js';
import { convertValue } from '../../kernel/convert.js';
import type { Profile } from '../../kernel/profiles/profile-data.js';
import type { VariableType } from '../../kernel/value.js';
import { variableTypes } from '../enumerations.js';
import type { Ports } from '../ports.js';
import * as shapes from '../shapes.js';

/** No colour (interface §2.1). */
const NO_COLOR = -1;
const MAX_COLOR = 0xff_ff_ff;

/** Variable profiles: format and limits of values (interface §5, §9). */
export function profileFunctions(ports: Ports): FunctionDeclaration[] {
  return [...readers(ports), ...changes(ports), association(ports)];
}

function readers({ kernel: { profiles } }: Ports): FunctionDeclaration[] {
  return [
    declare({
      name: 'SVC_VariableProfileExists',
      parameters: [text('ProfileName')],
      result: 'boolean',
      help: 'Whether a profile with this name exists.',
      run: (_caller, name) => profiles.find(name) !== undefined,
    }),
    declare({
      name: 'SVC_GetVariableProfile',
      parameters: [text('ProfileName')],
      result: 'array',
      shape: shapes.profileRecord,
      help: 'The properties of a profile.',
      run: (_caller, name) => record(profiles.get(name)),
    }),
    declare({
      name: 'SVC_GetVariableProfileList',
      parameters: [],
      result: 'array',
      shape: shapes.texts,
      help: 'The names of all profiles.',
      run: () => Array.from(profiles.all(), ({ name }) => name),
    }),
    declare({
      name: 'SVC_GetVariableProfileListByType',
      parameters: [int('ProfileType', variableTypes)],
      result: 'array',
      shape: shapes.texts,
      help: 'The names of the profiles for a type of variable.',
      run: (_caller, type) =>
        [...profiles.all()].filter((profile) => profile.type === type).map(({ name }) => name),
    }),
  ];
}

function changes({ kernel: { profiles } }: Ports): FunctionDeclaration[] {
  return [
    declare({
      name: 'SVC_CreateVariableProfile',
      parameters: [text('ProfileName'), int('ProfileType', variableTypes)],
      result: 'boolean',
      audited: true,
      help: 'Creates an empty profile.',
      run: (_caller, name, type) => done(profiles.create(name, type as VariableType)),
    }),
    declare({
      name: 'SVC_DeleteVariableProfile',
      parameters: [text('ProfileName')],
      result: 'boolean',
      audited: true,
      help: 'Deletes a profile. Variables with it as custom profile show "Invalid profile"; variables of instances continue without it, and the instance reports that.',
      run: (_caller, name) => done(profiles.delete(name)),
    }),
    declare({
      name: 'SVC_SetVariableProfileText',
      parameters: [text('ProfileName'), text('Prefix'), text('Suffix')],
      result: 'boolean',
      audited: true,
      help: 'Sets the prefix and the suffix of values.',
      run: (_caller, name, prefix, suffix) => done(profiles.setText(name, prefix, suffix)),
    }),
    declare({
      name: 'SVC_SetVariableProfileValues',
      parameters: [text('ProfileName'), float('MinValue'), float('MaxValue'), float('StepSize')],
      result: 'boolean',
      audited: true,
      help: 'Sets the range and the step of values; all 0: no limits.',
      run: (_caller, name, min, max, step) => done(profiles.setValues(name, { min, max, step })),
    }),
    declare({
      name: 'SVC_SetVariableProfileDigits',
      parameters: [text('ProfileName'), int('Digits')],
      result: 'boolean',
      audited: true,
      help: 'Sets the number of decimals.',
      run: (_caller, name, digits) => done(profiles.setDigits(name, digits)),
    }),
    declare({
      name: 'SVC_SetVariableProfileIcon',
      parameters: [text('ProfileName'), text('Icon')],
      result: 'boolean',
      audited: true,
      help: 'Sets the icon of a profile.',
      run: (_caller, name, icon) => done(profiles.setIcon(name, icon)),
    }),
  ];
}

function association({ kernel: { profiles } }: Ports): FunctionDeclaration {
  return declare({
    name: 'SVC_SetVariableProfileAssociation',
    parameters: [
      text('ProfileName'),
      variant('AssociationValue', shapes.value),
      text('AssociationName'),
      text('AssociationIcon'),
      int('AssociationColor'),
    ],
    result: 'boolean',
    audited: true,
    help: 'Adds or changes the name, icon and colour for a value; an empty name with an empty icon deletes the entry. Colour −1 means no colour.',
    run: (_caller, profileName, given, name, icon, color) => {
      if (color < NO_COLOR || color > MAX_COLOR) throw fault('PARAMETER_BOUNDS', 'AssociationColor');
      const value = convertValue(profiles.get(profileName).type, given, 'AssociationValue');
      return done(profiles.setAssociation(profileName, { value, name, icon, color }));
    },
  });
}

/** The kernel's setters return nothing; those of the interface return true. */
function done(_: void): true {
  return true;
}

/** The result of `SVC_GetVariableProfile` (interface §2.1). */
function record(profile: Profile) {
  return {
    ProfileName: profile.name,
    ProfileType: profile.type,
    Icon: profile.icon,
    Prefix: profile.prefix,
    Suffix: profile.suffix,
    MinValue: profile.min,
    MaxValue: profile.max,
    StepSize: profile.step,
    Digits: profile.digits,
    IsReadOnly: profile.readOnly,
    Associations: profile.associations.map(({ value, name, icon, color }) => ({
      Value: value,
      Name: name,
      Icon: icon,
      Color: color,
    })),
  };
}
