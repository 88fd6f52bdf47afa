import type { TreeNode } from '../../web/model.js';
import { useApp } from '../app.js';
import { useLoaded } from '../load.js';
import { instanceOf } from '../search.js';

/** What uses an object: links, actions, events, scripts, charts. */
export function useReferences(node: TreeNode) {
  const app = useApp();
  return useLoaded(async () => {
    const utility = instanceOf(app.gateway.model, 'Utility Control');
    return utility === undefined ? [] : app.call('UC_FindReferences', utility.id, node.id);
  }, [node.id]);
}
