import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { TreeNode } from '../../web/model.js';
import { useApp } from '../app.js';
import { words } from '../i18n/console-texts.js';

interface RenamableProps {
  readonly node: TreeNode;
  /** The row before the button. */
  readonly children: ComponentChildren;
  /** Follows the button. */
  readonly after?: ComponentChildren;
}

/**
 * A row with a button that replaces it by a form for the object's name. The name is selected; Escape leaves
 * the form, and the focus returns to the button.
 */
export function Renamable({ node, children, after }: RenamableProps) {
  const app = useApp();
  const { tree } = words();
  // What was typed must survive the end of the session.
  const name = app.form<string>(`rename/${node.id}`);
  const wasEdited = useRef(false);
  const close = () => {
    wasEdited.current = true;
    name.value = undefined;
  };
  const save = async (submitted: SubmitEvent) => {
    submitted.preventDefault();
    if (await app.act(() => app.call('SVC_SetName', node.id, name.peek() ?? ''))) close();
  };
  const takeFocus = (element: HTMLButtonElement | null) => {
    if (element === null || !wasEdited.current) return;
    wasEdited.current = false;
    element.focus();
  };
  if (name.value === undefined)
    return (
      <header class="row-head">
        {children}
        <button ref={takeFocus} class="plain" type="button" onClick={() => (name.value = node.ownName)}>
          {tree.rename}
        </button>
        {after}
      </header>
    );
  return (
    <form
      class="row-head"
      onSubmit={(submitted) => void save(submitted)}
      onKeyDown={({ key }) => {
        if (key === 'Escape') close();
      }}
    >
      <input
        ref={selectName}
        name="name"
        aria-label={tree.name}
        value={name.value}
        onInput={({ currentTarget }) => (name.value = currentTarget.value)}
      />
      <button class="primary">{tree.save}</button>
      <button class="plain" type="button" onClick={close}>
        {tree.cancel}
      </button>
    </form>
  );
}

/** `autofocus` has no effect on a page that had a focus before. */
function selectName(input: HTMLInputElement | null): void {
  input?.focus();
  input?.select();
}
