import { Fault } from '../../base/fault.js';

/** Maximum length of a line in a result, characters. */
const TEXT_LIMIT = 200;

/** The lines of a text that `isMatch` accepts, numbered from 1. */
export function* matchingLines(
  text: string,
  isMatch: (line: string) => boolean,
): Generator<{ Line: number; Text: string }> {
  for (const [at, line] of text.split('\n').entries())
    if (isMatch(line)) yield { Line: at + 1, Text: line.trim().slice(0, TEXT_LIMIT) };
}

/** A text to be searched; '' if it is gone or cannot be read. */
export async function textOrEmpty(text: Promise<string>): Promise<string> {
  try {
    return await text;
  } catch (thrown) {
    if (thrown instanceof Fault) return '';
    throw thrown;
  }
}
