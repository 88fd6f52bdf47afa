import { messageOf } from '../../base/fault.js';
import { realTiming } from '../../client/timing.js';
import { connectBroker, matchesFilter } from '../../composition/recording/connect-broker.js';
import { openSerialPort } from '../../composition/recording/open-serial-port.js';
import { Player } from '../../recording/player.js';
import { type Entry, parseRecording, type Recording, RECORDING_LIMIT } from '../../recording/entry-format.js';
import { Input } from '../archive/input-output.js';
import { gatewayOptions } from '../arguments/locate-gateway.js';
import {
  brokerOf,
  checkFilters,
  numberOption,
  serialSettings,
  trafficOptions,
} from '../arguments/traffic-options.js';
import { command, UsageError } from '../command.js';
import { exitCode } from '../exit-codes.js';
import { escapeControls } from '../output/terminal.js';

/** How long the gateway may take by default, s. */
const DEFAULT_TIMEOUT_S = '30';

/** `stellwerk replay`: sends what a gateway received, and waits for what it sent. */
export const replay = command({
  usage: 'replay [options] (--broker URL | --port PATH) FILE',
  about: `Plays a recording against a gateway under test: publishes the messages that the gateway received at the
broker to which it is connected, or sends the bytes to the port at the other end of its cable. Where the
gateway sent something when it was recorded, waits until it sends the same.`,
  options: {
    ...trafficOptions,
    'password-file': {
      ...gatewayOptions['password-file'],
      help: 'the password at the broker is its first line',
    },
    ca: gatewayOptions.ca,
    speed: { type: 'string', value: 'N', help: '2 plays twice as fast, 0 without pauses; default 1' },
    await: {
      type: 'string',
      value: 'FILTER',
      multiple: true,
      help: 'the gateway sends messages on these topics, such as zigbee2mqtt/+/set: wait for them instead of\nsending them. A recording of a broker does not say who sent a message; repeatable',
    },
    timeout: {
      type: 'string',
      value: 'S',
      help: `how long the gateway may take to send something; default ${DEFAULT_TIMEOUT_S}`,
    },
    'no-wait': { type: 'boolean', help: 'do not wait for what the gateway sends' },
  },
  words: [1, 1],
  exits: '0 played, 1 the gateway did not send what it should, or FILE is invalid, 130 cancelled',
  run: async (options, [file = '']) => {
    const { broker, port, topic = [], await: awaited = [] } = options;
    if ((broker === undefined) === (port === undefined)) throw new UsageError('give --broker or --port');
    checkFilters([...topic, ...awaited]);
    const speed = numberOption('speed', options.speed ?? '1', [0, 1000]);
    const timeoutS = numberOption('timeout', options.timeout ?? DEFAULT_TIMEOUT_S, [0.001, 86_400]);
    const waitMs = options['no-wait'] === true ? 0 : timeoutS * 1000;
    const recording = await readRecording(file);
    if ((recording.traffic === 'mqtt') !== (broker !== undefined))
      throw new UsageError(
        recording.traffic === 'mqtt'
          ? `${file} has messages: give --broker`
          : `${file} has bytes: give --port`,
      );
    const entries = selected(recording, topic, awaited);
    const ended = new AbortController();
    const cancel = () => ended.abort(new DOMException('cancelled', 'AbortError'));
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, cancel);
    const onLost = (cause: Error) => ended.abort(cause);
    const onNote = (note: string) => void process.stderr.write(`${escapeControls(note)}\n`);
    const player = new Player({ clock: realTiming, speed, waitMs, onNote });
    await using peer =
      broker === undefined
        ? await openSerialPort({
            where: port ?? '',
            settings: serialSettings(options),
            onBytes: (bytes) => player.take('', bytes),
            onLost,
          })
        : await connectBroker(
            {
              ...brokerOf(broker, options),
              filters: waitMs === 0 ? [] : topicsOfGateway(entries),
              onMessage: (message) => player.take(message.topic, message.payload),
              onLost,
            },
            ended.signal,
          );
    const played = await player.play(entries, peer, ended.signal);
    process.stderr.write(`sent ${played.sent}, and the gateway sent ${played.awaited} as recorded\n`);
    return exitCode.ok;
  },
});

/** Throws UsageError if the file cannot be read, an error with the line if it is invalid. */
async function readRecording(file: string): Promise<Recording> {
  await using input = await Input.open(file);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of input.chunks()) {
    bytes += chunk.length;
    if (bytes > RECORDING_LIMIT) throw new Error(`${file} has more than ${RECORDING_LIMIT} bytes`);
    chunks.push(chunk);
  }
  try {
    const recording = parseRecording(Buffer.concat(chunks).toString());
    if (recording.isTorn)
      process.stderr.write(
        `${file}: the last line is incomplete and is left out: recording it was interrupted\n`,
      );
    return recording;
  } catch (thrown) {
    throw new Error(`${file}:${messageOf(thrown)}`, { cause: thrown });
  }
}

/** The entries to play; those on the topics of the gateway are awaited. */
function selected({ entries }: Recording, topics: readonly string[], awaited: readonly string[]): Entry[] {
  const matches = (filters: readonly string[], topic: string) =>
    filters.some((one) => matchesFilter(one, topic));
  return entries.flatMap((entry): Entry[] => {
    if ('note' in entry || entry.topic === '') return [entry];
    if (topics.length > 0 && !matches(topics, entry.topic)) return [];
    return [matches(awaited, entry.topic) ? { ...entry, direction: 'out' } : entry];
  });
}

/** The topics on which the recorded gateway sent something. */
function topicsOfGateway(entries: readonly Entry[]): string[] {
  const topics = entries.flatMap((entry) =>
    'note' in entry || entry.direction === 'in' ? [] : [entry.topic],
  );
  return [...new Set(topics)];
}
