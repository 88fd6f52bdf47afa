import { validateFilter } from '../../composition/recording/connect-broker.js';
import { portSettings } from '../../composition/recording/open-serial-port.js';
import { UsageError } from '../command.js';
import { readFirstLine } from './locate-gateway.js';

const PROTOCOLS: readonly string[] = ['mqtt:', 'mqtts:', 'ws:', 'wss:'];

/** The options that select a broker, or a serial port. */
export const trafficOptions = {
  broker: {
    type: 'string',
    value: 'URL',
    help: 'an MQTT broker: mqtt://host, mqtts://host for TLS, ws:// or wss://',
  },
  username: { type: 'string', value: 'NAME', help: 'the user name for the broker' },
  port: { type: 'string', value: 'PATH', help: 'a serial port: its path, or VID:PID[:serial]' },
  baud: { type: 'string', value: 'RATE', help: 'its speed; default 9600' },
  frame: { type: 'string', value: 'BITS', help: 'its data bits, parity and stop bits; default 8N1' },
  topic: {
    type: 'string',
    value: 'FILTER',
    multiple: true,
    help: 'only messages on these topics, such as zigbee2mqtt/#; repeatable',
  },
} as const;

interface TrafficArguments {
  readonly broker?: string;
  readonly username?: string;
  readonly 'password-file'?: string;
  readonly ca?: string;
  readonly port?: string;
  readonly baud?: string;
  readonly frame?: string;
}

/** The selected broker. Throws UsageError. */
export function brokerOf(url: string, given: TrafficArguments) {
  const { protocol, hostname, username, password } = URL.canParse(url) ? new URL(url) : NO_URL;
  if (!PROTOCOLS.includes(protocol) || hostname === '')
    throw new UsageError('--broker must look like mqtt://host:1883 or mqtts://host');
  if (username + password !== '')
    throw new UsageError(
      'in --broker, other users of this machine can see a password: give --username and --password-file',
    );
  const file = given['password-file'];
  return {
    url,
    userName: given.username ?? '',
    password: file === undefined ? '' : readFirstLine(file),
    caFile: given.ca ?? '',
  };
}

const NO_URL = { protocol: '', hostname: '', username: '', password: '' };

/** The settings of the selected port. Throws UsageError. */
export function serialSettings({ baud = '9600', frame = '8N1' }: TrafficArguments) {
  const settings = portSettings(baud, frame);
  if (settings === undefined)
    throw new UsageError(`--baud ${baud} --frame ${frame}: give them like --baud 9600 --frame 8N1`);
  return settings;
}

/** Throws UsageError if one of them is not a topic filter. */
export function checkFilters(filters: readonly string[]): void {
  for (const filter of filters) {
    const problem = validateFilter(filter);
    if (problem !== undefined) throw new UsageError(`${filter}: ${String(problem)}`);
  }
}

/** A number within a range. Throws UsageError. */
export function numberOption(
  name: string,
  text: string,
  [least, most]: readonly [least: number, most: number],
): number {
  const number = text.trim() === '' ? NaN : Number(text);
  if (number >= least && number <= most) return number;
  throw new UsageError(`--${name} ${text}: give a number from ${least} to ${most}`);
}
