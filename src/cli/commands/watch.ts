import { delay } from '../../base/clock.js';
import { isAbort } from '../../base/fault.js';
import { type AnyFunction, type ChangeRecord, type Client, ServerError } from '../../client/index.js';
import { realTiming } from '../../client/timing.js';
import { message } from '../../kernel/messages.js';
import { command } from '../command.js';
import { exitCode } from '../exit-codes.js';
import { resolveId } from '../arguments/object-id.js';
import { changeText } from '../output/message-text.js';
import { escapeControls, jsonText, styled } from '../output/terminal.js';
import { type Snapshot, TreeReplica } from '../output/tree-replica.js';
import { gatewayClient, gatewayOptions } from '../arguments/locate-gateway.js';

/** Pause after a failed snapshot, ms. */
const RETRY_MS = 1000;
/** Time limit of the debug output of an instance, s, in case this command cannot end it. */
const DEBUG_S = 3600;
/** Maximum number of characters that are shown of a text, because a device can send any number. */
const TEXT_LIMIT = 400;

/** `stellwerk watch`: prints changes as they arrive, until Ctrl-C. */
export const watch = command({
  usage: 'watch [options]',
  about: `Prints changes of the gateway: time, ID, path and change. Press Ctrl-C to end. Reconnects after an interruption
and reports it; changes that the gateway still has are not lost.`,
  options: {
    ...gatewayOptions,
    from: {
      type: 'string',
      value: 'ID',
      multiple: true,
      help: 'only this object and everything below it, by ID or path (ground_floor/hall_relay);\nrepeatable',
    },
    debug: {
      type: 'string',
      value: 'ID',
      multiple: true,
      help: 'also what this instance sends and receives (SVC_EnableDebug), for an hour or until Ctrl-C;\nrepeatable',
    },
    json: { type: 'boolean', help: 'one line of JSON per change, as clients receive it' },
  },
  words: [0, 0],
  exits: '0 ended by Ctrl-C, 1 rejected, 69 the gateway cannot be reached, 78 errors in the configuration',
  run: async (options) => {
    const gateway = await gatewayClient(options);
    const from = new Set(await Promise.all((options.from ?? []).map((text) => resolveId(gateway, text))));
    const debugged = await Promise.all((options.debug ?? []).map((text) => resolveId(gateway, text)));
    const ended = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ended.abort());
    const show = options.json === true ? showJson : showLine;
    const enableDebug = async () => {
      for (const id of debugged) await gateway.request('SVC_EnableDebug', [id, DEBUG_S]);
    };
    try {
      await enableDebug();
      await follow(gateway, { signal: ended.signal, from, show, enableDebug });
    } catch (thrown) {
      if (!isAbort(thrown)) throw thrown;
    } finally {
      // If the gateway cannot be reached, there is no debug output to end.
      for (const id of debugged) await gateway.request('SVC_DisableDebug', [id]).catch(() => undefined);
    }
    return exitCode.ok;
  },
});

interface Watching {
  readonly signal: AbortSignal;
  /** Show only changes of these objects and of objects below them; if empty, of all. */
  readonly from: ReadonlySet<number>;
  show(record: ChangeRecord, tree: TreeReplica): void;
  /** Enables the debug output, which a restart of the gateway ends. */
  enableDebug(): Promise<void>;
}

async function follow(
  gateway: Client<AnyFunction>,
  { signal, from, show, enableDebug }: Watching,
): Promise<void> {
  let tree = new TreeReplica(await snapshotOf(gateway, signal));
  let isUp = true;
  const onLink = (gone: Error | undefined) => {
    if ((gone === undefined) === isUp) return;
    isUp = gone === undefined;
    remark(gone === undefined ? 'connected again' : `${gone.message}; retrying`);
  };
  let staleProfiles = false;
  for await (const item of gateway.changes({ since: tree.timestamp, signal, onLink })) {
    if (item.kind === 'lost') {
      tree = new TreeReplica(await retrySnapshot(gateway, signal));
      remark('some changes are missing here: the gateway was restarted, or no longer has them');
      await enableDebug().catch((thrown: Error) => remark(`no debug output: ${thrown.message}`));
      continue;
    }
    const { record } = item;
    if (record.TimeStamp <= tree.timestamp) continue;
    if (record.Message >= message.PM_CREATE && record.Message <= message.PM_ASSOCIATIONCHANGED)
      staleProfiles = true;
    else if (staleProfiles && record.Message === message.VM_UPDATE) {
      tree.profiles = (await retrySnapshot(gateway, signal)).profiles;
      staleProfiles = false;
    }
    // A deleted object is shown with its last name, a new one with its first name.
    const isLeaving = record.Message === message.OM_UNREGISTER;
    if (!isLeaving) tree.take(record);
    if (from.size === 0 || tree.isWithin(record.SenderID, from)) show(record, tree);
    if (isLeaving) tree.take(record);
  }
}

function snapshotOf(gateway: Client<AnyFunction>, signal: AbortSignal): Promise<Snapshot> {
  return gateway.request('SVC_GetSnapshot', [], { signal }) as Promise<Snapshot>;
}

/** Like {@link snapshotOf}, but retries until the gateway can be reached. */
async function retrySnapshot(gateway: Client<AnyFunction>, signal: AbortSignal): Promise<Snapshot> {
  for (;;) {
    try {
      return await snapshotOf(gateway, signal);
    } catch (thrown) {
      if (!(thrown instanceof ServerError)) throw thrown;
    }
    await delay(realTiming, RETRY_MS, signal);
  }
}

function showLine(record: ChangeRecord, tree: TreeReplica): void {
  const phrase = changeText(record, tree);
  if (phrase === undefined) return;
  const { SenderID: id } = record;
  const who = id === 0 ? '' : `${String(id).padStart(5)}  ${escapeControls(tree.path(id))}  `;
  const text = escapeControls(
    phrase.text.length > TEXT_LIMIT ? `${phrase.text.slice(0, TEXT_LIMIT)}…` : phrase.text,
  );
  process.stdout.write(`${styled('dim', timeOf(new Date()))}  ${who}${styled(phrase.style, text)}\n`);
}

function showJson(record: ChangeRecord): void {
  process.stdout.write(`${jsonText(record)}\n`);
}

/** A remark about the connection, on stderr. */
function remark(text: string): void {
  process.stderr.write(`${timeOf(new Date())}  ${text}\n`);
}

function timeOf(date: Date): string {
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((n) => String(n).padStart(2, '0'))
    .join(':');
}
