import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { formatTime } from '../../web/format.js';
import type { TreeNode } from '../../web/model.js';
import { realTiming } from '../../../client/timing.js';
import { useApp } from '../app.js';
import { words } from '../i18n/console-texts.js';

/** KL_DEBUG: `[what, data, format, unix ms]`. */
const DEBUG = 10206;
/** How long the gateway publishes after a request, s. */
const DURATION_S = 600;
/** Lines that are kept: more would be scrolled past unread. */
const KEPT = 500;

interface DebugLine {
  readonly number: number;
  readonly unixMs: number;
  readonly what: string;
  readonly data: string;
}

/** What an instance sends and receives, live. */
export function DebugTab({ node }: { readonly node: TreeNode }) {
  const app = useApp();
  const isOn = useSignal(false);
  const lines = useSignal<readonly DebugLine[]>([]);
  const { debug } = words();
  useEffect(() => {
    let count = 0;
    return app.gateway.observe(({ Message, SenderID, Data }) => {
      if (Message !== DEBUG || SenderID !== node.id) return;
      const [what, data, , unixMs] = Data as [string, string, number, number];
      lines.value = [...lines.peek().slice(1 - KEPT), { number: ++count, unixMs, what, data }];
    });
  }, [node.id]);
  useEffect(
    () => () => {
      // The gateway ends it by itself if this call is lost.
      if (isOn.peek()) void app.call('SVC_DisableDebug', node.id).catch(() => undefined);
    },
    [node.id],
  );
  const isLive = app.gateway.state.value.kind === 'live';
  const enable = () => app.call('SVC_EnableDebug', node.id, DURATION_S);
  useEffect(() => {
    // The gateway may have been restarted.
    if (isLive && isOn.peek()) enable().catch(() => (isOn.value = false));
  }, [isLive]);
  useEffect(() => {
    if (!isLive || !isOn.value) return undefined;
    return realTiming.after(DURATION_S * 1000, () => (isOn.value = false));
  }, [isLive, isOn.value]);
  const toggle = async () => {
    const isDone = await app.act(() => (isOn.peek() ? app.call('SVC_DisableDebug', node.id) : enable()));
    if (isDone) isOn.value = !isOn.peek();
  };
  return (
    <>
      <p class="soft">{debug.hint}</p>
      <div class="row-head">
        <button class={isOn.value ? 'plain' : 'primary'} onClick={() => void toggle()}>
          {isOn.value ? debug.stop : debug.start}
        </button>
        <button class="plain" disabled={lines.value.length === 0} onClick={() => (lines.value = [])}>
          {debug.clear}
        </button>
      </div>
      {isOn.value && lines.value.length === 0 && <p class="soft">{debug.waiting}</p>}
      {lines.value.length > 0 && (
        <div class="scroll log" role="log" aria-live="off" aria-label={debug.label} tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th>{debug.time}</th>
                <th>{debug.what}</th>
                <th>{debug.data}</th>
              </tr>
            </thead>
            <tbody>
              {[...lines.value].reverse().map(({ number, unixMs, what, data }) => (
                <tr key={number}>
                  <td>{formatTime(unixMs, app.gateway.model.timezone, true)}</td>
                  <td>{what}</td>
                  <td>
                    <code>{data}</code>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}
