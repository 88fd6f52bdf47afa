import t from 'tap';
import { CONCURRENT_READS, OVERDUE_MS, READ_THREADS } from '../../../drivers/sensor/read-lanes.js';
import { DATAGRAM_LIMIT } from '../../../drivers/socket/datagram-socket.js';
import { QUEUE_LIMIT } from '../../../drivers/socket/tcp-connection.js';
import { PAYLOAD_LIMIT } from '../../../drivers/mqtt/mqtt-device.js';
import { PACKET_LIMIT } from '../../../drivers/mqtt/packet-reader.js';
import { lifetimes } from '../../../src/api/access/session-state.js';
import { BODY_LIMIT } from '../../../src/api/http/http-api.js';
import { BATCH_LIMIT } from '../../../src/api/rpc/rpc.js';
import { FILE_LIMIT } from '../../../src/config/document.js';
import {
  ADDRESS_CACHE_MS,
  CONCURRENT_LOOKUPS,
  LOOKUP_TIMEOUT_MS,
} from '../../../src/device/toolkit/name-resolver.js';
import {
  CLOSE_TIMEOUT_MS,
  OPEN_TIMEOUT_MS,
  PROBE_INTERVAL_MS,
  PROBE_TIMEOUT_MS,
} from '../../../src/device/supervisor.js';
import { WRITE_TIMEOUT_MS } from '../../../src/device/command-deadline.js';
import {
  DEBUG_DATA_LIMIT,
  DEBUG_MESSAGES_PER_SECOND,
  DEBUGGED_OBJECTS_LIMIT,
} from '../../../src/device/debug.js';
import { Options } from '../../../src/functions/options.js';
import { BUFFER_BYTES, BUFFER_MESSAGES } from '../../../src/kernel/changes.js';
import { FIRST_ID, LAST_ID } from '../../../src/kernel/ids.js';
import { REPORTED_BUDGET, REPORTED_LIMIT } from '../../../src/kernel/media.js';
import { INFO_LIMIT, NAME_LIMIT } from '../../../src/kernel/text-limits.js';
import { ICON_LIMIT } from '../../../src/media/icons.js';
import { MEDIA_LIMIT } from '../../../src/media/media-files.js';
import { SCRIPT_LIMIT } from '../../../src/script/script-files.js';
import { LOG_BURST, LOG_PER_MINUTE } from '../../../src/service/log-rate-limit.js';
import { AUDIT_KEPT, BACKUPS_KEPT } from '../../../src/store/worker-protocol.js';
import { textOf } from '../../law/sources.js';

const rows = new Map(
  [...textOf('docs/reference/limits.md').matchAll(/^\| (.*?) \| (.*) \|$/gm)].map(
    ([, name = '', rest = '']) => [name, rest],
  ),
);

const number = (value: number) => value.toLocaleString('en');
const mib = (bytes: number) => `${bytes / 1024 / 1024} MiB`;
const kib = (bytes: number) => `${bytes / 1024} KiB`;
const seconds = (ms: number) => `${ms / 1000} s`;

t.test('the limits page shows the values of the code', (t) => {
  const expected: Record<string, string> = {
    'object IDs': `${number(FIRST_ID)} to ${number(LAST_ID)}`,
    'name, ident, texts of a profile': `${number(NAME_LIMIT)} characters`,
    'info, summary': `${number(INFO_LIMIT)} characters`,
    'size of `gateway.yaml`': mib(FILE_LIMIT),
    'content of a media object': mib(MEDIA_LIMIT),
    icon: kib(ICON_LIMIT),
    'change buffer': `${number(BUFFER_MESSAGES)} messages, ${mib(BUFFER_BYTES)}`,
    'body of a call': `${number(BODY_LIMIT)} bytes`,
    'calls in a batch': number(BATCH_LIMIT),
    'browser sessions': `${lifetimes.front.limit} per front, ${lifetimes.console.limit} of the console; beyond that the one unused longest ends`,
    'opening an instance': seconds(OPEN_TIMEOUT_MS),
    'a command': seconds(WRITE_TIMEOUT_MS),
    'closing an instance': seconds(CLOSE_TIMEOUT_MS),
    'probe of a connection': `every ${seconds(PROBE_INTERVAL_MS)}, ${seconds(PROBE_TIMEOUT_MS)} to reply`,
    'host name lookups': `${CONCURRENT_LOOKUPS} at a time, ${seconds(LOOKUP_TIMEOUT_MS)} each, cached for ${seconds(ADDRESS_CACHE_MS)}`,
    'wire trace': `${number(DEBUG_DATA_LIMIT)} bytes per message, ${DEBUG_MESSAGES_PER_SECOND} messages per second, ${DEBUGGED_OBJECTS_LIMIT} objects`,
    'data queued to a TCP or UDP peer': kib(QUEUE_LIMIT),
    datagram: `${number(DATAGRAM_LIMIT)} bytes`,
    'sensor reads at a time; with those that are overdue': `${CONCURRENT_READS}; ${READ_THREADS}`,
    'sensor read that is overdue': seconds(OVERDUE_MS),
    'MQTT packet': mib(PACKET_LIMIT),
    'MQTT payload of a device': mib(PAYLOAD_LIMIT),
    'image of a device; of all devices': `${mib(REPORTED_LIMIT)}; ${mib(REPORTED_BUDGET)}`,
    'text of a script': mib(SCRIPT_LIMIT),
    backups: number(BACKUPS_KEPT),
    audit: `${number(AUDIT_KEPT)} records per role`,
    'log lines of one subject': `${LOG_BURST}, then ${LOG_PER_MINUTE} per minute`,
  };
  for (const [name, value] of Object.entries(expected)) t.equal(rows.get(name)?.split(' |')[0], value, name);
  t.end();
});

t.test('the limits page lists all options with their ranges', (t) => {
  const options = new Options({ saved: {}, save: () => Promise.resolve() });
  for (const name of options.names()) {
    const { Default, Minimum, Maximum } = options.record(name);
    const shown = rows.get(`\`${name}\``)?.split(' | ').slice(0, 3);
    t.strictSame(shown, [Default, Minimum, Maximum].map(number), name);
  }
  t.end();
});
