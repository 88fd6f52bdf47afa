import { readFile } from 'node:fs/promises';
import { type Cancel, systemClock } from '../../base/clock.js';
import { isAbort, messageOf } from '../../base/fault.js';
import { realTiming } from '../../client/timing.js';
import { connectBroker } from '../../composition/recording/connect-broker.js';
import { openSerialPort } from '../../composition/recording/open-serial-port.js';
import type { Peer } from '../../recording/player.js';
import { Recorder } from '../../recording/recorder.js';
import { RECORDING_LIMIT, type Traffic } from '../../recording/entry-format.js';
import { openOutput } from '../archive/input-output.js';
import { gatewayClient, gatewayOptions } from '../arguments/locate-gateway.js';
import { resolveId } from '../arguments/object-id.js';
import {
  brokerOf,
  checkFilters,
  numberOption,
  serialSettings,
  trafficOptions,
} from '../arguments/traffic-options.js';
import { command, UsageError } from '../command.js';
import { exitCode } from '../exit-codes.js';
import { followInstance, trafficOf } from '../recording/follow-instance.js';

const MIB = 1024 * 1024;
const DEFAULT_LIMIT_MB = 16;
const SECONDS_PER_WEEK = 7 * 24 * 3600;

/** `stellwerk record`: the traffic of a broker, of a serial port or of an instance, in a file. */
export const record = command({
  usage: 'record [options] (--broker URL | --port PATH | --instance ID) FILE',
  about: `Records MQTT messages or serial bytes as lines of JSON, until Ctrl-C; replay plays them. FILE must not
exist; - is stdout. --instance records what an MQTT Client, a Serial Port or a Client Socket of a running
gateway sends and receives, up to 2,048 bytes of each message. Passwords, tokens and keys are replaced
by ***: values with such names, and the lines of --hide-file. Look through the file before you pass it on.`,
  options: {
    ...trafficOptions,
    instance: { type: 'string', value: 'ID', help: 'an instance of a running gateway, by ID or path' },
    ...gatewayOptions,
    'hide-file': {
      type: 'string',
      value: 'FILE',
      help: 'each line of this file is a text to hide, such as a name or an address',
    },
    seconds: { type: 'string', value: 'N', help: 'end after this time' },
    limit: {
      type: 'string',
      value: 'MB',
      help: `end when the file has this size; default ${DEFAULT_LIMIT_MB}, at most ${RECORDING_LIMIT / MIB}`,
    },
  },
  words: [1, 1],
  exits: '0 recorded, 1 interrupted, 69 the gateway cannot be reached, 78 errors in the configuration',
  run: async (options, [file = '']) => {
    const { broker, port, instance, topic = [] } = options;
    if ([broker, port, instance].filter((one) => one !== undefined).length !== 1)
      throw new UsageError('give one of --broker, --port and --instance');
    checkFilters(topic);
    const limit = numberOption('limit', options.limit ?? String(DEFAULT_LIMIT_MB), [
      0.001,
      RECORDING_LIMIT / MIB,
    ]);
    const { seconds } = options;
    const lastMs =
      seconds === undefined ? undefined : numberOption('seconds', seconds, [0.001, SECONDS_PER_WEEK]) * 1000;
    const hideFile = options['hide-file'];
    const common = {
      limit: limit * MIB,
      lastMs,
      secrets: hideFile === undefined ? [] : await linesOf(hideFile),
    };
    if (broker !== undefined) {
      const selected = brokerOf(broker, options);
      const filters = topic.length === 0 ? ['#'] : topic;
      return recordTo(file, { ...common, traffic: 'mqtt' }, ({ signal, onTransfer, onLost }) =>
        connectBroker({ ...selected, filters, onMessage: onTransfer, onLost }, signal),
      );
    }
    if (port !== undefined) {
      const settings = serialSettings(options);
      return recordTo(file, { ...common, traffic: 'bytes' }, ({ onTransfer, onLost }) =>
        openSerialPort({
          where: port,
          settings,
          onBytes: (payload) => onTransfer({ topic: '', payload, isRetained: false }),
          onLost,
        }),
      );
    }
    const gateway = await gatewayClient(options);
    const id = await resolveId(gateway, instance ?? '');
    const traffic = await trafficOf(gateway, id);
    return recordTo(file, { ...common, traffic }, ({ signal, recorder, onLost }) =>
      followInstance({ gateway, id, recorder, filters: topic, signal, onLost }),
    );
  },
});

async function linesOf(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch((thrown: unknown) => {
    throw new UsageError(`${file} cannot be read: ${messageOf(thrown)}`);
  });
  return text.split(/\r?\n/).filter((line) => line !== '');
}

interface Recorded {
  readonly traffic: Traffic;
  readonly limit: number;
  readonly lastMs: number | undefined;
  readonly secrets: readonly string[];
}

interface Source {
  readonly signal: AbortSignal;
  readonly recorder: Recorder;
  onTransfer(this: void, received: { topic: string; payload: Buffer; isRetained: boolean }): void;
  onLost(this: void, cause: Error): void;
}

/** Records until Ctrl-C, the time, the limit or the loss of the connection; what was recorded stays. */
async function recordTo(
  file: string,
  { traffic, limit, lastMs, secrets }: Recorded,
  open: (source: Source) => Promise<AsyncDisposable | Peer>,
): Promise<number> {
  const clock = systemClock();
  await using output = await openOutput(file);
  const ended = Promise.withResolvers<string>();
  const cancelled = new AbortController();
  const cancel = () => {
    cancelled.abort();
    ended.resolve('');
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, cancel);
  const startNs = clock.monotonicNs();
  const nowMs = () => Math.round(Number(clock.monotonicNs() - startNs) / 1e6);
  const recorder = new Recorder({
    traffic,
    secrets,
    limit,
    write: (text) => output.write(text),
    onEnd: (cause) => ended.resolve(cause === undefined ? 'the limit is reached' : ''),
  });
  let cancelTimer: Cancel | undefined;
  let lost: Error | undefined;
  try {
    await using _source = await open({
      recorder,
      signal: cancelled.signal,
      onTransfer: ({ topic, payload, isRetained }) =>
        recorder.add({ ms: nowMs(), direction: 'in', topic, payload, isRetained, isIncomplete: false }),
      onLost: (cause) => {
        lost = cause;
        ended.resolve('');
      },
    });
    process.stderr.write('recording; press Ctrl-C to end\n');
    if (lastMs !== undefined) cancelTimer = realTiming.after(lastMs, () => ended.resolve(''));
    const why = await ended.promise;
    if (why !== '') process.stderr.write(`${why}\n`);
  } catch (thrown) {
    if (!isAbort(thrown)) throw thrown;
  } finally {
    cancelTimer?.();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, cancel);
  }
  // If the disk is full, what was recorded until then stays.
  await recorder.end().catch((thrown: Error) => (lost ??= thrown));
  await output.finish();
  const { transfers, hidden } = recorder;
  process.stderr.write(
    `${transfers} ${traffic === 'mqtt' ? 'messages' : 'pieces'}, ${hidden} of them with hidden secrets, in ${file}\n`,
  );
  if (lost === undefined) return exitCode.ok;
  process.stderr.write(`stellwerk record: ${messageOf(lost)}\n`);
  return exitCode.failed;
}
