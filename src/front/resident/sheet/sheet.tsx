import { useEffect, useRef } from 'preact/hooks';
import { texts } from '../../web/i18n/i18n.js';
import { Icon } from '../../web/parts/icon.js';
import type { TreeNode } from '../../web/model.js';
import { objectType } from '../../web/objects.js';
import { useApp } from '../app.js';
import { stateLine } from '../tiles/state-line.js';

/** Details of a tile, in a dialog with an address of its own. */
export function Sheet() {
  const app = useApp();
  const route = app.router.sheet.value;
  void app.gateway.model.structure.value;
  const node = route === undefined ? undefined : app.gateway.model.find(Number(route.id));
  return node === undefined ? null : <OpenSheet key={node.id} node={node} />;
}

function OpenSheet({ node }: { readonly node: TreeNode }) {
  const app = useApp();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const variables =
    node.type === objectType.variable
      ? [node]
      : app.gateway.model
          .children(node.id)
          .filter(({ type, entry }) => type === objectType.variable && !entry.value.hidden);
  return (
    <dialog ref={dialog} class="sheet" aria-labelledby="sheet-title" onClose={() => app.router.back()}>
      <header>
        <h2 id="sheet-title">{node.entry.value.name}</h2>
        <button class="control" aria-label={texts().close} onClick={() => dialog.current?.close()}>
          <Icon name="close" />
        </button>
      </header>
      <dl>
        {variables.map((variable) => (
          <VariableRow key={variable.id} variable={variable} />
        ))}
      </dl>
    </dialog>
  );
}

function VariableRow({ variable }: { readonly variable: TreeNode }) {
  const { value, reason } = stateLine(useApp(), variable);
  return (
    <div>
      <dt>{variable.entry.value.name}</dt>
      <dd>
        {value}
        {reason !== '' && <small>{reason}</small>}
      </dd>
    </div>
  );
}
