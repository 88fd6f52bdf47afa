import { existsSync, readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { dirname, join } from 'node:path';
import { PACKAGE_ROOT } from '../../src/base/package-root.js';

/** A position in compiled code: `dist/test/law/words.test.js:12:5`. */
const COMPILED = /\b(dist\/[\w./-]+\.js):(\d+):(\d+)/g;

/**
 * Replaces the positions in compiled code by those of the source. Node can do this with
 * `--enable-source-maps`, which costs every test a tenth of its processor time; here only failed ones pay.
 */
export function withSourcePositions(text: string): string {
  return text.replace(COMPILED, (found, ...[file = '', line, column]: string[]) => {
    const path = join(PACKAGE_ROOT, `${file}.map`);
    if (!existsSync(path)) return found;
    const map = new SourceMap(JSON.parse(readFileSync(path, 'utf8')) as SourceMapPayload);
    const origin = map.findOrigin(Number(line), Number(column));
    if (!('fileName' in origin) || origin.fileName === undefined) return found;
    return `${join(dirname(file), origin.fileName)}:${origin.lineNumber}:${origin.columnNumber}`;
  });
}
