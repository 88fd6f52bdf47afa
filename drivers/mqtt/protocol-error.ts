/** MQTT 5 reason codes (§2.4) for invalid packets of a broker. */
export const reasonCode = {
  malformed: 129,
  protocol: 130,
  tooLarge: 149,
  quota: 151,
  qos: 155,
} as const;

/** Creates the error for a protocol violation, which must close the connection (MQTT 5 §4.13). */
export function protocolError(
  description: string,
  code: (typeof reasonCode)[keyof typeof reasonCode] = reasonCode.protocol,
) {
  return Object.assign(new Error(`the broker violates the MQTT protocol: ${description}`), { code });
}
