import { formatAge, formatMoment } from '../../web/format.js';
import type { TreeNode } from '../../web/model.js';
import { useApp } from '../app.js';
import { sheetTexts } from './texts.js';

interface ValueDetailsProps {
  readonly title: string;
  readonly variables: readonly TreeNode[];
}

/** When values were reported and changed. */
export function ValueDetails({ title, variables }: ValueDetailsProps) {
  if (variables.length === 0) return null;
  return (
    <details>
      <summary>{title}</summary>
      {variables.map((variable) => (
        <Times key={variable.id} variable={variable} name={variables.length > 1} />
      ))}
    </details>
  );
}

function Times({ variable, name }: { readonly variable: TreeNode; readonly name: boolean }) {
  const app = useApp();
  const sheet = sheetTexts();
  return (
    <>
      {name && <h3>{app.captionOf(variable)}</h3>}
      <dl>
        <div>
          <dt>{sheet.changed}</dt>
          <dd>
            <Moment seconds={variable.changed.value} />
          </dd>
        </div>
        <div>
          <dt>{sheet.updated}</dt>
          <dd>
            <Moment seconds={variable.updated.value} />
          </dd>
        </div>
      </dl>
    </>
  );
}

function Moment({ seconds }: { readonly seconds: number }) {
  const app = useApp();
  if (seconds === 0) return <>{sheetTexts().never}</>;
  const now = app.tick.value;
  const ms = seconds * 1000;
  return (
    <>
      {formatMoment(ms, now, app.gateway.model.timezone)}
      <small>{formatAge(now - ms)}</small>
    </>
  );
}
