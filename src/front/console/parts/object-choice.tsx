import { useSignal } from '@preact/signals';
import type { TreeNode } from '../../web/model.js';
import { useApp } from '../app.js';
import { objectIcon } from '../object-icon.js';
import { findNodes, nameOf, pathOf } from '../search.js';
import { words } from '../i18n/console-texts.js';
import { Dialog } from './dialog.js';
import { Finder } from './finder.js';

/** Choices that are listed; more characters find the others. */
const LISTED = 30;

interface ObjectFinderProps {
  readonly label: string;
  readonly accepts?: (node: TreeNode) => boolean;
  readonly onChoose: (node: TreeNode) => void;
}

/** Finds an object by its name, ident, module or ID. */
export function ObjectFinder({ label, accepts = () => true, onChoose }: ObjectFinderProps) {
  const { model } = useApp().gateway;
  return (
    <Finder
      label={label}
      hint={words().tree.searchHint}
      isFocused
      find={(text) =>
        findNodes(model, text)
          .filter(accepts)
          .slice(0, LISTED)
          .map((node) => ({
            key: String(node.id),
            icon: objectIcon(node),
            name: nameOf(model, node),
            detail: pathOf(model, node),
            node,
          }))
      }
      onChoose={({ node }) => onChoose(node)}
    />
  );
}

interface ObjectChoiceProps extends Omit<ObjectFinderProps, 'onChoose'> {
  /** 0: none, unless the root can be chosen. */
  readonly id: number;
  readonly none: string;
  readonly onChange: (id: number) => void;
}

/** A button that names the chosen object and opens a dialog to choose another. */
export function ObjectChoice({ label, id, none, accepts, onChange }: ObjectChoiceProps) {
  const { model } = useApp().gateway;
  const isOpen = useSignal(false);
  const chosen = model.find(id);
  const isRoot = id === 0 && (chosen === undefined || accepts?.(chosen) !== true);
  return (
    <>
      <button class="plain choice" type="button" onClick={() => (isOpen.value = true)}>
        <span class="unseen">{label}: </span>
        {chosen === undefined || isRoot ? none : nameOf(model, chosen)}
      </button>
      {isOpen.value && (
        <Dialog title={label} onClose={() => (isOpen.value = false)}>
          <ObjectFinder
            label={label}
            {...(accepts === undefined ? {} : { accepts })}
            onChoose={(node) => {
              isOpen.value = false;
              onChange(node.id);
            }}
          />
        </Dialog>
      )}
    </>
  );
}
