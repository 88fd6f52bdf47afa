import { coded, type CodedText } from '../../src/base/codes/coded-text.js';

/** MQTT 5 reason codes (§2.4) for invalid packets of a broker. */
export const reasonCode = {
  malformed: 129,
  protocol: 130,
  tooLarge: 149,
  quota: 151,
  qos: 155,
} as const;

/** An error of a connection, with its sentence. */
export interface ConnectionError extends Error {
  readonly sentence: CodedText;
}

/** Creates the error for a connection that ended; `text` says why. */
export const connectionError = (text: CodedText): ConnectionError =>
  Object.assign(new Error(text.toString()), { sentence: text });

/** Creates the error for a protocol violation, which must close the connection (MQTT 5 §4.13). */
export function protocolError(
  description: CodedText,
  code: (typeof reasonCode)[keyof typeof reasonCode] = reasonCode.protocol,
) {
  const text = coded`BROKER_VIOLATES_PROTOCOL: the broker violates the MQTT protocol: ${description}`;
  return Object.assign(connectionError(text), { code });
}
