import { objectType } from '../../web/objects.js';
import type { TreeNode } from '../../web/model.js';
import { useApp } from '../app.js';
import { words } from '../i18n/console-texts.js';

/** The variables of an object with their live values. */
export function ValuesTab({ node }: { readonly node: TreeNode }) {
  const { model } = useApp().gateway;
  const variables =
    node.type === objectType.variable
      ? [node]
      : model.children(node.id).filter(({ type }) => type === objectType.variable);
  if (variables.length === 0) return <p class="soft">{words().tree.noValues}</p>;
  return (
    <dl class="values">
      {variables.map((variable) => (
        <ValueRow key={variable.id} variable={variable} />
      ))}
    </dl>
  );
}

function ValueRow({ variable }: { readonly variable: TreeNode }) {
  const app = useApp();
  const { name, ident } = variable.entry.value;
  const { quality } = variable.state.value;
  return (
    <div>
      <dt>
        {name} <small>{ident}</small>
      </dt>
      <dd>
        {app.format(variable, variable.value.value)}
        {quality !== undefined && <small class="bad">{quality.text}</small>}
        {variable.updated.value > 0 && <small>{app.moment(variable.updated.value * 1000)}</small>}
      </dd>
    </div>
  );
}
