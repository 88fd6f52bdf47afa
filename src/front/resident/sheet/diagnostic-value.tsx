import { formatMoment } from '../../web/format.js';
import type { TreeNode } from '../../web/model.js';
import { objectType } from '../../web/objects.js';
import { useApp } from '../app.js';
import { stateLine } from '../tiles/state-line.js';
import { sheetTexts } from './texts.js';

/** `online since 2026-11-23 14:13:57 UTC`, and what is wrong, which the state lines say in words of residents. */
const STATUS = /^(\w+) since (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) UTC/;

/** A value without a control. What the gateway writes as English words is in the language of the page. */
export function DiagnosticValue({ variable }: { readonly variable: TreeNode }) {
  const app = useApp();
  const { ident, parentID } = variable.entry.value;
  const { value } = stateLine(app, variable);
  const isOfDevice = app.gateway.model.find(parentID)?.type === objectType.instance;
  const links: Readonly<Record<string, string>> = sheetTexts().links;
  if (isOfDevice && ident === 'LINK') return <>{links[value] ?? value}</>;
  const [, link = '', day = '', time = ''] = (isOfDevice && ident === 'STATUS' && STATUS.exec(value)) || [];
  if (link === '') return <>{value || '–'}</>;
  const { timezone } = app.gateway.model;
  const since = formatMoment(Date.parse(`${day}T${time}Z`), app.tick.value, timezone);
  return <>{sheetTexts().since(links[link] ?? link, since)}</>;
}
