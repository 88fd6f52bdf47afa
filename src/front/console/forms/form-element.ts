/** An element of a configuration form (interface §9). */
export interface FormElement {
  readonly type: string;
  readonly name: string;
  readonly caption: string;
  readonly suffix?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly digits?: number;
  readonly multiline?: boolean;
  readonly validate?: string;
  /** What the property is for, and the heading that it belongs to. */
  readonly help?: string;
  readonly group?: string;
  /** Few users need it: it is shown on request. */
  readonly advanced?: boolean;
  /** Where its choices come from (`GW_GetChoices`). */
  readonly source?: string;
  /** The value in a new instance. */
  readonly default?: unknown;
  readonly options?: readonly { readonly caption: string; readonly value: unknown }[];
  readonly columns?: readonly FormColumn[];
}

/** The properties of an instance: values by their names. */
export type Properties = Readonly<Record<string, unknown>>;

/** A member of the records of a list, and its input. */
export interface FormColumn {
  readonly name: string;
  readonly caption: string;
  /** Its value in a new record; undefined: records need not have it. */
  readonly add?: unknown;
  readonly edit: Omit<FormElement, 'name' | 'caption'>;
}

/** Elements by their group, in the order in which groups appear; '' is no group. */
export function groupsOf(elements: readonly FormElement[]): [group: string, elements: FormElement[]][] {
  const groups = new Map<string, FormElement[]>();
  for (const element of elements) {
    const group = groups.get(element.group ?? '');
    if (group === undefined) groups.set(element.group ?? '', [element]);
    else group.push(element);
  }
  return [...groups];
}

/** Properties without passwords. */
export function withoutSecrets(elements: readonly FormElement[], properties: Properties): Properties {
  const secrets = new Set(elements.flatMap(({ name, type }) => (type === 'PasswordTextBox' ? [name] : [])));
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !secrets.has(name)));
}

/** Whether a number is missing or outside of the limits of its property. */
export function isOutside(
  { type, minimum, maximum }: Omit<FormElement, 'name' | 'caption'>,
  value: unknown,
): boolean {
  if (type !== 'NumberSpinner') return false;
  const number = Number(value);
  return Number.isNaN(number) || number < (minimum ?? -Infinity) || number > (maximum ?? Infinity);
}
