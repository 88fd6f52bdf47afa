import { coded } from '../../base/codes/coded-text.js';
import { fault } from '../../base/fault.js';
import type { ReadonlyStatic } from '../../device/declare.js';
import { objectType } from '../../kernel/object.js';
import type { Ports } from '../ports.js';
import type * as shapes from './utility-shapes.js';
import { withProgress } from '../deletion/delete-objects.js';
import { matchingLines, textOrEmpty } from './text-lines.js';

type FoundLine = ReadonlyStatic<typeof shapes.foundLines>[number];

/** Maximum number of lines in a result. */
const LINES_LIMIT = 10_000;

/** A search in script files. */
interface FileSearch {
  /** The names of files of scripts in the tree; empty: all. */
  readonly files: readonly string[];
  /** The literal text; case-sensitive. */
  readonly search: string;
}

/**
 * Finds the lines in script files that contain a text. Throws `PARAMETER_BOUNDS` for an empty text,
 * `FILE_MISSING`.
 */
export async function findInFiles(ports: Ports, { files, search }: FileSearch): Promise<FoundLine[]> {
  const found: FoundLine[] = [];
  for (const [file, [id = 0]] of selectedFiles(ports, files, search)) {
    const text = await textOrEmpty(ports.scripts.content(id));
    for (const line of matchingLines(text, (one) => one.includes(search))) {
      found.push({ File: file, ...line });
      if (found.length === LINES_LIMIT) return found;
    }
  }
  return found;
}

/**
 * Replaces a text in script files, file by file, and returns the changed lines. Throws as {@link
 * findInFiles}; a later fault says which files are changed.
 */
export async function replaceInFiles(
  ports: Ports,
  given: FileSearch,
  replacement: string,
): Promise<FoundLine[]> {
  const { search, files } = given;
  const changed: FoundLine[] = [];
  const done: string[] = [];
  for (const [file, ids] of selectedFiles(ports, files, search)) {
    const text = await textOrEmpty(ports.scripts.content(ids[0] ?? 0));
    if (!text.includes(search)) continue;
    try {
      // Every script with this file is notified of the new text.
      for (const id of ids)
        await ports.scripts.setContent(
          id,
          text.replaceAll(search, () => replacement),
        );
    } catch (thrown) {
      throw done.length === 0 ? thrown : withProgress(thrown, `${done.join(', ')} are changed; ${file}`);
    }
    done.push(file);
    for (const line of replacedLines(text, search, replacement))
      if (changed.length < LINES_LIMIT) changed.push({ File: file, ...line });
  }
  return changed;
}

/** The selected files with the scripts that use them. Other files on the disk are never touched. */
function selectedFiles({ kernel }: Ports, files: readonly string[], search: string): Map<string, number[]> {
  if (search === '') throw fault('PARAMETER_BOUNDS', 'SearchStr');
  const all = new Map<string, number[]>();
  for (const { id, data } of kernel.tree.objectsOfType(objectType.script))
    all.set(data.file, [...(all.get(data.file) ?? []), id]);
  if (files.length === 0) return all;
  return new Map(
    files.map((file) => {
      const ids = all.get(file);
      if (ids === undefined) throw fault('FILE_MISSING', coded`WHAT_FILE_OF_SCRIPT: ${file} of a script`);
      return [file, ids] as const;
    }),
  );
}

/** The lines of the new text with replacements. */
function replacedLines(
  text: string,
  search: string,
  replacement: string,
): Iterable<{ Line: number; Text: string }> {
  const parts = text.split(search);
  const lines = new Set<number>();
  let line = 1;
  for (const [at, part] of parts.entries()) {
    if (at > 0) {
      lines.add(line);
      line += breaksIn(replacement);
    }
    line += breaksIn(part);
  }
  let at = 0;
  return matchingLines(parts.join(replacement), () => lines.has(++at));
}

const breaksIn = (text: string) => text.split('\n').length - 1;
