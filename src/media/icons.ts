import { coded } from '../base/codes/coded-text.js';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, fault } from '../base/fault.js';
import { builtInIcons } from './built-in-icons.js';

/** Largest icon, bytes; a line drawing has a few hundred. */
export const ICON_LIMIT = 64 * 1024;

/** Valid names of icons, which are the file names without `.svg`. */
const FILE = /^([\p{L}\p{N}_-]{1,64})\.svg$/u;

/** The built-in icons and user-defined ones, which are SVG files in a folder of the data directory. */
export class Icons {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** All names, in order. */
  async names(): Promise<string[]> {
    return [...new Set([...Object.keys(builtInIcons), ...(await this.#userDefined()).keys()])].sort();
  }

  /** An icon as SVG; user-defined icons override built-in ones. Throws `ICON_MISSING`, `TEXT_TOO_LONG`. */
  async content(name: string): Promise<Buffer> {
    const file = (await this.#userDefined()).get(name);
    if (file !== undefined) {
      const bytes = await readFile(file);
      if (bytes.length > ICON_LIMIT)
        throw fault('TEXT_TOO_LONG', coded`WHAT_ICON: The icon ${name}`, ICON_LIMIT, 'bytes');
      return bytes;
    }
    if (!Object.hasOwn(builtInIcons, name)) throw fault('ICON_MISSING', name);
    return Buffer.from(svg(builtInIcons[name as keyof typeof builtInIcons]));
  }

  /** The user-defined icons by name; regular files only, no symbolic links. */
  async #userDefined(): Promise<Map<string, string>> {
    const entries = await readdir(this.#directory, { withFileTypes: true }).catch((thrown: unknown) => {
      if (codeOf(thrown) === 'ENOENT') return [];
      throw thrown;
    });
    return new Map(
      entries.flatMap((entry) => {
        const name = entry.isFile() ? FILE.exec(entry.name)?.[1] : undefined;
        return name === undefined ? [] : [[name, join(this.#directory, entry.name)] as const];
      }),
    );
  }
}

/** Draws in the colour of the surrounding text. */
function svg(path: string): string {
  const style =
    'fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" ${style}><path d="${path}"/></svg>\n`;
}
