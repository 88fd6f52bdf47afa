import type { Model, TreeNode } from '../../web/model.js';
import { addressOf } from '../../web/router.js';
import { useApp } from '../app.js';
import { words } from '../i18n/console-texts.js';
import { LoadedView } from '../parts/loaded-view.js';
import { nameOf } from '../search.js';
import { useReferences } from './references.js';

/** The name of an object, or the ID of one that is gone. */
function nameOfUser(model: Model, id: number): string {
  const node = model.find(id);
  return node === undefined ? String(id) : nameOf(model, node);
}

/** What uses an object: links, actions, events, scripts, charts. */
export function UsesTab({ node }: { readonly node: TreeNode }) {
  const { model } = useApp().gateway;
  const { state } = useReferences(node);
  return (
    <LoadedView state={state}>
      {(references) =>
        references.length === 0 ? (
          <p class="soft">{words().tree.noUses}</p>
        ) : (
          <ul class="cards">
            {references.map((reference, index) => (
              <li key={index}>
                <a href={addressOf('tree', reference.ObjectID)}>{nameOfUser(model, reference.ObjectID)}</a>
                <small>
                  {words().tree.useKinds[reference.Kind] ?? reference.Kind}
                  {reference.Line > 0 && `:${reference.Line}`}
                </small>
                {reference.Text !== '' && reference.Kind !== 'archive' && <code>{reference.Text}</code>}
              </li>
            ))}
          </ul>
        )
      }
    </LoadedView>
  );
}
