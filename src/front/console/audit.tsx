import type { AuditEntry } from '../../client/generated/records.js';
import { texts } from '../web/i18n/i18n.js';
import { words } from './i18n/console-texts.js';
import type { TreeNode } from '../web/model.js';
import { objectType } from '../web/objects.js';
import { addressOf } from '../web/router.js';
import { type ConsoleApp, useApp } from './app.js';
import { nameOf } from './search.js';

/** Methods whose second parameter is a value of the variable that the first one names. */
const VALUE_METHODS = /^(?:RequestAction|RequestActionEx|SetValue\w*|WFC_Execute\w*)$/;
/** The lowest ID of an object: smaller numbers are values, except in the first parameter. */
const OBJECT_ID = 10_000;

/** Who made a call: a person, a device of a resident, or the gateway itself. */
function callerOf({ User, Role, Device }: AuditEntry): string {
  if (Device !== undefined && Device !== '') return Device;
  return User !== '' ? User : Role === 'inside' ? words().overview.inside : Role;
}

/** A call with the names of the objects in place of their IDs, and values as their profile shows them. */
function CallText({ entry }: { readonly entry: AuditEntry }) {
  const app = useApp();
  return (
    <>
      {!VALUE_METHODS.test(entry.Method) && <b>{entry.Method} </b>}
      {entry.Parameters.map((parameter, index) => (
        <Parameter key={index} app={app} entry={entry} index={index} parameter={parameter} />
      ))}
      {entry.Count !== undefined && entry.Count > 1 && <small> {words().overview.times(entry.Count)}</small>}
    </>
  );
}

interface ParameterProps {
  readonly app: ConsoleApp;
  readonly entry: AuditEntry;
  readonly index: number;
  readonly parameter: unknown;
}

function Parameter({ app, entry, index, parameter }: ParameterProps) {
  const { model } = app.gateway;
  const before = entry.Parameters[index - 1];
  const separator = index === 0 ? '' : VALUE_METHODS.test(entry.Method) && index === 1 ? ' → ' : ', ';
  const node =
    typeof parameter === 'number' && (parameter >= OBJECT_ID || index === 0)
      ? model.find(parameter)
      : undefined;
  if (node !== undefined)
    return (
      <>
        {separator}
        <a href={addressOf('tree', node.id)}>{fullName(app, node)}</a>
      </>
    );
  const variable = typeof before === 'number' ? model.find(before) : undefined;
  const isValue = VALUE_METHODS.test(entry.Method) && variable?.entry.value.data.type !== undefined;
  const text =
    isValue &&
    (typeof parameter === 'boolean' || typeof parameter === 'number' || typeof parameter === 'string')
      ? app.format(variable, parameter)
      : typeof parameter === 'string'
        ? parameter
        : JSON.stringify(parameter);
  return (
    <span>
      {separator}
      {text}
    </span>
  );
}

/** The name of an object; of a variable with that of its instance. */
export function fullName({ gateway: { model } }: ConsoleApp, node: TreeNode): string {
  const name = nameOf(model, node);
  const parent = model.find(node.entry.value.parentID);
  return node.type === objectType.variable && parent?.type === objectType.instance
    ? `${parent.entry.value.name} · ${name}`
    : name;
}

/** Calls as a list: who, what, when, and whether it was done. */
export function CallList({ entries }: { readonly entries: readonly AuditEntry[] }) {
  const app = useApp();
  const { overview } = words();
  return (
    <ul class="calls">
      {entries.map((entry, index) => (
        <li key={index}>
          <CallText entry={entry} />
          <small>
            {app.moment(entry.TimeStamp * 1000)} · {callerOf(entry)}
            {entry.Remote !== '' && ` ${overview.from} ${entry.Remote}`} ·{' '}
            {entry.Success ? (
              overview.done
            ) : (
              <span class="bad" title={entry.Error}>
                {texts().errors[entry.Error ?? ''] ?? entry.Error}
              </span>
            )}
          </small>
        </li>
      ))}
    </ul>
  );
}
