import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Cancel } from '../../../base/clock.js';
import { formatTime } from '../../web/format.js';
import type { TreeNode } from '../../web/model.js';
import { realTiming } from '../../../client/timing.js';
import { useApp } from '../app.js';
import { words } from '../i18n/console-texts.js';

/** KL_DEBUG: `[what, data, format, unix ms]`. */
const DEBUG = 10206;
/** How long the tab shows the traffic after a start, s. */
const DURATION_S = 600;
/**
 * How long the gateway publishes after a request, and when it is repeated, s. It is not ended by a call, which
 * would end it for everybody who follows the instance.
 */
const REQUEST_S = 120;
const REPEAT_S = 90;
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
      if (Message !== DEBUG || SenderID !== node.id || !isOn.peek()) return;
      const [what, data, , unixMs] = Data as [string, string, number, number];
      lines.value = [...lines.peek().slice(1 - KEPT), { number: ++count, unixMs, what, data }];
    });
  }, [node.id]);
  const isLive = app.gateway.state.value.kind === 'live';
  const enable = () => app.call('SVC_EnableDebug', node.id, REQUEST_S);
  useEffect(() => {
    // The gateway may have been restarted.
    if (isLive && isOn.peek()) enable().catch(() => (isOn.value = false));
  }, [isLive]);
  useEffect(() => {
    if (!isLive || !isOn.value) return undefined;
    let cancelRepeat: Cancel;
    const repeat = () => {
      enable().catch(() => (isOn.value = false));
      cancelRepeat = realTiming.after(REPEAT_S * 1000, repeat);
    };
    cancelRepeat = realTiming.after(REPEAT_S * 1000, repeat);
    const cancelEnd = realTiming.after(DURATION_S * 1000, () => (isOn.value = false));
    return () => {
      cancelRepeat();
      cancelEnd();
    };
  }, [isLive, isOn.value]);
  const toggle = async () => {
    if (isOn.peek()) isOn.value = false;
    else isOn.value = await app.act(enable);
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
