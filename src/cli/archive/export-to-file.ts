import type { AnyFunction, Client } from '../../client/index.js';
import { exportRecords } from '../../records/export.js';
import { escapeControls } from '../output/terminal.js';
import { openOutput } from './input-output.js';

/** Writes records to a file; `-` is stdout. If that fails, rejects and leaves no file. */
export async function exportToFile(
  gateway: Client<AnyFunction>,
  file: string,
  options: Omit<Parameters<typeof exportRecords>[1], 'write'>,
): ReturnType<typeof exportRecords> {
  await using output = await openOutput(file);
  const isSeen = file === '-' && process.stdout.isTTY;
  const escaped = (text: string) => text.split('\n').map(escapeControls).join('\n');
  const write = (text: string) => output.write(isSeen ? escaped(text) : text);
  const result = await exportRecords(gateway, { ...options, write });
  await output.finish();
  return result;
}
