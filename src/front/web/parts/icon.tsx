import { iconPath } from '../icons.js';

interface IconProps {
  readonly name: string;
  /** Where the owner's icons are. */
  readonly files?: string;
  readonly color?: string | undefined;
}

/** An icon next to a text that says the same: hidden from screen readers. The owner's icons are files. */
export function Icon({ name, files, color }: IconProps) {
  const path = iconPath(name);
  if (path === undefined && files && name)
    return (
      <img
        key={name}
        class="icon"
        src={`${files}${encodeURIComponent(name)}`}
        alt=""
        // A name that no icon has.
        onError={({ currentTarget }) => (currentTarget.style.visibility = 'hidden')}
      />
    );
  return (
    <svg
      class="icon"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="2"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
      style={{ color }}
    >
      <path d={path ?? iconPath('dot') ?? ''} />
    </svg>
  );
}
