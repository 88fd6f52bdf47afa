import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { texts } from '../web/i18n/i18n.js';
import { useApp } from './app.js';
import { words } from './i18n/console-texts.js';
import { objectIcon } from './object-icon.js';
import { Dialog } from './parts/dialog.js';
import { Finder, type Finding } from './parts/finder.js';
import { findNodes, nameOf, pathOf } from './search.js';

/** Findings of each kind that are listed. */
const LISTED = 20;

interface Target extends Finding {
  readonly page: string;
  readonly id: number | string;
}

interface PaletteProps {
  /** The pages of the rail: name and icon. */
  readonly pages: readonly { readonly name: string; readonly icon: string; readonly text: string }[];
  readonly onClose: () => void;
}

/** Searches objects, pages and functions, and goes to what is chosen. */
export function Palette({ pages, onClose }: PaletteProps) {
  const app = useApp();
  const { model } = app.gateway;
  const functions = useSignal<readonly string[]>([]);
  // Again when the page is connected: then the findings are listed again, with the tree that has arrived.
  useEffect(() => {
    void app.call('SVC_GetFunctionList', 0).then(
      (names) => (functions.value = names),
      () => undefined,
    );
  }, [app.gateway.state.value.kind]);
  const { palette } = words();
  const find = (text: string): Target[] => {
    const lower = text.trim().toLowerCase();
    const ofPages = pages
      .filter((page) => page.text.toLowerCase().includes(lower))
      .map(({ name, icon, text: caption }) => ({
        key: `page ${name}`,
        icon,
        name: caption,
        detail: palette.page,
        page: name,
        id: '',
      }));
    if (lower === '') return ofPages;
    const ofObjects = findNodes(model, text, LISTED).map((node) => ({
      key: String(node.id),
      icon: objectIcon(node),
      name: nameOf(model, node),
      detail: pathOf(model, node),
      page: 'tree',
      id: node.id,
    }));
    const ofFunctions = functions.value
      .filter((name) => name.toLowerCase().includes(lower))
      .slice(0, LISTED)
      .map((name) => ({
        key: name,
        icon: 'Script',
        name,
        detail: palette.function,
        page: 'call',
        id: name,
      }));
    return [...ofPages, ...ofObjects, ...ofFunctions];
  };
  return (
    <Dialog title={palette.title} onClose={onClose}>
      <Finder
        label={palette.title}
        hint={palette.hint}
        isFocused
        find={find}
        onChoose={({ page, id }) => {
          onClose();
          app.router.go(page, id);
        }}
      />
      <p class="soft unseen" role="status">
        {functions.value.length === 0 ? texts().loading : ''}
      </p>
    </Dialog>
  );
}
