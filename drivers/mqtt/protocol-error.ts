/** Reason codes of MQTT 5 §2.4 for what a broker sent. */
export const reasonCode = {
  malformed: 129,
  protocol: 130,
  tooLarge: 149,
  quota: 151,
  qos: 155,
} as const;

/** What a broker sent is not MQTT; the connection must be closed (MQTT 5 §4.13). */
export function protocolError(
  what: string,
  code: (typeof reasonCode)[keyof typeof reasonCode] = reasonCode.protocol,
) {
  return Object.assign(new Error(`the broker does not follow MQTT: ${what}`), { code });
}
