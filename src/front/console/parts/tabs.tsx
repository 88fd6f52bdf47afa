import { useEffect, useId } from 'preact/hooks';
import type { ComponentChildren } from 'preact';

interface TabsProps {
  readonly label: string;
  readonly tabs: readonly { readonly name: string; readonly text: string }[];
  readonly chosen: string;
  readonly onChoose: (name: string) => void;
  readonly children: ComponentChildren;
}

/**
 * Tabs with one tab stop: the arrow keys, Home and End move the focus, Enter and Space choose (WAI-ARIA tabs
 * pattern with manual activation, because some tabs load data or ask for the password).
 */
export function Tabs({ label, tabs, chosen, onChoose, children }: TabsProps) {
  const id = useId();
  // On a phone there is no room for all; the next ones are visible, too.
  useEffect(() => {
    document.getElementById(`${id}-${chosen}`)?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [chosen]);
  const onKeyDown = (event: KeyboardEvent) => {
    const at = tabs.findIndex(({ name }) => `${id}-${name}` === (event.target as HTMLElement).id);
    const targets: Readonly<Record<string, number>> = {
      ArrowRight: (at + 1) % tabs.length,
      ArrowLeft: (at - 1 + tabs.length) % tabs.length,
      Home: 0,
      End: tabs.length - 1,
    };
    const next = tabs[targets[event.key] ?? -1];
    if (next === undefined) return;
    event.preventDefault();
    document.getElementById(`${id}-${next.name}`)?.focus();
  };
  return (
    <>
      <div class="tabs-row" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
        {tabs.map(({ name, text }) => (
          <button
            key={name}
            id={`${id}-${name}`}
            type="button"
            role="tab"
            aria-selected={chosen === name}
            aria-controls={`${id}-panel`}
            tabIndex={chosen === name ? 0 : -1}
            onClick={() => onChoose(name)}
          >
            {text}
          </button>
        ))}
      </div>
      <div
        id={`${id}-panel`}
        class="tab-panel"
        role="tabpanel"
        aria-labelledby={`${id}-${chosen}`}
        tabIndex={0}
      >
        {children}
      </div>
    </>
  );
}
