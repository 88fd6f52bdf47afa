import { iconPath } from '../icons.js';

/** An icon next to a text that says the same: hidden from screen readers. The owner's icons are files. */
export function Icon({ name, files }: { readonly name: string; readonly files?: string }) {
  const path = iconPath(name);
  if (path === undefined)
    return files === undefined || name === '' ? (
      <Drawing path={iconPath('dot') ?? ''} />
    ) : (
      <img class="icon" src={`${files}${encodeURIComponent(name)}`} alt="" />
    );
  return <Drawing path={path} />;
}

function Drawing({ path }: { readonly path: string }) {
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
      focusable="false"
    >
      <path d={path} />
    </svg>
  );
}
