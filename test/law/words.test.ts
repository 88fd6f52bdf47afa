import t from 'tap';
import { filesOf, textOf } from './sources.js';
import { AVOIDED_WORDS } from './words.js';

/** Files that list the words, or are generated from the texts of other files. */
const EXEMPT =
  /^test\/law\/words|^src\/client\/generated\/|^docs\/reference\/(functions\.md|openrpc\.json|gateway\.schema\.json)$/;
const TOKENS = /\/\*[^]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g;

const files = [
  ...['src', 'drivers', 'test', 'docs', 'systemd', 'board'].flatMap((directory) => filesOf(directory)),
  'ARCHITECTURE.md',
  'README.md',
  'SECURITY.md',
].filter((file) => /\.(tsx?|c|h|md|sh|py|php|yaml)$/.test(file) && !EXEMPT.test(file));

/**
 * The prose of a file: the text of a page, or the comments and strings of code. Replaces other characters
 * with blanks.
 */
function proseOf(file: string): string {
  const text = textOf(file);
  if (!/\.(tsx?|c|h|php)$/.test(file)) return text;
  let prose = '';
  let end = 0;
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    prose += text.slice(end, index).replace(/[^\n]/g, ' ');
    prose += token.startsWith('`') ? token.replace(/\$\{[^}]*\}/g, (code) => ' '.repeat(code.length)) : token;
    end = index + token.length;
  }
  return prose;
}

t.test('comments, texts and pages use the words of CONTRIBUTING.md', async (t) => {
  const lines = files.flatMap((file) =>
    proseOf(file)
      .split('\n')
      .map((line, index) => ({ where: `${file}:${index + 1}`, line: line.trim() })),
  );
  for (const { pattern, instead, left } of AVOIDED_WORDS) {
    const word = new RegExp(`(?<![\\w'-])(?:${pattern})(?![\\w-])`, 'gi');
    const found = lines.flatMap(({ where, line }) =>
      [...line.matchAll(word)].map(([text]) => `${where}: ${text}: ${line.slice(0, 100)}`),
    );
    if (found.length > left)
      t.fail(`${pattern}: ${found.length} times, ${left} allowed; write: ${instead}`, {
        found: found.slice(0, 40),
      });
    else if (found.length < left)
      t.comment(`${pattern}: ${found.length} times, ${left} allowed: lower the number`);
  }
  t.ok(lines.length > 0);
});
