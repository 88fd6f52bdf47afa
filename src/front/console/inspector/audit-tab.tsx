import type { TreeNode } from '../../web/model.js';
import { useApp } from '../app.js';
import { words } from '../i18n/console-texts.js';
import { useLoaded } from '../load.js';
import { LoadedView } from '../loaded-view.js';

/** How many records are searched for those of the object. */
const SEARCHED = 2000;

/** Calls whose first parameters name the object. */
export function AuditTab({ node }: { readonly node: TreeNode }) {
  const app = useApp();
  const { state } = useLoaded(async () => {
    const entries = await app.call('GW_GetAudit', SEARCHED);
    return entries.filter(({ Parameters }) => Parameters.slice(0, 3).includes(node.id));
  }, [node.id]);
  const { overview, tree } = words();
  return (
    <LoadedView state={state}>
      {(entries) =>
        entries.length === 0 ? (
          <p class="soft">{tree.noAudit}</p>
        ) : (
          <ul class="cards">
            {entries.map((entry, index) => (
              <li key={index}>
                <strong>{entry.User}</strong> {entry.Method} <code>{JSON.stringify(entry.Parameters)}</code>
                <small>
                  {app.moment(entry.TimeStamp * 1000)} · {entry.Success ? overview.done : entry.Error}
                </small>
              </li>
            ))}
          </ul>
        )
      }
    </LoadedView>
  );
}
