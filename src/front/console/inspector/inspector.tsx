import type { ComponentType } from 'preact';
import { Icon } from '../../web/parts/icon.js';
import { lazy } from '../../web/parts/lazy.js';
import { addressOf } from '../../web/router.js';
import { objectType } from '../../web/objects.js';
import type { TreeNode } from '../../web/model.js';
import { useApp } from '../app.js';
import { words, type ConsoleTexts } from '../i18n/console-texts.js';
import { moduleCaption } from '../i18n/gateway-texts.js';
import { objectIcon } from '../object-icon.js';
import { Renamable } from '../parts/renamable.js';
import { Tabs } from '../parts/tabs.js';
import { nameOf, pathOf } from '../search.js';
import { statusText } from '../status.js';
import { ObjectActions } from '../tree/object-actions.js';
import { AuditTab } from './audit-tab.js';
import { DebugTab } from './debug-tab.js';
import { EventsTab } from './events-tab.js';
import { ObjectTab } from './object-tab.js';
import { SettingsTab } from './settings-tab.js';
import { UsesTab } from './uses-tab.js';
import { ValuesTab } from './values-tab.js';

type TabName = Exclude<keyof ConsoleTexts['tree']['tabs'], 'label'>;

interface Tab {
  readonly page: ComponentType<{ readonly node: TreeNode }>;
  /** Object types that have it; undefined: all. */
  readonly types?: readonly number[];
}

const { category, instance, variable, script, event } = objectType;

const TABS: Readonly<Record<TabName, Tab>> = {
  values: { page: ValuesTab, types: [instance, variable, category] },
  settings: { page: SettingsTab, types: [instance] },
  object: { page: ObjectTab },
  events: { page: EventsTab, types: [category, instance, variable, script, event] },
  history: {
    page: lazy(async () => (await import('../history/history-tab.js')).HistoryTab),
    types: [variable, instance],
  },
  uses: { page: UsesTab },
  audit: { page: AuditTab },
  debug: { page: DebugTab, types: [instance, script, variable, event] },
};

/** The page on which an object of this type is edited. */
const EDITORS: Readonly<Record<number, string>> = { [script]: 'scripts', [event]: 'events' };

interface InspectorProps {
  readonly node: TreeNode;
  readonly tab: string;
  readonly onTab: (tab: string) => void;
}

/** One object: its facts, and tabs for what can be seen and changed. */
export function Inspector({ node, tab, onTab }: InspectorProps) {
  const { ident, data } = node.entry.value;
  const { tree, objectTypes } = words();
  const names = (Object.keys(TABS) as TabName[]).filter(
    (name) => TABS[name].types?.includes(node.type) ?? true,
  );
  const chosen = names.find((name) => name === tab) ?? names[0] ?? 'object';
  const Page = TABS[chosen].page;
  return (
    <article class="inspector">
      <a class="up" href={addressOf('tree')}>
        <Icon name="back" />
        {tree.back}
      </a>
      {node.id === 0 ? (
        <header class="row-head">
          <Title node={node} />
        </header>
      ) : (
        <Renamable node={node}>
          <Title node={node} />
        </Renamable>
      )}
      <p class="soft">
        <Path node={node} />
        {data.moduleName === undefined ? objectTypes[node.type] : moduleCaption(data.moduleName)} · {tree.id}{' '}
        {node.id}
        {ident !== '' && ` · ${ident}`}
        {data.status !== undefined && (
          <span class={data.status >= FAULTY ? 'bad' : ''}> · {statusText(data.status)}</span>
        )}
        {EDITORS[node.type] !== undefined && (
          <>
            {' · '}
            <a href={addressOf(EDITORS[node.type] ?? '', node.id)}>{tree.open}</a>
          </>
        )}
      </p>
      <ObjectActions node={node} />
      <Tabs
        label={tree.tabs.label}
        tabs={names.map((name) => ({ name, text: tree.tabs[name] }))}
        chosen={chosen}
        onChoose={onTab}
      >
        <Page node={node} />
      </Tabs>
    </article>
  );
}

/** Statuses from here on are errors. */
const FAULTY = 200;

function Path({ node }: { readonly node: TreeNode }) {
  const { model } = useApp().gateway;
  void model.structure.value;
  const path = pathOf(model, node);
  return path === '' ? null : <span class="path">{path}</span>;
}

function Title({ node }: { readonly node: TreeNode }) {
  const { model } = useApp().gateway;
  return (
    <>
      <Icon name={objectIcon(node)} />
      <h2>{nameOf(model, node)}</h2>
    </>
  );
}
