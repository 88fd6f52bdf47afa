import { coded, type Text } from '../base/codes/coded-text.js';
import { Fault, codedGeneralOf, codedMessageOf, fault } from '../base/fault.js';

/** Why an instance is not online. */
export interface OfflineReason {
  /** The text for the owner. */
  readonly text: Text;
  /** The text for STATUS and quality, which web fronts see: without the names of other objects. */
  readonly shown: Text;
}

/** Converts an error to a reason. */
export const offlineReasonOf = (thrown: unknown): OfflineReason => ({
  text: codedMessageOf(thrown),
  shown: codedGeneralOf(thrown),
});

/** `DEVICE_OFFLINE` for a command to an instance that is not online. */
export function offlineFault({ text, shown }: OfflineReason): Fault {
  if (text === '') return fault('DEVICE_OFFLINE', coded`OPENING: it is being opened`);
  const { code, message, parameters = [] } = fault('DEVICE_OFFLINE', text);
  return new Fault(code, message, { parameters, general: fault('DEVICE_OFFLINE', shown).message });
}

/** The text of STATUS: the link state, since when (UTC), and further texts. */
export function statusText(
  link: string,
  { sinceMs, isTrusted }: { readonly sinceMs: number; readonly isTrusted: boolean },
  parts: readonly Text[],
): string {
  const since = new Date(sinceMs).toISOString().replace('T', ' ').slice(0, 19);
  const first = `${link} since ${since} UTC${isTrusted ? '' : ' (clock not set)'}`;
  return [first, ...parts.map(String)].filter((part) => part !== '').join(': ');
}
