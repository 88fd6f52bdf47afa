import { useId } from 'preact/hooks';
import type { TreeNode } from '../../web/model.js';
import { useApp } from '../app.js';
import { words } from '../i18n/console-texts.js';
import { useLoaded } from '../load.js';

/** The instance that another one is connected to; nothing where the module needs none. */
export function ConnectionField({ node }: { readonly node: TreeNode }) {
  const app = useApp();
  const id = useId();
  const { model } = app.gateway;
  const { connectionID = 0, moduleID = '' } = node.entry.value.data;
  const { state } = useLoaded(async () => {
    const { ParentRequirements } = await app.call('SVC_GetModule', moduleID);
    if (ParentRequirements.length === 0) return undefined;
    return app.call('SVC_GetCompatibleInstances', node.id);
  }, [node.id]);
  const compatible = state.value !== undefined && 'value' in state.value ? state.value.value : undefined;
  if (compatible === undefined) return null;
  const connect = (parent: number) =>
    void app.act(() =>
      parent === 0
        ? app.call('SVC_DisconnectInstance', node.id)
        : app.call('SVC_ConnectInstance', node.id, parent),
    );
  return (
    <div class="field">
      <label for={id}>{words().settings.connection}</label>
      <select
        id={id}
        value={connectionID}
        onChange={({ currentTarget }) => {
          const parent = Number(currentTarget.value);
          // The list shows what was reported, not what is requested.
          currentTarget.value = String(connectionID);
          connect(parent);
        }}
      >
        <option value={0}>{words().object.none}</option>
        {compatible.map((parent) => (
          <option key={parent} value={parent}>
            {model.find(parent)?.name ?? parent}
          </option>
        ))}
      </select>
    </div>
  );
}
