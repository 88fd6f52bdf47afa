import { words } from './i18n/console-texts.js';

/** The status of an instance in words. */
export function statusText(code: number): string {
  const { status, statusOther } = words();
  return status[code] ?? statusOther(code);
}
