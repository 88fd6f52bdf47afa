import { useSignal } from '@preact/signals';
import { readFacts } from '../../web/facts.js';
import { takeFocus } from '../../web/parts/take-focus.js';
import { texts } from '../../web/i18n/i18n.js';
import type { TreeNode } from '../../web/model.js';
import { objectType } from '../../web/objects.js';
import { Icon } from '../../web/parts/icon.js';
import { addressOf } from '../../web/router.js';
import { useApp } from '../app.js';
import { formText } from '../forms/form-text.js';
import { automation } from '../i18n/automation.js';
import { words } from '../i18n/console-texts.js';
import { pathOf } from '../search.js';
import { ScriptEditor } from './script-editor.js';

/** All scripts, and an editor for the selected one. */
export function ScriptsPage({ id }: { readonly id: string }) {
  const app = useApp();
  const { model } = app.gateway;
  const { scripts } = automation();
  void model.structure.value;
  const all = [...model.all()].filter(({ type }) => type === objectType.script);
  const selected = all.find((script) => script.id === Number(id));
  return (
    <main class={selected === undefined ? 'split' : 'split chosen'}>
      <h1 class="unseen">{words().pages.scripts}</h1>
      <section class="pane" aria-label={words().pages.scripts}>
        <CreateScript />
        <TypesLink />
        {all.length === 0 && <p class="soft">{scripts.none}</p>}
        <ul class="rows">
          {all.map((script) => (
            <ScriptRow key={script.id} script={script} isSelected={script === selected} />
          ))}
        </ul>
      </section>
      <section class="pane">
        <a class="up" href={addressOf('scripts')}>
          <Icon name="back" />
          {texts().back}
        </a>
        {selected === undefined ? (
          <p class="soft">{scripts.choose}</p>
        ) : (
          <ScriptEditor key={selected.id} script={selected} />
        )}
      </section>
    </main>
  );
}

interface ScriptRowProps {
  readonly script: TreeNode;
  readonly isSelected: boolean;
}

function ScriptRow({ script, isSelected }: ScriptRowProps) {
  const app = useApp();
  const { name } = script;
  const { data } = script.entry.value;
  const { scripts } = automation();
  return (
    <li>
      <a href={addressOf('scripts', script.id)} aria-current={isSelected ? 'true' : undefined}>
        <Icon name="Script" />
        <span>
          {name} <small>{pathOf(app.gateway.model, script)}</small>
        </span>
        {app.drafts.value.has(script.id) && <small>{scripts.isChanged}</small>}
        {data.isBroken === true && <small class="bad">{scripts.isBroken}</small>}
      </a>
    </li>
  );
}

/** The declarations of all functions, for an editor on another machine. */
function TypesLink() {
  const { scripts } = automation();
  const { types = '' } = readFacts<{ readonly types: string }>();
  return (
    <p>
      <a href={`/front/${types}`} download="functions.d.ts">
        {scripts.types}
      </a>
    </p>
  );
}

/** Creates a script in JavaScript or TypeScript and opens it. */
function CreateScript() {
  const app = useApp();
  // What was typed must survive the end of the session.
  const name = app.form<string>('create-script');
  const isBusy = useSignal(false);
  const { scripts } = automation();
  if (name.value === undefined)
    return (
      <button class="primary" type="button" onClick={() => (name.value = '')}>
        {scripts.create}
      </button>
    );
  const create = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    isBusy.value = true;
    await app.act(async () => {
      const made = await app.setUp(await app.call('SVC_CreateScript', 0), async (id) => {
        await app.call('SVC_SetName', id, formText(form, 'name'));
        if (formText(form, 'language') === 'ts') await app.call('SVC_SetScriptFile', id, `${id}.ts`);
      });
      name.value = undefined;
      app.router.go('scripts', made);
    });
    isBusy.value = false;
  };
  return (
    <form class="filters" onSubmit={(event) => void create(event)}>
      <div class="field wide">
        <label for="script-name">{scripts.name}</label>
        <input
          id="script-name"
          name="name"
          required
          maxLength={200}
          ref={takeFocus}
          value={name.value}
          onInput={({ currentTarget }) => (name.value = currentTarget.value)}
        />
      </div>
      <div class="field">
        <label for="script-language">{scripts.language}</label>
        <select id="script-language" name="language">
          <option value="js">JavaScript</option>
          <option value="ts">TypeScript</option>
        </select>
      </div>
      <button class="primary" disabled={isBusy.value}>
        {scripts.create}
      </button>
      <button class="plain" type="button" onClick={() => (name.value = undefined)}>
        {words().tree.cancel}
      </button>
    </form>
  );
}
