import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { objectType } from '../../web/objects.js';
import type { TreeNode } from '../../web/model.js';
import { useApp } from '../app.js';
import { words, type ConsoleTexts } from '../i18n/console-texts.js';
import { AuditTab } from './audit-tab.js';
import { SettingsTab } from './settings-tab.js';
import { UsesTab } from './uses-tab.js';
import { ValuesTab } from './values-tab.js';

type TabName = Exclude<keyof ConsoleTexts['tree']['tabs'], 'label'>;

interface Tab {
  readonly page: ComponentType<{ readonly node: TreeNode }>;
  /** Object types that have it; undefined: all. */
  readonly types?: readonly number[];
}

const TABS: Partial<Readonly<Record<TabName, Tab>>> = {
  values: { page: ValuesTab, types: [objectType.instance, objectType.variable, objectType.category] },
  settings: { page: SettingsTab, types: [objectType.instance] },
  uses: { page: UsesTab },
  audit: { page: AuditTab },
};

/** One object: its facts, and tabs for what can be seen and changed. */
export function Inspector({ node }: { readonly node: TreeNode }) {
  const { name, ident, data } = node.entry.value;
  const { tree, objectTypes } = words();
  const tabs = Object.entries(TABS).filter(([, { types }]) => types?.includes(node.type) ?? true);
  const chosen = useSignal(tabs[0]?.[0] ?? '');
  const Page = TABS[chosen.value as TabName]?.page;
  return (
    <article class="inspector">
      <NameEditor node={node} name={name} />
      <p class="soft">
        {data.moduleName ?? objectTypes[node.type]} · {tree.id} {node.id}
        {ident !== '' && ` · ${ident}`}
      </p>
      <div class="tabs-row" role="tablist" aria-label={tree.tabs.label}>
        {tabs.map(([tab]) => (
          <button
            key={tab}
            id={`tab-${tab}`}
            role="tab"
            aria-selected={chosen.value === tab}
            aria-controls="tab-panel"
            onClick={() => (chosen.value = tab)}
          >
            {tree.tabs[tab as TabName]}
          </button>
        ))}
      </div>
      <div id="tab-panel" role="tabpanel" aria-labelledby={`tab-${chosen.value}`}>
        {Page !== undefined && <Page node={node} />}
      </div>
    </article>
  );
}

function NameEditor({ node, name }: { readonly node: TreeNode; readonly name: string }) {
  const app = useApp();
  const isEditing = useSignal(false);
  const { tree } = words();
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    const value = new FormData(event.currentTarget as HTMLFormElement).get('name');
    if (await app.act(() => app.call('SVC_SetName', node.id, typeof value === 'string' ? value : '')))
      isEditing.value = false;
  };
  if (!isEditing.value)
    return (
      <header class="row-head">
        <h2>{name}</h2>
        {node.id !== 0 && (
          <button class="plain" onClick={() => (isEditing.value = true)}>
            {tree.rename}
          </button>
        )}
      </header>
    );
  return (
    <form class="row-head" onSubmit={(event) => void save(event)}>
      <input name="name" aria-label={tree.rename} defaultValue={name} autofocus />
      <button class="primary">{tree.save}</button>
      <button class="plain" type="button" onClick={() => (isEditing.value = false)}>
        {tree.cancel}
      </button>
    </form>
  );
}
