import type { ConsoleApp } from '../app.js';
import { words } from '../i18n/console-texts.js';
import type { TreeNode } from '../../web/model.js';

/** Deletes an object with everything below it and its files, and offers to undo that; true if it was done. */
export async function deleteObject(app: ConsoleApp, node: TreeNode): Promise<boolean> {
  const { name } = node;
  let deletion = 0;
  const isDone = await app.act(async () => {
    deletion = await app.call('GW_DeleteObject', node.id, true);
  }, words().tree.removed(name));
  if (isDone && deletion !== 0)
    app.notice.value = {
      text: words().tree.removed(name),
      isError: false,
      undo: () => void restoreDeletion(app, deletion, name),
    };
  return isDone;
}

/** Undoes a deletion and shows its first object; true if it was done. */
export async function restoreDeletion(app: ConsoleApp, deletion: number, name: string): Promise<boolean> {
  return app.act(async () => {
    const [top] = await app.call('GW_RestoreDeleted', deletion);
    if (top !== undefined) app.router.go('tree', top);
  }, words().tree.restored(name));
}
