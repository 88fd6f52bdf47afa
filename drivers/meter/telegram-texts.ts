import { coded, type Text } from '../../src/base/codes/coded-text.js';
import type { RejectionReason, Telegram } from './telegram.js';
import type { Verdict } from './unchecked-telegrams.js';

/** Why bytes were dropped, and what to do. */
export function rejectionText(protocol: string, reason: RejectionReason): Text {
  switch (reason) {
    case 'checksum':
      return coded`METER_CHECKSUM: a ${protocol} telegram with a wrong checksum was dropped; check the position of the reading head and the wiring`;
    case 'malformed':
      return coded`METER_MALFORMED: bytes were dropped that are not a ${protocol} telegram; check the protocol, BaudRate, DataBits and Parity`;
    case 'too long':
      return coded`METER_TOO_LONG: data longer than any ${protocol} telegram was dropped; check the protocol, BaudRate, DataBits and Parity`;
  }
}

/** Why a telegram without a checksum was not used; undefined if it was, or the next one decides. */
export function dropText(protocol: string, verdict: Verdict): Text | undefined {
  if (verdict === 'disturbed') return rejectionText(protocol, 'checksum');
  if (verdict !== 'unchecked') return undefined;
  return coded`METER_UNCHECKED: a ${protocol} telegram without a checksum was dropped; if the meter sends none, set AcceptUnchecked`;
}

/** A telegram for the debug output. */
export function describeTelegram({ records }: Telegram): string {
  return records.map(({ code, value, unit }) => `${code}=${value}${unit}`).join(' ');
}
