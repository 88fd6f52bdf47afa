import type { ChangeRecord, Value } from '../../client/index.js';
import { message, runlevel } from '../../kernel/messages.js';
import { typeName } from '../../kernel/object.js';
import { quality } from '../../kernel/quality.js';
import type { TextStyle } from './terminal.js';
import type { TreeReplica } from './tree-replica.js';

/** The text of a change, and its style on a terminal. */
interface ChangeText {
  readonly text: string;
  readonly style: TextStyle;
}

type Say = (data: readonly unknown[], tree: TreeReplica) => string;

const quoted = (what: unknown) => `“${String(what)}”`;
const yes = (what: unknown, words: readonly [string, string]) => words[what === true ? 0 : 1];
const log: Say = ([sender, text]) => `${String(sender)}: ${String(text)}`;
const HEX = 1;
/** Data on the wire, as text if possible, otherwise in hexadecimal (KL_DEBUG: what, data, format). */
const debug: Say = ([what, data, format]) =>
  `${String(what)}: ${format === HEX ? (textIn(String(data)) ?? String(data)) : String(data)}`;

/**
 * Decodes bytes as UTF-8; undefined if they are not valid, or contain control characters other than white
 * space: then they are not text.
 */
function textIn(hex: string): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(hex, 'hex'));
    return /[^\P{Cc}\t\r\n]/u.test(text) ? undefined : `“${text}”`;
  } catch {
    return undefined;
  }
}
const profile =
  (what: string): Say =>
  ([name]) =>
    `profile ${String(name)} ${what}`;

const qualityOf: Say = ([state, reason, text]) =>
  state === quality.good
    ? 'is good again'
    : `is ${state === quality.stale ? 'stale' : 'bad'} (${String(reason)}): ${String(text)}`;

const untilText = (ms: unknown): string => (ms === 0 ? '' : ` until ${unix(Number(ms) / 1000)}`);
const ruleOf: Say = ([code, untilMs, group]) =>
  code === ''
    ? 'takes commands again'
    : `rejects commands: ${String(code)}${group === '' ? '' : ` ${quoted(group)}`}${untilText(untilMs)}`;
const pendingOf: Say = ([value, atMs, code]) =>
  code === ''
    ? 'nothing is scheduled'
    : `will be ${String(value)}${atMs === 0 ? '' : ` at ${unix(Number(atMs) / 1000)}`} (${String(code)})`;

/** The entries of a range of message numbers with the same text. */
const alike = ([from, to]: readonly [number, number], text: string) =>
  Object.fromEntries(
    Array.from({ length: to - from + 1 }, (_, n): [number, readonly [TextStyle, Say]] => [
      from + n,
      ['cyan', () => text],
    ]),
  );

const date: Say = ([day, month, year]) => `${String(year)}-${String(month)}-${String(day)}`;
const time: Say = (parts) => parts.map((part) => String(part).padStart(2, '0')).join(':');
const event =
  (what: string, say: Say): Say =>
  (data, tree) =>
    `${what} ${say(data, tree)}`;
/** Values that are not times are shown unchanged. */
function unix(seconds: unknown): string {
  if (seconds === 0) return 'never';
  const at = new Date(Number(seconds) * 1000);
  return Number.isNaN(at.getTime()) ? String(seconds) : `${at.toISOString().slice(0, 19)}Z`;
}

/**
 * The texts of messages (interface §3.5). Messages that only repeat another one are left out.
 */
const phrases: Readonly<Record<number, readonly [TextStyle, Say]>> = {
  [message.KERNEL_STARTED]: ['green', () => 'the gateway has started'],
  [message.KERNEL_SHUTDOWN]: ['yellow', () => 'the gateway has stopped'],
  [message.KERNEL_MESSAGE]: ['dim', ([level]) => `the gateway's state: ${levelName(level)}`],
  [message.KL_MESSAGE]: ['dim', log],
  [message.KL_SUCCESS]: ['green', log],
  [message.KL_NOTIFY]: ['cyan', log],
  [message.KL_WARNING]: ['yellow', log],
  [message.KL_ERROR]: ['red', log],
  [message.KL_DEBUG]: ['dim', debug],
  [message.KL_CUSTOM]: ['dim', log],
  [message.OM_REGISTER]: ['green', ([type]) => `a new ${kindOf(type)}`],
  [message.OM_UNREGISTER]: ['red', () => 'is deleted'],
  [message.OM_CHANGEPARENT]: ['cyan', ([id], tree) => `is now below ${tree.path(Number(id)) || 'the root'}`],
  [message.OM_CHANGENAME]: ['cyan', ([name]) => `is called ${quoted(name)}`],
  [message.OM_CHANGEINFO]: ['cyan', ([info]) => `info ${quoted(info)}`],
  [message.OM_CHANGESUMMARY]: ['cyan', ([summary]) => `summary ${quoted(summary)}`],
  [message.OM_CHANGEPOSITION]: ['cyan', ([position]) => `position ${String(position)}`],
  [message.OM_CHANGEREADONLY]: ['cyan', ([is]) => yes(is, ['can only be read', 'can be written'])],
  [message.OM_CHANGEHIDDEN]: ['cyan', ([is]) => yes(is, ['is hidden', 'is shown'])],
  [message.OM_CHANGEICON]: ['cyan', ([icon]) => `icon ${quoted(icon)}`],
  [message.OM_CHANGEIDENT]: ['cyan', ([ident]) => `ident ${quoted(ident)}`],
  [message.OM_CHANGEDISABLED]: ['cyan', ([is]) => yes(is, ['is disabled', 'is enabled'])],
  [message.IM_CREATE]: ['cyan', ([, module]) => `is a ${String(module)}`],
  [message.IM_CONNECT]: ['cyan', ([id], tree) => `is connected to ${tree.path(Number(id))}`],
  [message.IM_DISCONNECT]: ['cyan', ([id], tree) => `is no longer connected to ${tree.path(Number(id))}`],
  [message.IM_CHANGESTATUS]: ['cyan', ([status]) => `status ${statusOf(Number(status))}`],
  [message.IM_CHANGESETTINGS]: ['cyan', ([settings]) => `properties ${String(settings)}`],
  [message.IM_SEARCHSTART]: ['cyan', () => 'searches'],
  [message.IM_SEARCHSTOP]: ['cyan', () => 'has searched'],
  [message.VM_CHANGEPROFILENAME]: [
    'cyan',
    ([own, standard]) => `profile ${String(own || standard) || 'none'}`,
  ],
  [message.VM_CHANGEPROFILEACTION]: ['cyan', ([own, standard]) => `action by #${String(own || standard)}`],
  [message.GW_QUALITY]: ['yellow', qualityOf],
  [message.GW_RULE]: ['yellow', ruleOf],
  [message.GW_PENDING]: ['cyan', pendingOf],
  [message.GW_ALIVE]: ['dim', () => 'the gateway is alive'],
  [message.GW_LOG]: ['dim', ([record]) => `log ${JSON.stringify(record)}`],
  [message.GW_PROGRESS]: [
    'dim',
    ([id, kind, done, total, state]) =>
      `task ${String(id)}: ${String(kind)} ${String(state)}, ${String(done)} of ${String(total)}`,
  ],
  [message.GW_RESIDENTS]: [
    'cyan',
    ([access]) => (access === 'set' ? 'can be set by residents' : 'cannot be set by residents any more'),
  ],
  [message.GW_PUBLISH]: [
    'cyan',
    ([rule]) =>
      rule === ''
        ? 'is published if the object above is'
        : rule === 'none'
          ? 'is not published'
          : `is published to ${String(rule)}`,
  ],
  [message.GW_RECORDING]: ['cyan', ([is]) => yes(is, ['is recorded', 'is no longer recorded'])],
  [message.GW_ROLE]: ['cyan', ([role]) => `has the role ${String(role)}`],
  [message.SM_CHANGEFILE]: ['cyan', ([file]) => `file ${String(file)}`],
  [message.SM_BROKEN]: ['yellow', ([is]) => yes(is, ['cannot be compiled', 'can be compiled again'])],
  [message.SM_UPDATE]: ['cyan', ([, size]) => `has new text: ${String(size)} bytes`],
  [message.EM_UPDATE]: ['cyan', ([last, next]) => `last ran ${unix(last)}, next runs ${unix(next)}`],
  [message.EM_CHANGEACTIVE]: ['cyan', ([is]) => yes(is, ['is active', 'is not active'])],
  [message.EM_CHANGELIMIT]: [
    'cyan',
    ([limit]) =>
      limit === 0 ? 'runs without a limit' : `runs ${String(limit)} more ${limit === 1 ? 'time' : 'times'}`,
  ],
  [message.EM_CHANGEACTION]: ['cyan', () => 'has another action'],
  ...alike([message.EM_CHANGETRIGGER, message.EM_CHANGETRIGGEREXECUTION], 'has another trigger'),
  [message.EM_CHANGECYCLIC]: ['cyan', () => 'has another interval'],
  [message.EM_CHANGECYCLICDATEFROM]: ['cyan', event('runs from', date)],
  [message.EM_CHANGECYCLICDATETO]: ['cyan', event('runs until', date)],
  [message.EM_CHANGECYCLICTIMEFROM]: ['cyan', event('runs from', time)],
  [message.EM_CHANGECYCLICTIMETO]: ['cyan', event('runs until', time)],
  ...alike([message.EM_ADDSCHEDULEACTION, message.EM_CHANGESCHEDULEGROUPPOINT], 'has another schedule'),
  ...alike([message.EM_ADDCONDITION, message.EM_CHANGECONDITIONDAYOFTHEWEEKRULE], 'has other conditions'),
  [message.MM_CHANGEFILE]: ['cyan', ([file]) => `file ${String(file)}`],
  [message.MM_AVAILABLE]: ['yellow', ([is]) => yes(is, ['its file is there', 'its file is missing'])],
  [message.MM_UPDATE]: ['cyan', ([, size]) => `has new content: ${String(size)} bytes`],
  [message.MM_CHANGECACHED]: ['cyan', ([is]) => yes(is, ['is kept in memory', 'is not kept in memory'])],
  [message.WF_POPUP]: ['cyan', ([title]) => `shows a popup ${quoted(title)}`],
  [message.WF_NOTIFICATION]: ['cyan', ([title]) => `shows a notification ${quoted(title)}`],
  [message.WF_AUDIO]: ['cyan', () => 'plays a sound'],
  [message.WF_SWITCH_PAGE]: ['cyan', () => 'shows another page'],
  [message.WF_RELOAD]: ['cyan', () => 'reloads its front'],
  [message.WF_OPEN_CATEGORY]: ['cyan', () => 'opens a category'],
  [message.LM_CHANGETARGET]: ['cyan', ([id], tree) => `points to ${tree.path(Number(id)) || 'the root'}`],
  [message.SE_EXECUTE]: ['dim', () => 'runs'],
  [message.PM_CREATE]: ['cyan', profile('is new')],
  [message.PM_DELETE]: ['red', profile('is deleted')],
  [message.PM_CHANGETEXT]: ['cyan', profile('has other texts')],
  [message.PM_CHANGEVALUES]: ['cyan', profile('has other limits')],
  [message.PM_CHANGEDIGITS]: ['cyan', profile('has other digits')],
  [message.PM_CHANGEICON]: ['cyan', profile('has another icon')],
  [message.PM_ASSOCIATIONADDED]: ['cyan', profile('has a new association')],
  [message.PM_ASSOCIATIONREMOVED]: ['cyan', profile('has one association fewer')],
  [message.PM_ASSOCIATIONCHANGED]: ['cyan', profile('has a changed association')],
};

/** Messages that only repeat another message of the same change. */
const echoes: ReadonlySet<number> = new Set([
  message.OM_CHILDADDED,
  message.OM_CHILDREMOVED,
  message.IM_DELETE,
  message.IM_SEARCHUPDATE,
  message.VM_CREATE,
  message.VM_DELETE,
  message.SM_CREATE,
  message.SM_DELETE,
  message.EM_CREATE,
  message.EM_DELETE,
  message.MM_CREATE,
  message.MM_DELETE,
  message.LM_CREATE,
  message.LM_DELETE,
  message.SE_RUNNING,
]);

/** The text of a change; undefined if another message reports it. */
export function changeText(
  { SenderID, Message, Data }: ChangeRecord,
  tree: TreeReplica,
): ChangeText | undefined {
  if (echoes.has(Message)) return undefined;
  if (Message === message.VM_UPDATE) {
    const [value, differs, old] = Data as [Value, boolean, Value];
    const now = tree.format(SenderID, value);
    return differs
      ? { text: `${tree.format(SenderID, old)} → ${now}`, style: 'bold' }
      : { text: `${now}, as before`, style: 'dim' };
  }
  const [style, say] = phrases[Message] ?? ['dim', () => `message ${Message} ${JSON.stringify(Data)}`];
  return { text: say(Data, tree), style };
}

const kindOf = (type: unknown): string => (typeName[Number(type)] ?? 'object').toLowerCase();

const levelName = (level: unknown): string =>
  Object.entries(runlevel).find(([, number]) => number === level)?.[0] ?? String(level);

/** Instance status (interface §1): 1xx are normal, 2xx are errors. */
function statusOf(status: number): string {
  const words: Readonly<Record<number, string>> = {
    101: 'being created',
    102: 'active',
    103: 'being deleted',
    104: 'inactive',
    105: 'its module is missing',
  };
  return words[status] ?? `${status}${status >= 200 ? ' (error)' : ''}`;
}
