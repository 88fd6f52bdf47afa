import { yieldToEventLoop } from '../../base/serial-queue.js';
import { declare, int, type FunctionDeclaration } from '../../device/declare.js';
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

/** What is counted here is looked at in portions of so many messages: about a millisecond each. */
const PORTION = 4096;

/** What the gateway has told and logged (interface §1): of messages, the newest that it keeps are counted. */
export function statisticsFunctions(ports: Ports): FunctionDeclaration[] {
  return [...kept(ports), ...counted(ports), ...logged(ports)];
}

/** Counted in the change buffer, so that nothing is counted while nobody asks. */
function kept({ kernel, system }: Ports): FunctionDeclaration[] {
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
      help: 'How many of the messages that are kept came from each object, most first.',
      run: async (_caller, id) =>
        (await list(id, ({ SenderID }) => SenderID)).map(([SenderID, Count]) => ({ SenderID, Count })),
    }),
    declare({
      name: 'UC_GetMessageSenderIDSizeList',
      parameters: [InstanceID],
      result: 'array',
      shape: shapes.senderSizes,
      help: 'How much memory the messages take that are kept of each object, in bytes, most first.',
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
      help: 'How many of the messages that are kept are of each kind, most first.',
      run: async (_caller, id) =>
        (await list(id, ({ Message }) => Message)).map(([Message, Count]) => ({ Message, Count })),
    }),
    declare({
      name: 'UC_GetEventStatistics',
      parameters: [InstanceID],
      result: 'array',
      shape: shapes.eventStatistics,
      help: 'How often events ran, by their messages that are kept: those that the clock sets off, and triggers.',
      run: async (_caller, id) => {
        const runs = new Map(await list(id, runsOf(kernel, system.startedAt)));
        return { CyclicUpdateCount: runs.get('timed') ?? 0, TriggerUpdateCount: runs.get('trigger') ?? 0 };
      },
    }),
  ];
}

/** Tells which messages are runs of events; to be asked about them in their order. */
function runsOf(kernel: Kernel, startedAt: number): (change: Change) => 'timed' | 'trigger' | undefined {
  const last = new Map<number, unknown>();
  return ({ SenderID, Message, Data: [lastRun] }) => {
    if (Message !== message.EM_UPDATE || Number(lastRun) < startedAt) return undefined;
    const event = kernel.tree.find(SenderID);
    if (!event?.is(objectType.event)) return undefined;
    if (event.data.type === eventType.trigger) return 'trigger';
    // Their next run is told by the same message.
    const isNew = last.get(SenderID) !== lastRun;
    last.set(SenderID, lastRun);
    return isNew ? 'timed' : undefined;
  };
}

/** How fast what happens is told, and what waits. */
function counted(ports: Ports): FunctionDeclaration[] {
  const { kernel, clock, connections, messageWatch: watch, scripts } = ports;
  return [
    declare({
      name: 'UC_GetScriptSenderList',
      parameters: [InstanceID],
      result: 'array',
      shape: shapes.scriptSenders,
      help: 'How often each sender has had a script run since the start, most first.',
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
      help: 'Messages since the start, slow ones, those that wait for clients, ms until the gateway turned to this, calls under way.',
      run: async (_caller, id) => {
        checkModule(kernel, id, UTILITY);
        const fromNs = clock.monotonicNs();
        await yieldToEventLoop();
        const api = connections();
        const sockets = api?.sockets() ?? [];
        return {
          MessageCounter: kernel.changes.emitted,
          MessageSlowCounter: watch.slowCount,
          MessageQueueSize: sockets.reduce((sum, { messages }) => sum + messages, 0),
          MessageQueueDelay: Math.round(Number(clock.monotonicNs() - fromNs) / 1e6),
          RequestQueueSize: sockets.reduce((sum, { calls }) => sum + calls, api?.calls() ?? 0),
        };
      },
    }),
  ];
}

function logged({ kernel, messageLog: logged }: Ports): FunctionDeclaration[] {
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
      help: 'How many messages of each type the log has had, since the start or since they were reset.',
      run: (_caller, id) => {
        checkModule(kernel, id, UTILITY);
        return logged.messages.counts();
      },
    }),
    declare({
      name: 'UC_GetLastLogMessages',
      parameters: [InstanceID, int('Type', logTypes)],
      result: 'array',
      shape: shapes.logMessages,
      help: 'The last messages of a type in the log, the newest first; 100 of each are kept.',
      run: (_caller, id, type) => {
        checkModule(kernel, id, UTILITY);
        return logged.messages.last(type);
      },
    }),
    reset('UC_ResetLogMessageStatistics', "Counts the log's messages from 0 again.", () =>
      logged.messages.resetCounts(),
    ),
    reset('UC_ResetLastLogMessages', 'Forgets the last messages of the log.', () =>
      logged.messages.resetLast(),
    ),
  ];
}
