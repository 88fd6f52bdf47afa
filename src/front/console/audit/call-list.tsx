import type { AuditEntry } from '../../../client/generated/records.js';
import type { TreeNode } from '../../web/model.js';
import { objectType } from '../../web/objects.js';
import { addressOf } from '../../web/router.js';
import { type ConsoleApp, useApp } from '../app.js';
import { words } from '../i18n/console-texts.js';
import { nameOf } from '../search.js';
import { withKeys } from './entry-keys.js';
import { rejectionOf, sentenceOf, type SentencePart } from './sentence.js';
import { auditTexts } from './texts.js';

/** The lowest ID of an object: smaller numbers are values, except in the first parameter. */
const OBJECT_ID = 10_000;
/**
 * The user name of residents. In their role, any other user name is the owner, who views a front as they do.
 */
const RESIDENT = 'webfront';
/** Characters of a parameter that a sentence shows; the details show more. */
const SHOWN_LENGTH = 60;

/** Calls as a list: who did what and when, and why it was rejected. */
export function CallList({ entries }: { readonly entries: readonly AuditEntry[] }) {
  return (
    <ul class="calls">
      {withKeys(entries).map(([key, entry]) => (
        <li key={key}>
          {entry.Role === 'unverified' ? <RejectedLogin entry={entry} /> : <Call entry={entry} />}
        </li>
      ))}
    </ul>
  );
}

interface EntryProps {
  readonly entry: AuditEntry;
}

/** Somebody gave a wrong password. */
function RejectedLogin({ entry }: EntryProps) {
  const app = useApp();
  const text = auditTexts();
  const [account] = entry.Parameters;
  return (
    <>
      <p class="bad">
        {account === 'claim' ? text.wrongCode : text.wrongPassword(accountName(app, String(account)))}
      </p>
      <When entry={entry} />
    </>
  );
}

/** What an account opens: `owner`, `configurator 12345`, `web server house`; `nobody` opens nothing. */
function accountName({ gateway: { model } }: ConsoleApp, account: string): string {
  const { accounts } = auditTexts();
  if (account === 'owner') return accounts.owner;
  if (account === 'nobody') return accounts.nobody;
  const id = /^configurator (\d+)$/.exec(account)?.[1];
  if (id !== undefined) return accounts.configurator(model.find(Number(id))?.name ?? id);
  return accounts.server(account.replace(/^web server /, ''));
}

function Call({ entry }: EntryProps) {
  const app = useApp();
  return (
    <>
      <p>
        <Who entry={entry} />{' '}
        {sentenceOf(entry).map((part, index) =>
          typeof part === 'string' ? part : <Parameter key={index} app={app} entry={entry} part={part} />,
        )}
      </p>
      <details>
        <summary>
          <When entry={entry} />
        </summary>
        <code>{`${entry.Method}(${entry.Parameters.map((one) => (typeof one === 'string' ? JSON.stringify(translated(one)) : JSON.stringify(one))).join(', ')})`}</code>
        {entry.Error !== undefined && <code>{entry.Error}</code>}
      </details>
    </>
  );
}

/** When it was, from where, how often, and why it was rejected. */
function When({ entry }: EntryProps) {
  const app = useApp();
  const { overview } = words();
  const { User, Role, Device = '', Remote, Count = 1 } = entry;
  const user = Role === 'owner' ? [User, Device] : [Device];
  const names = user.filter((name) => name !== '').join(', ');
  const isRejected = !entry.Success && Role !== 'unverified';
  return (
    <small>
      {app.moment(entry.TimeStamp * 1000)}
      {names !== '' && ` · ${names}`}
      {Remote !== '' && Role !== 'inside' && ` · ${overview.from} ${Remote}`}
      {Count > 1 && ` · ${overview.times(Count)}`}
      {isRejected && (
        <>
          {' · '}
          <span class="bad">{rejectionOf(entry.Error ?? '')}</span>
        </>
      )}
    </small>
  );
}

/** Who made a call: a person, a device of a resident, or something of the gateway. */
function Who({ entry: { User, Role, Device = '' } }: EntryProps) {
  const { model } = useApp().gateway;
  const text = auditTexts();
  if (Role === 'owner') return <b>{text.owner}</b>;
  if (Role === 'webfront') {
    if (User !== RESIDENT && User !== '') return <b>{text.ownerView}</b>;
    return <b>{Device === '' ? text.resident : Device}</b>;
  }
  const id = Number(/ (\d+)$/.exec(User)?.[1] ?? 0);
  const node = id === 0 ? undefined : model.find(id);
  return <b>{node === undefined ? text.gateway : <ObjectLink node={node} />}</b>;
}

interface ParameterProps extends EntryProps {
  readonly app: ConsoleApp;
  readonly part: Exclude<SentencePart, string>;
}

/** A parameter: an object with its name, a value as its profile shows it, or a text. */
function Parameter({ app, entry: { Method, Parameters }, part }: ParameterProps) {
  const { model } = app.gateway;
  const nodeAt = (parameter: number, ident: number | undefined): TreeNode | undefined => {
    const id = Parameters[parameter];
    if (typeof id !== 'number' || (id < OBJECT_ID && parameter > 0)) return undefined;
    return ident === undefined ? model.find(id) : model.child(id, String(Parameters[ident]));
  };
  const given = Parameters[part.parameter];
  if (part.variable !== undefined) {
    const variable = nodeAt(part.variable.parameter, part.variable.ident);
    const isValue = typeof given === 'boolean' || typeof given === 'number' || typeof given === 'string';
    if (isValue && variable?.entry.value.data.type !== undefined)
      return <q>{shortened(app.format(variable, given))}</q>;
    return <q>{shortened(plain(given))}</q>;
  }
  const node = nodeAt(part.parameter, part.ident);
  const renamed = Method === 'SVC_SetName' ? nodeAt(0, undefined) : undefined;
  // The audit does not have its former name.
  if (renamed !== undefined && renamed.name === Parameters[1])
    return part.parameter === 0 ? <span>{auditTexts().anObject}</span> : <ObjectLink node={renamed} />;
  if (node !== undefined) return <ObjectLink node={node} />;
  const isObject = part.parameter === 0 && typeof given === 'number' && given >= OBJECT_ID;
  return <span>{isObject ? auditTexts().object(given) : shortened(plain(given))}</span>;
}

function ObjectLink({ node }: { readonly node: TreeNode }) {
  return <a href={addressOf('tree', node.id)}>{fullName(useApp(), node)}</a>;
}

const plain = (value: unknown): string =>
  typeof value === 'string' ? translated(value) : (JSON.stringify(value) ?? '');

/** Translates what the audit has in place of a long text or a password: `(12 characters)`. */
const translated = (text: string): string =>
  text.replace(/^\((\d+) characters\)$/, (_all, count: string) => auditTexts().characters(count));

const shortened = (text: string): string =>
  text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;

/** The name of an object; of a variable with that of its instance. */
export function fullName({ gateway: { model } }: ConsoleApp, node: TreeNode): string {
  const name = nameOf(model, node);
  const parent = model.find(node.entry.value.parentID);
  return node.type === objectType.variable && parent?.type === objectType.instance
    ? `${parent.name} · ${name}`
    : name;
}
