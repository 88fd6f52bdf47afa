import { useSignal } from '@preact/signals';
import type { TreeNode } from '../../web/model.js';
import { objectType } from '../../web/objects.js';
import { useApp } from '../app.js';
import { words } from '../i18n/console-texts.js';
import { useReferences } from '../inspector/references.js';
import { Dialog } from '../parts/dialog.js';
import { ObjectFinder } from '../parts/object-choice.js';
import { ConfirmationDialog } from '../parts/confirmation-dialog.js';
import { isWithin } from '../search.js';
import { CreateDialog, type CreationDraft, newDraft } from './create-dialog.js';
import { deleteObject } from './deletion.js';

/** What can be done with an object as one: create below it, move it, delete it. */
export function ObjectActions({ node }: { readonly node: TreeNode }) {
  const app = useApp();
  const open = useSignal<'move' | 'delete' | undefined>(undefined);
  // What was entered must survive the end of the session.
  const creation = app.form<CreationDraft>(`create/${node.id}`);
  const close = () => {
    open.value = undefined;
    creation.value = undefined;
  };
  const { tree, create } = words();
  const isRoot = node.id === 0;
  return (
    <div class="row-head">
      {node.type !== objectType.link && (
        <button class="plain" onClick={() => (creation.value = newDraft)}>
          {create.button}
        </button>
      )}
      {!isRoot && (
        <>
          <button class="plain" onClick={() => (open.value = 'move')}>
            {tree.move}
          </button>
          <button class="plain" onClick={() => (open.value = 'delete')}>
            {tree.remove}
          </button>
        </>
      )}
      {creation.value !== undefined && <CreateDialog parent={node} onClose={close} />}
      {open.value === 'move' && <MoveDialog node={node} onClose={close} />}
      {open.value === 'delete' && <DeleteQuestion node={node} onClose={close} />}
    </div>
  );
}

interface ActionProps {
  readonly node: TreeNode;
  readonly onClose: () => void;
}

function MoveDialog({ node, onClose }: ActionProps) {
  const app = useApp();
  const { model } = app.gateway;
  const { tree } = words();
  const move = async (parent: TreeNode) => {
    if (await app.act(() => app.call('SVC_SetParent', node.id, parent.id))) onClose();
  };
  return (
    <Dialog title={tree.moveTitle(node.name)} onClose={onClose}>
      <ObjectFinder
        label={tree.moveTarget}
        accepts={(one) =>
          (one.type === objectType.category || one.type === objectType.instance) &&
          !isWithin(model, one, node)
        }
        onChoose={(parent) => void move(parent)}
      />
    </Dialog>
  );
}

function DeleteQuestion({ node, onClose }: ActionProps) {
  const app = useApp();
  const { model } = app.gateway;
  const { state } = useReferences(node);
  const { tree } = words();
  const below = countBelow(model, node.id);
  const uses = state.value !== undefined && 'value' in state.value ? state.value.value.length : 0;
  const remove = async () => {
    const { parentID } = node.entry.peek();
    if (await deleteObject(app, node)) app.router.go('tree', parentID);
  };
  return (
    <ConfirmationDialog
      title={tree.removeQuestion(node.name)}
      action={tree.remove}
      onConfirm={remove}
      onClose={onClose}
    >
      {below > 0 && <p>{tree.removeBelow(below)}</p>}
      {uses > 0 && <p class="stale">{tree.removeUsed(uses)}</p>}
      {(node.type === objectType.script || node.type === objectType.media) && <p>{tree.removeFile}</p>}
    </ConfirmationDialog>
  );
}

function countBelow(model: ReturnType<typeof useApp>['gateway']['model'], id: number): number {
  return model.children(id).reduce((sum, child) => sum + 1 + countBelow(model, child.id), 0);
}
