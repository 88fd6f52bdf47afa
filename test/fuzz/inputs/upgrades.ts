import type { Random } from '../../tools/random.js';
import { randomText } from './json.js';

/** The parts of an upgrade request, as they are sent. */
export interface UpgradeInput {
  path: string;
  protocol?: string;
  headers: string[];
}

/** The known properties of the gateway: correct credentials among wrong ones, an existing configurator. */
export interface UpgradeContext {
  owner: string;
  webfront: string;
  configurator: number;
}

/** An upgrade request, valid or nearly valid in most parts. No CR or LF: that would be another request. */
export function randomUpgrade(random: Random, context: UpgradeContext): UpgradeInput {
  const headers = random.chance(0.6) ? [] : random.some(4, () => anyHeader(random));
  const protocol = anyProtocol(random, context);
  const path = line(anyPath(random, context)).replaceAll(' ', '');
  return {
    path: path === '' ? '/' : path,
    headers,
    ...(protocol !== undefined && { protocol: line(protocol) }),
  };
}

function anyPath(random: Random, { configurator }: UpgradeContext): string {
  const id = random.pick([
    String(configurator),
    '0',
    '-1',
    '99999999999999999999',
    '1e4',
    'x',
    '%30',
    '',
    '../api',
  ]);
  const complete = ['/api/', `/api/wfc/${configurator}`, `/wfc/${configurator}/api/`] as const;
  const path = random.pick([
    ...complete,
    ...complete,
    ...complete,
    '/api',
    '/',
    '//',
    '/api//',
    '/%61pi/',
    '/api/../api/',
    'http://127.0.0.1/api/',
    '*',
    `/api/wfc/${id}`,
    `/wfc/${id}/api/`,
    `/wfc/${id}/api`,
    `/wfc/${id}/`,
    randomText(random),
  ]);
  if (random.chance(0.6)) return path;
  const since = random.pick([
    '0',
    '1',
    '-1',
    '99999999999',
    '1e3',
    '9007199254740993',
    'x',
    '',
    '%',
    '1&since=2',
  ]);
  return `${path}?${random.pick(['since', 'since', 'SINCE', 'x', ''])}=${since}`;
}

function anyProtocol(random: Random, { owner, webfront }: UpgradeContext): string | undefined {
  if (random.chance(0.08)) return undefined;
  const pair = random.pick([
    owner,
    owner,
    owner,
    webfront,
    webfront,
    `${owner}x`,
    ':',
    '',
    'owner',
    randomText(random),
  ]);
  const base64 = Buffer.from(pair).toString('base64');
  const text = random.pick([
    base64,
    base64.replace(/=+$/, ''),
    encodeURIComponent(base64),
    base64.replaceAll('=', '%3D'),
  ]);
  switch (random.below(12)) {
    case 0:
      return `${text}, ${base64}`;
    case 1:
      return text.slice(0, random.below(text.length + 1));
    case 2:
      return `${text}%`;
    case 3:
      return randomText(random);
    case 4:
      return random.pick(['%', '%%', '%zz', '%u0041', '=', '====', ',', ' ', 'A'.repeat(8_000)]);
    default:
      return text;
  }
}

function anyHeader(random: Random): string {
  const text = line(randomText(random)).slice(0, 1_000);
  return random.pick([
    `Origin: ${text}`,
    'Origin: null',
    'Origin: http://evil.example',
    `Cookie: ${text}`,
    `Cookie: stellwerk_1_console=${text}; stellwerk_1_50001=${'A'.repeat(22)}.${'A'.repeat(43)}`,
    `Sec-Fetch-Site: ${text}`,
    'Host: evil.example',
    'Host: 127.0.0.1',
    'Host: [::1]:1',
    `Host: ${text}`,
    `Authorization: ${text}`,
    'Authorization: null',
    `Authorization: Basic ${text}`,
    'Sec-WebSocket-Version: 8',
    'Sec-WebSocket-Key: short',
    'Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits',
    `Sec-WebSocket-Extensions: ${text}`,
    'Connection: close',
    'Upgrade: h2c',
    'Content-Length: 5',
    'Transfer-Encoding: chunked',
    `X-${random.below(100)}: ${text}`,
  ]);
}

function line(text: string): string {
  return text.replace(/[\r\n]/g, '');
}
