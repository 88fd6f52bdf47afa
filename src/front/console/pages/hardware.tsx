import { useSignal } from '@preact/signals';
import { objectType } from '../../web/objects.js';
import { useApp } from '../app.js';
import { BoardSection } from '../hardware/board.js';
import { FoundSection } from '../hardware/found.js';
import { useHardware } from '../hardware/use-hardware.js';
import { words } from '../i18n/console-texts.js';

/** The board with its lines, and what the gateway found on the machine. */
export function HardwarePage() {
  const hardware = useHardware();
  const { model } = useApp().gateway;
  const first = model
    .children(0)
    .find(({ type, entry }) => type === objectType.category && !entry.value.hidden);
  const parent = useSignal(first?.id ?? 0);
  return (
    <main>
      <h1>{words().pages.hardware}</h1>
      <BoardSection hardware={hardware} parent={parent.value} />
      <FoundSection hardware={hardware} parent={parent} />
    </main>
  );
}
