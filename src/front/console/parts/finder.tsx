import { useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Icon } from '../../web/parts/icon.js';
import { words } from '../i18n/console-texts.js';

/** Something that can be chosen by typing a part of its name. */
export interface Finding {
  readonly key: string;
  readonly icon: string;
  readonly name: string;
  readonly detail: string;
}

interface FinderProps<T extends Finding> {
  readonly label: string;
  readonly hint: string;
  readonly find: (text: string) => readonly T[];
  readonly onChoose: (finding: T) => void;
  readonly isFocused?: boolean;
}

/** A field with a list of what fits the text (WAI-ARIA combobox pattern): arrows move, Enter chooses. */
export function Finder<T extends Finding>({
  label,
  hint,
  find,
  onChoose,
  isFocused = false,
}: FinderProps<T>) {
  const id = useId();
  const text = useSignal('');
  const active = useSignal(0);
  const list = useRef<HTMLUListElement>(null);
  const found = find(text.value);
  const at = Math.min(active.value, found.length - 1);
  useEffect(() => list.current?.children[at]?.scrollIntoView({ block: 'nearest' }), [at]);
  const onKeyDown = (event: KeyboardEvent) => {
    const chosen = found[at];
    if (event.key === 'ArrowDown') active.value = Math.min(at + 1, found.length - 1);
    else if (event.key === 'ArrowUp') active.value = Math.max(at - 1, 0);
    else if (event.key === 'Enter') {
      // Without a choice as well: a form around it must not be submitted.
      if (chosen !== undefined) onChoose(chosen);
    } else return;
    event.preventDefault();
  };
  return (
    <div class="finder">
      <input
        type="text"
        autofocus={isFocused}
        role="combobox"
        autocomplete="off"
        spellcheck={false}
        aria-label={label}
        placeholder={hint}
        aria-expanded={found.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={found.length > 0 ? `${id}-${at}` : undefined}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          active.value = 0;
        }}
        onKeyDown={onKeyDown}
      />
      <p class={found.length === 0 && text.value.trim() !== '' ? 'soft' : 'unseen'} role="status">
        {found.length === 0 && text.value.trim() !== '' ? words().palette.nothing : ''}
      </p>
      <ul ref={list} id={`${id}-list`} role="listbox" aria-label={label}>
        {found.map((finding, index) => (
          <li
            key={finding.key}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at}
            onClick={() => onChoose(finding)}
          >
            <Icon name={finding.icon} />
            <span>{finding.name}</span>
            <small>{finding.detail}</small>
          </li>
        ))}
      </ul>
    </div>
  );
}
