import { coded } from '../../base/codes/coded-text.js';
import { yieldToEventLoop } from '../../base/event-loop.js';
import { fault } from '../../base/fault.js';
import { logLevels } from '../../base/log.js';
import { declare, int, optional, text, type FunctionDeclaration } from '../../device/declare.js';
import type { Change } from '../../kernel/changes.js';
import { eventType } from '../../kernel/events/event-data.js';
import type { Kernel } from '../../kernel/kernel.js';
import { message } from '../../kernel/messages.js';
import { objectType } from '../../kernel/object.js';
import { UTILITY, checkModule } from '../argument-checks.js';
import { logTypes } from '../enumerations.js';
import * as shapes from '../machine-shapes.js';
import type { Ports } from '../ports.js';

const InstanceID = int('InstanceID');

/** Messages counted before yielding to the event loop: about 1 ms of work. */
const PORTION = 4096;
/** Lines of the log in a reply. */
const LOG_LIMIT = 500;
const LOG_DEFAULT = 100;

/** Statistics of messages and of the log (interface §1); they count the buffered messages only. */
export function statisticsFunctions(ports: Ports): FunctionDeclaration[] {
  return [...messageStatistics(ports), ...counters(ports), ...logStatistics(ports)];
}

/** Statistics computed from the change buffer on request, so that nothing is counted otherwise. */
function messageStatistics({ kernel, system }: Ports): FunctionDeclaration[] {
  const list = async <K>(id: number, key: (change: Change) => K, weight = (_: Change) => 1) => {
    checkModule(kernel, id, UTILITY);
    const sums = new Map<K, number>();
    const all = kernel.changes.all();
    for (const [at, change] of all.entries()) {
      const one = key(change);
      sums.set(one, (sums.get(one) ?? 0) + weight(change));
      if (at % PORTION === PORTION - 1) await yieldToEventLoop();
    }
    return [...sums].sort(([, a], [, b]) => b - a);
  };
  return [
    declare({
      name: 'UC_GetMessageSenderIDList',
      parameters: [InstanceID],
      result: 'array',
      shape: shapes.senderCounts,
      help: 'The number of buffered messages of each sender, in descending order.',
      run: async (_caller, id) =>
        (await list(id, ({ SenderID }) => SenderID)).map(([SenderID, Count]) => ({ SenderID, Count })),
    }),
    declare({
      name: 'UC_GetMessageSenderIDSizeList',
      parameters: [InstanceID],
      result: 'array',
      shape: shapes.senderSizes,
      help: 'The size of the buffered messages of each sender in bytes, in descending order.',
      run: async (_caller, id) =>
        (
          await list(
            id,
            ({ SenderID }) => SenderID,
            ({ bytes }) => bytes,
          )
        ).map(([SenderID, Size]) => ({ SenderID, Size })),
    }),
    declare({
      name: 'UC_GetMessageTypeList',
      parameters: [InstanceID],
      result: 'array',
      shape: shapes.messageCounts,
      help: 'The number of buffered messages of each type, in descending order.',
      run: async (_caller, id) =>
        (await list(id, ({ Message }) => Message)).map(([Message, Count]) => ({ Message, Count })),
    }),
    declare({
      name: 'UC_GetEventStatistics',
      parameters: [InstanceID],
      result: 'array',
      shape: shapes.eventStatistics,
      help: 'The number of runs of timed and of triggered events, as counted in the buffered messages.',
      run: async (_caller, id) => {
        const runs = new Map(await list(id, runsOf(kernel, system.startedAt)));
        return { CyclicUpdateCount: runs.get('timed') ?? 0, TriggerUpdateCount: runs.get('trigger') ?? 0 };
      },
    }),
  ];
}

/** Returns a function that detects runs of events; it must be called with the messages in their order. */
function runsOf(kernel: Kernel, startedAt: number): (change: Change) => 'timed' | 'trigger' | undefined {
  const last = new Map<number, unknown>();
  return ({ SenderID, Message, Data: [lastRun] }) => {
    if (Message !== message.EM_UPDATE || Number(lastRun) < startedAt) return undefined;
    const event = kernel.tree.find(SenderID);
    if (!event?.is(objectType.event)) return undefined;
    if (event.data.type === eventType.trigger) return 'trigger';
    // The same message announces their next run.
    const isNew = last.get(SenderID) !== lastRun;
    last.set(SenderID, lastRun);
    return isNew ? 'timed' : undefined;
  };
}

/** Counters of messages, queues and script runs. */
function counters(ports: Ports): FunctionDeclaration[] {
  const { kernel, clock, connections, messageWatch, scripts } = ports;
  return [
    declare({
      name: 'UC_GetScriptSenderList',
      parameters: [InstanceID],
      result: 'array',
      shape: shapes.scriptSenders,
      help: 'The number of script runs since the start by sender, in descending order.',
      run: (_caller, id) => {
        checkModule(kernel, id, UTILITY);
        const senders = [...scripts.senders()].sort(([, a], [, b]) => b - a);
        return senders.map(([Sender, Count]) => ({ Sender, Count }));
      },
    }),
    declare({
      name: 'UC_GetKernelStatistics',
      parameters: [InstanceID],
      result: 'array',
      shape: shapes.kernelStatistics,
      help: 'Messages since the start, slow messages, messages queued for clients, delay of the event loop in ms, calls in progress.',
      run: async (_caller, id) => {
        checkModule(kernel, id, UTILITY);
        const fromNs = clock.monotonicNs();
        await yieldToEventLoop();
        const api = connections();
        const sockets = api?.sockets() ?? [];
        return {
          MessageCounter: kernel.changes.emitted,
          MessageSlowCounter: messageWatch.slowCount,
          MessageQueueSize: sockets.reduce((sum, { messages }) => sum + messages, 0),
          MessageQueueDelay: Math.round(Number(clock.monotonicNs() - fromNs) / 1e6),
          RequestQueueSize: sockets.reduce((sum, { calls }) => sum + calls, api?.calls() ?? 0),
        };
      },
    }),
  ];
}

function logStatistics({ kernel, messageLog }: Ports): FunctionDeclaration[] {
  const reset = (name: string, help: string, run: () => void) =>
    declare({
      name,
      parameters: [InstanceID],
      result: 'boolean',
      audited: true,
      help,
      run: (_caller, id) => {
        checkModule(kernel, id, UTILITY);
        run();
        return true;
      },
    });
  return [
    declare({
      name: 'UC_GetLogMessageStatistics',
      parameters: [InstanceID],
      result: 'array',
      shape: shapes.logStatistics,
      help: 'The number of log messages of each type, since the start or the last reset.',
      run: (_caller, id) => {
        checkModule(kernel, id, UTILITY);
        return messageLog.messages.counts();
      },
    }),
    declare({
      name: 'UC_GetLastLogMessages',
      parameters: [InstanceID, int('Type', logTypes)],
      result: 'array',
      shape: shapes.logMessages,
      help: 'The latest log messages of a type, newest first; 100 of each type are kept.',
      run: (_caller, id, type) => {
        checkModule(kernel, id, UTILITY);
        return messageLog.messages.last(type);
      },
    }),
    declare({
      name: 'GW_GetLog',
      parameters: [
        optional(int('SinceMs')),
        optional(text('Level')),
        optional(text('Subject')),
        optional(int('Limit')),
      ],
      result: 'array',
      shape: shapes.logRecords,
      help: 'The newest lines of the log since a time (unix milliseconds), oldest first; of a level (debug, info, warn, error) and above, of a subject. 500 lines are kept.',
      run: (_caller, sinceMs = 0, given = 'debug', subject = '', limit = LOG_DEFAULT) => {
        const level = logLevels.find((one) => one === given);
        if (level === undefined)
          throw fault(
            'PARAMETER_TYPE',
            'Level',
            coded`EXPECTED_ONE_OF: expected one of ${logLevels.join(', ')}`,
          );
        if (limit < 1 || limit > LOG_LIMIT) throw fault('PARAMETER_BOUNDS', 'Limit');
        return messageLog.records.find({ sinceMs, level, subject, limit });
      },
    }),
    reset('UC_ResetLogMessageStatistics', 'Resets the counts of log messages.', () =>
      messageLog.messages.resetCounts(),
    ),
    reset('UC_ResetLastLogMessages', 'Discards the latest log messages.', () =>
      messageLog.messages.resetLast(),
    ),
  ];
}
