import { coded } from '../../base/codes/coded-text.js';
import type { TObject, TSchema } from '@sinclair/typebox';
import { fault } from '../../base/fault.js';
import { array, declare, int, text, type FunctionDeclaration } from '../../device/declare.js';
import { isSecretProperty } from '../../device/properties.js';
import type { ModuleDefinition } from '../../device/module.js';
import { instanceStatus } from '../../kernel/instances.js';
import type { Ports } from '../ports.js';
import * as shapes from '../shapes.js';
import { choicesOf, choiceSources, sourceOf } from './choices.js';
import { propertyProblems } from './property-check.js';

/**
 * Configuration forms (interface §9), generated from the properties of modules, without their values; and what
 * they need to be filled in.
 */
export function configurationFormFunctions(ports: Ports): FunctionDeclaration[] {
  const { kernel, devices } = ports;
  return [
    declare({
      name: 'SVC_GetConfigurationForm',
      parameters: [int('InstanceID')],
      result: 'string',
      help: 'The configuration form of an instance, as JSON: its elements, and the captions of its statuses.',
      run: (_caller, id) =>
        JSON.stringify(formOf(devices.modules.get(kernel.instances.get(id).data.moduleId))),
    }),
    declare({
      name: 'SVC_GetModuleForm',
      parameters: [text('ModuleID')],
      result: 'string',
      help: 'The configuration form for a new instance of a module, as SVC_GetConfigurationForm returns it.',
      run: (_caller, id) => JSON.stringify(formOf(devices.modules.get(id))),
    }),
    declare({
      name: 'GW_GetChoices',
      parameters: [text('Source')],
      result: 'array',
      shape: shapes.choices,
      help: `What this machine offers for a field of a form, by the source of the field: ${choiceSources.join(', ')}.`,
      run: (_caller, given) => {
        const source = choiceSources.find((one) => one === given);
        if (source === undefined)
          throw fault(
            'PARAMETER_TYPE',
            'Source',
            coded`EXPECTED_ONE_OF: expected one of ${choiceSources.join(', ')}`,
          );
        return choicesOf(ports, source);
      },
    }),
    declare({
      name: 'GW_CheckProperties',
      parameters: [text('ModuleID'), int('InstanceID'), array('Properties', shapes.record)],
      result: 'array',
      shape: shapes.propertyProblems,
      help: 'The problems that an instance would have if these properties were set; InstanceID 0: a new instance. Changes nothing.',
      run: (_caller, moduleId, id, given) => {
        const instance = id === 0 ? undefined : kernel.instances.get(id);
        const module = devices.modules.get(moduleId);
        if (instance !== undefined && instance.data.moduleId !== module.id)
          throw fault('WRONG_MODULE', id, module.name);
        // PHP encodes an empty map as an empty list.
        if (Array.isArray(given) && given.length > 0)
          throw fault('PARAMETER_TYPE', 'Properties', coded`EXPECTED_OBJECT: expected an object`);
        return propertyProblems(ports, { module, instance }, Array.isArray(given) ? {} : given);
      },
    }),
  ];
}

/** Caption and icon of each status. */
const statuses: readonly (readonly [code: number, icon: string, caption: string])[] = [
  [instanceStatus.active, 'active', 'online'],
  [instanceStatus.inactive, 'inactive', 'closed'],
  [instanceStatus.configurationInvalid, 'error', 'configuration invalid'],
  [instanceStatus.offline, 'error', 'offline'],
];

/** Units by suffix of a property's name. */
const units: Readonly<Record<string, string>> = { Us: 'µs', Ms: 'ms', S: 's' };

type Element = Readonly<Record<string, unknown>>;

function formOf(module: ModuleDefinition): object {
  const elements = elementsOf(module.properties, (name) => isSecretProperty(module, name));
  return {
    elements,
    actions: [],
    status: statuses.map(([code, icon, caption]) => ({ code, icon, caption })),
  };
}

function elementsOf(schema: TObject, isSecret: (name: string) => boolean): Element[] {
  return Object.entries(schema.properties).map(([name, one]) => {
    const [caption, unit] = captionOf(name);
    const initial = isSecret(name) ? {} : { default: one['default'] as unknown };
    return { ...fieldOf(one, isSecret(name), unit), name, caption, ...helpOf(one), ...initial };
  });
}

/** What our own forms show in addition (interface, decision 12). */
function helpOf(schema: TSchema): Element {
  const { group, advanced } = schema as { group?: string; advanced?: boolean };
  const items = schema['type'] === 'array' ? (schema['items'] as TSchema) : undefined;
  return {
    help: schema.description,
    // Columns of a list are in no group.
    group: group || undefined,
    advanced,
    source: sourceOf(schema) ?? (items && sourceOf(items)),
  };
}

/** The form field of one property. The options of a select are the values of the configuration. */
function fieldOf(schema: TSchema, isSecret: boolean, unit: string | undefined): Element {
  if (isSecret) return { type: 'PasswordTextBox' };
  const words = schema['enum'] as readonly string[] | undefined;
  if (words !== undefined)
    return { type: 'Select', options: words.map((word) => ({ caption: word, value: word })) };
  switch (schema['type']) {
    case 'boolean':
      return { type: 'CheckBox' };
    case 'integer':
    case 'number': {
      const { minimum, maximum } = schema as TSchema & { minimum?: number; maximum?: number };
      const digits = schema['type'] === 'number' ? { digits: 3 } : {};
      return { type: 'NumberSpinner', minimum, maximum, suffix: unit, ...digits };
    }
    case 'array': {
      const items = schema['items'] as TSchema;
      // A list of plain values is edited as JSON, because the columns of a list need names.
      return items['type'] === 'object'
        ? listOf(items as TObject)
        : { type: 'ValidationTextBox', multiline: true };
    }
    default:
      return { type: 'ValidationTextBox', validate: schema['pattern'] as string | undefined };
  }
}

function listOf(items: TObject): Element {
  const columns = elementsOf(items, () => false).map(({ name, caption, default: _initial, ...edit }) => ({
    name,
    caption,
    width: 'auto',
    add:
      (items.properties[String(name)]?.['default'] as unknown) ??
      (items.required?.includes(String(name)) === true ? emptyOf(edit['type']) : undefined),
    edit,
  }));
  return { type: 'List', add: true, delete: true, columns };
}

/** The initial value of a required column without a default in a new row. */
function emptyOf(type: unknown): unknown {
  return type === 'CheckBox' ? false : type === 'NumberSpinner' ? 0 : '';
}

/** Words of property names whose spelling differs in captions. */
const SPELLINGS = new Map([
  ['Url', 'URL'],
  ['Ca', 'CA'],
  ['Json', 'JSON'],
  ['Led', 'LED'],
]);

/** `ClientID` becomes "Client ID"; `DebounceUs` becomes "Debounce" with its unit. */
function captionOf(name: string): [caption: string, unit: string | undefined] {
  const [, bare = name, end = ''] = /^(.*[a-z])(Us|Ms|S)$/.exec(name) ?? [];
  const words = bare.match(/QoS|[A-Z]{2,}|[A-Z][a-z0-9]*/g) ?? [bare];
  const spelled = words.map((word, at) => {
    const isOrdinary = at > 0 && /^[A-Z][a-z0-9]+$/.test(word);
    return SPELLINGS.get(word) ?? (isOrdinary ? word.toLowerCase() : word);
  });
  return [spelled.join(' '), units[end]];
}
