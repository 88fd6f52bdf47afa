import { associationText } from '../../web/format.js';
import type { TreeNode } from '../../web/model.js';
import { useApp } from '../app.js';
import { isKnown } from '../tiles/state-line.js';

/** More options than this are a list. */
const MAX_SEGMENTS = 4;
/** Characters on two lines of all segments of a tile on the narrowest phone. */
const SEGMENT_CHARACTERS = 60;

/** One of several named values: buttons, or a list if they have no room. Shows only what was reported. */
export function ChoiceControl({ variable, name }: { readonly variable: TreeNode; readonly name: string }) {
  const app = useApp();
  const options = app.gateway.model.profileOf(variable)?.associations ?? [];
  // A value that is not known is no choice.
  const value = isKnown(variable) ? variable.value.value : undefined;
  const selected = String(value ?? '');
  const longest = Math.max(...options.map((option) => associationText(option, option.value).length));
  if (options.length > MAX_SEGMENTS || longest * options.length > SEGMENT_CHARACTERS)
    return (
      <div class="controls">
        <select
          aria-label={name}
          aria-disabled={app.isInert.value}
          value={selected}
          onChange={({ currentTarget }) => {
            const chosen = options[currentTarget.selectedIndex];
            currentTarget.value = selected;
            if (chosen !== undefined) app.set(variable, chosen.value);
          }}
        >
          {options.map((option) => (
            <option key={String(option.value)} value={String(option.value)}>
              {associationText(option, option.value)}
            </option>
          ))}
        </select>
      </div>
    );
  return (
    <div class="controls choice" role="group" aria-label={name}>
      {options.map((option) => (
        <button
          key={String(option.value)}
          class="segment"
          aria-pressed={option.value === value}
          aria-disabled={app.isInert.value}
          onClick={() => app.set(variable, option.value)}
        >
          {associationText(option, option.value)}
        </button>
      ))}
    </div>
  );
}
