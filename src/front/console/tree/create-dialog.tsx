import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { ModuleRecord } from '../../../client/generated/records.js';
import type { TreeNode } from '../../web/model.js';
import { useApp } from '../app.js';
import { words } from '../i18n/console-texts.js';
import { moduleCaption } from '../i18n/gateway-texts.js';
import type { Properties } from '../forms/form-element.js';
import { useDraft } from '../forms/use-draft.js';
import { useLoaded } from '../load.js';
import { Dialog } from '../parts/dialog.js';
import { Finder, type Finding } from '../parts/finder.js';
import { FormButtons } from '../parts/form-buttons.js';
import { LoadedView } from '../parts/loaded-view.js';
import { ObjectChoice } from '../parts/object-choice.js';
import { type Creation, createObject } from './create-object.js';
import { ModuleForm } from './module-form.js';

const KINDS = ['category', 'instance', 'variable', 'script', 'link'] as const;
type Kind = (typeof KINDS)[number];

/** What is entered, and not created yet. */
export interface CreationDraft {
  readonly kind: Kind;
  readonly name: string;
  readonly type: 0 | 1 | 2 | 3;
  readonly target: number;
  readonly module: { readonly id: string; readonly name: string } | undefined;
  readonly properties: Properties;
}

export const newDraft: CreationDraft = {
  kind: 'category',
  name: '',
  type: 0,
  target: 0,
  module: undefined,
  properties: {},
};

interface CreateDialogProps {
  readonly parent: TreeNode;
  readonly onClose: () => void;
}

/** Creates an object below another one. */
export function CreateDialog({ parent, onClose }: CreateDialogProps) {
  const app = useApp();
  const id = useId();
  const { draft, set, bind } = useDraft(`create/${parent.id}`, newDraft);
  const { kind, name, type, target, module } = draft;
  // The draft has no passwords.
  const entered = useSignal<Properties | undefined>(undefined);
  const properties = entered.value ?? draft.properties;
  const { create } = words();
  const creation = (): Creation | undefined => {
    if (kind === 'variable') return { kind: 'variable', type: type };
    if (kind === 'link') return target === 0 ? undefined : { kind: 'link', target: target };
    if (kind === 'instance') return module && { kind: 'instance', module: module.id, properties: properties };
    return { kind: kind };
  };
  const ready = creation();
  const isBusy = useSignal(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (ready === undefined) return;
    let made = 0;
    isBusy.value = true;
    const isMade = await app.act(async () => {
      const fallback = ready.kind === 'instance' ? (module?.name ?? '') : '';
      const options = { creation: ready, parent: parent.id, name: name.trim() || fallback };
      made = await createObject(app, options);
    });
    isBusy.value = false;
    if (!isMade) return;
    onClose();
    app.router.go('tree', made);
  };
  return (
    <Dialog title={create.title(parent.name)} onClose={onClose}>
      <form class="form" onSubmit={(event) => void submit(event)}>
        <fieldset class="kinds">
          <legend>{create.kind}</legend>
          {KINDS.map((one) => (
            <label key={one}>
              <input
                type="radio"
                name={`${id}-kind`}
                checked={kind === one}
                onChange={() => set({ kind: one })}
              />
              {create.kinds[one]}
            </label>
          ))}
        </fieldset>
        {kind === 'variable' && (
          <div class="field">
            <label for={`${id}-type`}>{create.variableType}</label>
            <select
              id={`${id}-type`}
              value={type}
              onChange={(event) => set({ type: Number(event.currentTarget.value) as 0 | 1 | 2 | 3 })}
            >
              {create.variableTypes.map((text, value) => (
                <option key={value} value={value}>
                  {text}
                </option>
              ))}
            </select>
          </div>
        )}
        {kind === 'link' && (
          <div class="field">
            <span>{create.target}</span>
            <ObjectChoice
              label={create.target}
              id={target}
              none={create.choose}
              accepts={(node) => node.id !== 0}
              onChange={(chosen) => set({ target: chosen })}
            />
          </div>
        )}
        {kind === 'instance' && (
          <>
            <ModuleChoice
              chosen={module?.name}
              onChoose={(chosen) => {
                entered.value = undefined;
                set({ module: chosen, properties: {} });
              }}
            />
            {module !== undefined && (
              <ModuleForm
                key={module.id}
                module={module.id}
                changes={properties}
                onChange={(changes, kept) => {
                  entered.value = changes;
                  set({ properties: kept });
                }}
              />
            )}
          </>
        )}
        <div class="field">
          <label for={`${id}-name`}>{create.name}</label>
          <input id={`${id}-name`} required={kind !== 'instance'} {...bind('name')} />
        </div>
        <FormButtons
          submit={create.submit}
          isDisabled={ready === undefined || isBusy.value}
          onClose={onClose}
        />
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
