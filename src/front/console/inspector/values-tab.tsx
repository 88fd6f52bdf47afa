import { objectType } from '../../web/objects.js';
import type { TreeNode } from '../../web/model.js';
import { texts } from '../../web/i18n/i18n.js';
import { useApp } from '../app.js';
import { ValueControl } from '../controls/value-control.js';
import { words } from '../i18n/console-texts.js';
import { addressOfNode } from '../object-icon.js';
import { nameOf } from '../search.js';
import { pendingText, ruleText, ShownValue } from './shown-value.js';

/** Longer texts have a line of their own. */
const SENTENCE = 60;

/** The variables of an object with their live values and controls. */
export function ValuesTab({ node }: { readonly node: TreeNode }) {
  const { model } = useApp().gateway;
  const variables =
    node.type === objectType.variable
      ? [node]
      : model.children(node.id).filter(({ type }) => type === objectType.variable);
  if (variables.length === 0) return <p class="soft">{words().tree.noValues}</p>;
  return (
    <ul class="values">
      {variables.map((variable) => (
        <ValueRow key={variable.id} variable={variable} isLinked={variable !== node} />
      ))}
    </ul>
  );
}

interface ValueRowProps {
  readonly variable: TreeNode;
  readonly isLinked: boolean;
}

function ValueRow({ variable, isLinked }: ValueRowProps) {
  const app = useApp();
  const { ident } = variable.entry.value;
  const name = nameOf(app.gateway.model, variable);
  return (
    <li>
      <div class="value-name">
        {isLinked ? <a href={addressOfNode(variable)}>{name}</a> : name} <small>{ident}</small>
        <ValueState variable={variable} />
      </div>
      <div class={String(variable.value.value).length > SENTENCE ? 'value-now long' : 'value-now'}>
        <strong>
          <ShownValue variable={variable} />
        </strong>
        {variable.updated.value > 0 && (
          <small title={app.moment(variable.changed.value * 1000)}>
            {app.moment(variable.updated.value * 1000)}
          </small>
        )}
      </div>
      <ValueControl variable={variable} />
    </li>
  );
}

/** Why a value is uncertain, which rule restricts it, and what will change it. */
function ValueState({ variable }: { readonly variable: TreeNode }) {
  const app = useApp();
  const { quality, rule, pending } = variable.state.value;
  const text = texts();
  return (
    <>
      {quality !== undefined && <small class="bad">{text.reasons[quality.reason] ?? quality.text}</small>}
      {rule !== undefined && <small class="stale">{ruleText(app, rule)}</small>}
      {pending !== undefined && <small>{pendingText(app, variable, pending)}</small>}
    </>
  );
}
