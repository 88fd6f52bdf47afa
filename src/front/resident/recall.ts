import { realTiming } from '../../client/timing.js';
import { objectType } from '../web/objects.js';
import type { App } from './app.js';

/** How long an object that reports nothing, such as a script, says that an outcome is unknown, ms. */
const UNKNOWN_MS = 600_000;

/** The outcome of a command, in the reply of `WFC_GetOutcome`. */
interface Outcome {
  readonly State: 'running' | 'done' | 'failed' | 'unknown';
  readonly Code: string;
  readonly Details: { readonly rule?: string; readonly untilMs?: number };
}

/** Asks what became of commands whose reply was lost, by object; removes those that are not running any more. */
export async function recall({ gateway, commands, facts }: App, lost: Map<number, string>): Promise<void> {
  for (const [id, key] of lost) {
    const outcome = (await gateway.call('WFC_GetOutcome', [facts.id, key])) as Outcome;
    if (outcome.State === 'running') continue;
    lost.delete(id);
    if (outcome.State === 'done') commands.settle(id, undefined);
    else if (outcome.State === 'failed')
      commands.settle(id, { kind: 'rejected', code: outcome.Code, rule: '', untilMs: 0, ...outcome.Details });
    // The gateway was restarted: nobody knows. A variable says what is true now with its next report.
    else if (gateway.model.find(id)?.type !== objectType.variable)
      realTiming.after(UNKNOWN_MS, () => commands.reported(id));
  }
}
