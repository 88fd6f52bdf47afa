import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { styleText } from 'node:util';

/** The styles of text on a terminal. */
export type TextStyle = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** Styles a text if stdout is a terminal and NO_COLOR is not set. */
export function styled(style: TextStyle, text: string): string {
  return styleText(style, text, { stream: process.stdout });
}

/**
 * Escapes control characters, because names and values come from outside and could contain sequences that
 * control the terminal.
 */
export function escapeControls(text: string): string {
  return text.replace(/\p{Cc}/gu, (char) => `\\x${hex(char, 2)}`);
}

/** JSON without control characters: `JSON.stringify` does not escape those from 7F on. */
export function jsonText(value: unknown, indent = 0): string {
  return JSON.stringify(value, null, indent).replace(/[\u007f-\u009f]/g, (char) => `\\u${hex(char, 4)}`);
}

const hex = (char: string, digits: number) => char.charCodeAt(0).toString(16).padStart(digits, '0');

/** Prompts at the terminal; empty input selects the default, which is in brackets. */
export async function prompt(question: string, standard: string): Promise<string> {
  return (await readInput(`${question} [${standard}]: `, process.stderr)) || standard;
}

/** Prompts at the terminal without echo. */
export function promptHidden(question: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const typed = readInput('', nowhere);
  // Shown after readline has disabled the echo.
  process.stderr.write(question);
  return typed.finally(() => process.stderr.write('\n'));
}

/** Rejects when the user cancels (Ctrl-C, Ctrl-D). */
async function readInput(question: string, output: NodeJS.WritableStream): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output, terminal: true, historySize: 0 });
  const cancelled = Promise.withResolvers<never>();
  terminal.once('close', () => cancelled.reject(new Error('the input was cancelled')));
  try {
    return await Promise.race([terminal.question(question), cancelled.promise]);
  } finally {
    terminal.close();
  }
}
