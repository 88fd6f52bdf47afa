import { Fault, fault, generalOf, messageOf } from '../base/fault.js';

/** Why an instance is not online. */
export interface OfflineReason {
  /** The text for the owner. */
  readonly text: string;
  /** The text for STATUS and quality, which web fronts see: without the names of other objects. */
  readonly shown: string;
}

/** Converts an error to a reason. */
export const offlineReasonOf = (thrown: unknown): OfflineReason => ({
  text: messageOf(thrown),
  shown: generalOf(thrown),
});

/** `DEVICE_OFFLINE` for a command to an instance that is not online. */
export function offlineFault({ text, shown }: OfflineReason): Fault {
  if (text === '') return fault('DEVICE_OFFLINE', 'it is being opened');
  const { code, message } = fault('DEVICE_OFFLINE', text);
  return new Fault(code, message, { general: fault('DEVICE_OFFLINE', shown).message });
}

/** The text of STATUS: the link state, since when (UTC), and further texts. */
export function statusText(
  link: string,
  { sinceMs, isTrusted }: { readonly sinceMs: number; readonly isTrusted: boolean },
  parts: readonly string[],
): string {
  const since = new Date(sinceMs).toISOString().replace('T', ' ').slice(0, 19);
  const first = `${link} since ${since} UTC${isTrusted ? '' : ' (clock not set)'}`;
  return [first, ...parts].filter((part) => part !== '').join(': ');
}
