import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { ModuleRecord } from '../../../client/generated/records.js';
import type { TreeNode } from '../../web/model.js';
import { useApp } from '../app.js';
import { words } from '../i18n/console-texts.js';
import { moduleCaption } from '../i18n/gateway-texts.js';
import type { Properties } from '../forms/form-element.js';
import { useLoaded } from '../load.js';
import { Dialog } from '../parts/dialog.js';
import { Finder, type Finding } from '../parts/finder.js';
import { LoadedView } from '../parts/loaded-view.js';
import { ObjectChoice } from '../parts/object-choice.js';
import { type Creation, createObject } from './create-object.js';
import { ModuleForm } from './module-form.js';

const KINDS = ['category', 'instance', 'variable', 'script', 'link'] as const;
type Kind = (typeof KINDS)[number];

interface CreateDialogProps {
  readonly parent: TreeNode;
  readonly onClose: () => void;
}

/** Creates an object below another one. */
export function CreateDialog({ parent, onClose }: CreateDialogProps) {
  const app = useApp();
  const id = useId();
  const kind = useSignal<Kind>('category');
  const name = useSignal('');
  const type = useSignal<0 | 1 | 2 | 3>(0);
  const target = useSignal(0);
  const module = useSignal<{ readonly id: string; readonly name: string } | undefined>(undefined);
  const properties = useSignal<Properties>({});
  const { create } = words();
  const creation = (): Creation | undefined => {
    if (kind.value === 'variable') return { kind: 'variable', type: type.value };
    if (kind.value === 'link') return target.value === 0 ? undefined : { kind: 'link', target: target.value };
    if (kind.value === 'instance')
      return module.value && { kind: 'instance', module: module.value.id, properties: properties.value };
    return { kind: kind.value };
  };
  const ready = creation();
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (ready === undefined) return;
    let made = 0;
    const isMade = await app.act(async () => {
      const fallback = ready.kind === 'instance' ? (module.peek()?.name ?? '') : '';
      const options = { creation: ready, parent: parent.id, name: name.peek().trim() || fallback };
      made = await createObject(app, options);
    });
    if (!isMade) return;
    onClose();
    app.router.go('tree', made);
  };
  return (
    <Dialog title={create.title(parent.entry.value.name)} onClose={onClose}>
      <form class="form" onSubmit={(event) => void submit(event)}>
        <fieldset class="kinds">
          <legend>{create.kind}</legend>
          {KINDS.map((one) => (
            <label key={one}>
              <input
                type="radio"
                name={`${id}-kind`}
                checked={kind.value === one}
                onChange={() => (kind.value = one)}
              />
              {create.kinds[one]}
            </label>
          ))}
        </fieldset>
        {kind.value === 'variable' && (
          <div class="field">
            <label for={`${id}-type`}>{create.variableType}</label>
            <select
              id={`${id}-type`}
              value={type.value}
              onChange={(event) => (type.value = Number(event.currentTarget.value) as 0 | 1 | 2 | 3)}
            >
              {create.variableTypes.map((text, value) => (
                <option key={value} value={value}>
                  {text}
                </option>
              ))}
            </select>
          </div>
        )}
        {kind.value === 'link' && (
          <div class="field">
            <span>{create.target}</span>
            <ObjectChoice
              label={create.target}
              id={target.value}
              none={create.choose}
              accepts={(node) => node.id !== 0}
              onChange={(chosen) => (target.value = chosen)}
            />
          </div>
        )}
        {kind.value === 'instance' && (
          <>
            <ModuleChoice
              chosen={module.value?.name}
              onChoose={(chosen) => {
                module.value = chosen;
                properties.value = {};
              }}
            />
            {module.value !== undefined && (
              <ModuleForm
                key={module.value.id}
                module={module.value.id}
                changes={properties.value}
                onChange={(changes) => (properties.value = changes)}
              />
            )}
          </>
        )}
        <div class="field">
          <label for={`${id}-name`}>{create.name}</label>
          <input
            id={`${id}-name`}
            value={name.value}
            required={kind.value !== 'instance'}
            onInput={(event) => (name.value = event.currentTarget.value)}
          />
        </div>
        <div class="row-head">
          <button class="primary" disabled={ready === undefined}>
            {create.submit}
          </button>
          <button class="plain" type="button" onClick={onClose}>
            {words().tree.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

interface ModuleChoiceProps {
  readonly chosen: string | undefined;
  readonly onChoose: (module: { readonly id: string; readonly name: string }) => void;
}

function ModuleChoice({ chosen, onChoose }: ModuleChoiceProps) {
  const app = useApp();
  const { create } = words();
  const { state } = useLoaded(
    async () => app.call('SVC_GetModules', await app.call('SVC_GetModuleList')),
    [],
  );
  return (
    <div class="field">
      <span>
        {create.module}
        {chosen !== undefined && (
          <>
            : <strong>{chosen}</strong>
          </>
        )}
      </span>
      <LoadedView state={state}>
        {(modules) => (
          <Finder
            label={create.module}
            hint={create.moduleHint}
            find={(text) => findModules(modules, text)}
            onChoose={({ key, name }) => onChoose({ id: key, name })}
          />
        )}
      </LoadedView>
    </div>
  );
}

/** The modules whose name, in English or as it is shown, or one of whose aliases contains the text. */
function findModules(modules: readonly ModuleRecord[], text: string): Finding[] {
  const { create } = words();
  const lower = text.toLowerCase();
  return modules
    .map((module) => ({ ...module, name: moduleCaption(module.ModuleName) }))
    .filter(({ name, ModuleName, Aliases }) =>
      [name, ModuleName, ...Aliases].some((one) => one.toLowerCase().includes(lower)),
    )
    .sort((a, b) => a.name.localeCompare(b.name))
    .map(({ name, ModuleID, ModuleName, ModuleType }) => ({
      key: ModuleID,
      icon: 'Plug',
      name,
      detail: [...(name === ModuleName ? [] : [ModuleName]), create.moduleTypes[ModuleType] ?? ''].join(
        ' · ',
      ),
    }));
}
