import type { TreeNode } from '../../web/model.js';
import { useApp } from '../app.js';
import { CallList } from '../audit/call-list.js';
import { words } from '../i18n/console-texts.js';
import { useActivity, useLoaded } from '../load.js';
import { LoadedView } from '../parts/loaded-view.js';

/** How many records are searched for those of the object. */
const SEARCHED = 2000;
/** Records have no messages and are read again at most this often, ms. */
const RELOAD_MS = 2000;

/** Calls whose first parameters name the object or one of its variables. */
export function AuditTab({ node }: { readonly node: TreeNode }) {
  const app = useApp();
  const { model } = app.gateway;
  const { state, refresh } = useLoaded(async () => {
    const ids = new Set<unknown>([node.id, ...model.children(node.id).map(({ id }) => id)]);
    const entries = await app.call('GW_GetAudit', SEARCHED);
    return entries.filter(({ Parameters }) => Parameters.slice(0, 3).some((parameter) => ids.has(parameter)));
  }, [node.id]);
  useActivity(RELOAD_MS, refresh);
  return (
    <LoadedView state={state}>
      {(entries) =>
        entries.length === 0 ? <p class="soft">{words().tree.noAudit}</p> : <CallList entries={entries} />
      }
    </LoadedView>
  );
}
