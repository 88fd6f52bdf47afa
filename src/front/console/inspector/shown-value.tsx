import { texts } from '../../web/i18n/i18n.js';
import type { TreeNode } from '../../web/model.js';
import { objectType, type Pending, type Rule } from '../../web/objects.js';
import { formatTime } from '../../web/format.js';
import { type ConsoleApp, useApp } from '../app.js';
import { words } from '../i18n/console-texts.js';
import { captionsOf, checkName, sentence } from '../i18n/gateway-texts.js';
import { useLoaded } from '../load.js';
import { isGatewayItself } from '../search.js';

/** Quality of the interface: 1 stale, 2 bad. */
const BAD = 2;
/** `online since 2026-11-23 14:13:57 UTC`, and what is wrong. */
const STATUS = /^(\w+) since (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) UTC(?: \(clock not set\))?(: .*)?$/s;

/** The value of a variable, behind the reason if it is uncertain: it is the last one that was known. */
export function MarkedValue({ variable }: { readonly variable: TreeNode }) {
  const { quality } = variable.state.value;
  const shown = <ShownValue variable={variable} />;
  if (quality === undefined || quality.reason === 'NO_VALUE') return shown;
  return (
    <span class={quality.state === BAD ? 'bad' : 'stale'}>
      {texts().reasons[quality.reason] ?? quality.text} · {shown}
    </span>
  );
}

/** The value of a variable. Sentences that the gateway wrote into it are in the user's language. */
export function ShownValue({ variable }: { readonly variable: TreeNode }) {
  const app = useApp();
  const { model } = app.gateway;
  const { ident, parentID } = variable.entry.value;
  const parent = model.find(parentID);
  const text = app.format(variable, variable.value.value);
  // The zero of a new variable is not a value.
  if (variable.state.value.quality?.reason === 'NO_VALUE') return <>–</>;
  if (ident === 'HEALTH' && parent !== undefined && isGatewayItself(parent)) return <Health text={text} />;
  if (parent?.type !== objectType.instance || text === '') return <>{text || '–'}</>;
  const siblings = model.children(parentID).map((one) => [one, one.state.value] as const);
  switch (ident) {
    case 'LINK':
      return <>{words().tree.links[text] ?? text}</>;
    case 'STATUS':
      return <Status instance={parent} text={text} />;
    case 'RULE': {
      const rule = siblings.find(([, state]) => state.rule !== undefined)?.[1].rule;
      return <>{rule === undefined ? text : ruleText(app, rule)}</>;
    }
    case 'PENDING': {
      const [one, { pending } = { pending: undefined }] =
        siblings.find(([, state]) => state.pending !== undefined) ?? [];
      return <>{one === undefined || pending === undefined ? text : pendingText(app, one, pending)}</>;
    }
    default:
      return <>{text}</>;
  }
}

/** What the health checks of the gateway found. */
function Health({ text }: { readonly text: string }) {
  const app = useApp();
  const { state } = useLoaded(() => app.call('GW_GetHealth'), [text]);
  const { healthy } = words().overview;
  if (state.value === undefined || !('value' in state.value)) return <>{text === 'ok' ? healthy : text}</>;
  const found = state.value.value.Checks.filter(({ State }) => State !== 'ok').map(
    ({ Name, CodedText }) => `${checkName(Name)}: ${sentence(CodedText)}`,
  );
  return <>{found.length === 0 ? healthy : found.join('; ')}</>;
}

/** The state of an instance, since when, and what is wrong with it. */
function Status({ instance, text }: { readonly instance: TreeNode; readonly text: string }) {
  const app = useApp();
  const [, link = '', day = '', time = '', why = ''] = STATUS.exec(text) ?? [];
  const { state } = useLoaded(
    () => (why === '' ? Promise.resolve([]) : app.call('HW_ReadServiceMessages', instance.id)),
    [instance.id, text],
  );
  if (link === '') return <>{text}</>;
  const { links, since } = words().tree;
  const shown = since(links[link] ?? link, app.moment(Date.parse(`${day}T${time}Z`)));
  // The reason in the user's language follows.
  if (state.value === undefined) return <>{shown}</>;
  const found = 'value' in state.value ? state.value.value : [];
  const captions = captionsOf(instance.entry.value.data.moduleName ?? '');
  const own = found
    .filter(({ InstanceID }) => InstanceID === instance.id)
    .map(({ CodedText }) => sentence(CodedText, captions));
  return <>{own.length > 0 ? `${shown}: ${own.join('; ')}` : shown + why}</>;
}

/** A rule of an output, and when it ends. */
export function ruleText(app: ConsoleApp, { code, untilMs }: Rule): string {
  const { rules, ruleUntil } = texts();
  const name = rules[code] ?? code;
  return untilMs === 0 ? name : ruleUntil(name, timeText(app, untilMs));
}

/** What a variable will become, and when. */
export function pendingText(app: ConsoleApp, variable: TreeNode, { value, atMs, code }: Pending): string {
  const { pending, pendingAt, tile } = texts();
  const text = pending[code];
  if (text !== undefined) return text;
  const what = app.format(variable, value);
  return atMs === 0 ? tile.target(what) : pendingAt(what, timeText(app, atMs));
}

const timeText = (app: ConsoleApp, unixMs: number) => formatTime(unixMs, app.gateway.model.timezone, true);
