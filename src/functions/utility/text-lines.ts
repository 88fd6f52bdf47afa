import { Fault } from '../../base/fault.js';

/** A line of a text is shown up to here. */
const TEXT_LIMIT = 200;

/** The lines of a text that `isWanted` wants, numbered from 1. */
export function* matchingLines(
  text: string,
  isWanted: (line: string) => boolean,
): Generator<{ Line: number; Text: string }> {
  for (const [at, line] of text.split('\n').entries())
    if (isWanted(line)) yield { Line: at + 1, Text: line.trim().slice(0, TEXT_LIMIT) };
}

/** A text that is being looked through with others: '' for one that is gone or can't be read by now. */
export async function textOrEmpty(text: Promise<string>): Promise<string> {
  try {
    return await text;
  } catch (thrown) {
    if (thrown instanceof Fault) return '';
    throw thrown;
  }
}
