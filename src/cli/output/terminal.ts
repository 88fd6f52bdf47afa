import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { styleText } from 'node:util';

/** What a text may look like on a terminal. */
export type Colour = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** Text as stdout may show it: coloured on a terminal, unless NO_COLOR says otherwise. */
export function styled(colour: Colour, text: string): string {
  return styleText(colour, text, { stream: process.stdout });
}

/**
 * Names and values come from outside: what would move a terminal's cursor, or worse, is shown as it is
 * written.
 */
export function escapeControls(text: string): string {
  return text.replace(/\p{Cc}/gu, (char) => `\\x${hex(char, 2)}`);
}

/** JSON that is harmless too: JSON itself leaves the control characters from 7F on as they are. */
export function jsonText(value: unknown, indent = 0): string {
  return JSON.stringify(value, null, indent).replace(/[\u007f-\u009f]/g, (char) => `\\u${hex(char, 4)}`);
}

const hex = (char: string, digits: number) => char.charCodeAt(0).toString(16).padStart(digits, '0');

/** Asks at the terminal; an empty answer is the one in brackets. */
export async function prompt(question: string, standard: string): Promise<string> {
  return (await answer(`${question} [${standard}]: `, process.stderr)) || standard;
}

/** Asks at the terminal without showing what is typed. */
export function promptHidden(question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const typed = answer('', nowhere);
  // Only now: the terminal would show what is typed before readline has it.
  process.stderr.write(question);
  return typed.finally(() => process.stderr.write('\n'));
}

/** Rejects when the user cancels (Ctrl-C, Ctrl-D). */
async function answer(question: string, output: NodeJS.WritableStream): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output, terminal: true, historySize: 0 });
  const givenUp = Promise.withResolvers<never>();
  terminal.once('close', () => givenUp.reject(new Error('nothing was answered')));
  try {
    return await Promise.race([terminal.question(question), givenUp.promise]);
  } finally {
    terminal.close();
  }
}
