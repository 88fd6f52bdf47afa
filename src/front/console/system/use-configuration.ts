import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { RpcError } from '../../../client/errors.js';
import type {
  ConfigurationProblem,
  ConfigurationText,
  ReloadReport,
} from '../../../client/generated/records.js';
import { realTiming } from '../../../client/timing.js';
import { errorText, useApp } from '../app.js';
import { NotConfirmed } from '../confirmation.js';
import { systemTexts } from '../i18n/system.js';

/** The text is checked when nothing was typed for this long, ms. */
const CHECK_AFTER_MS = 400;

/** Problems of a text; undefined while it is checked. */
type Problems = readonly ConfigurationProblem[] | undefined;

interface ConfigurationState {
  /** The configuration on the disk; undefined until it was read. */
  readonly stored: ReadonlySignal<ConfigurationText | undefined>;
  /** Why it could not be read, or ''. */
  readonly error: ReadonlySignal<string>;
  readonly problems: ReadonlySignal<Problems>;
  /** What somebody else has saved since the text was read; undefined: nothing. */
  readonly conflict: ReadonlySignal<ConfigurationText | undefined>;
  readonly report: ReadonlySignal<ReloadReport | undefined>;
  readonly isBusy: ReadonlySignal<boolean>;
  /** Counts the texts that the editor must take over. */
  readonly revision: ReadonlySignal<number>;
  readonly load: () => Promise<void>;
  readonly change: (text: string) => void;
  readonly discard: () => void;
  readonly save: () => Promise<void>;
  /** The file was replaced by a call: shows it, and what the reload did. */
  readonly replaced: (result: ReloadReport) => Promise<void>;
  /** Ends a conflict: continues with the text that was saved, or replaces it. */
  readonly resolve: (keepsMine: boolean) => Promise<void>;
}

/** Reads, checks and saves the configuration. */
export function useConfiguration(): ConfigurationState {
  const app = useApp();
  const draft = app.configurationDraft;
  const stored = useSignal<ConfigurationText | undefined>(undefined);
  const error = useSignal('');
  const problems = useSignal<Problems>(undefined);
  const conflict = useSignal<ConfigurationText | undefined>(undefined);
  const report = useSignal<ReloadReport | undefined>(undefined);
  const isBusy = useSignal(false);
  const revision = useSignal(0);
  const text = draft.value?.text ?? stored.value?.Text;

  const load = async () => {
    error.value = '';
    try {
      stored.value = await app.call('GW_GetConfigurationText');
      revision.value += 1;
    } catch (thrown) {
      error.value = errorText(thrown);
    }
  };
  useEffect(() => void load(), []);
  useEffect(() => {
    if (text === undefined) return undefined;
    problems.value = undefined;
    let isCurrent = true;
    const cancel = realTiming.after(CHECK_AFTER_MS, () => {
      app.call('GW_CheckConfiguration', text).then(
        (found) => isCurrent && (problems.value = found),
        (thrown: unknown) => isCurrent && (app.notice.value = { text: errorText(thrown), isError: true }),
      );
    });
    return () => {
      isCurrent = false;
      cancel();
    };
  }, [text]);

  const change = (changed: string) => {
    const base = draft.peek()?.digest ?? stored.peek()?.Digest ?? '';
    draft.value = changed === stored.peek()?.Text ? undefined : { text: changed, digest: base };
  };
  const discard = () => {
    draft.value = undefined;
    conflict.value = undefined;
    revision.value += 1;
  };
  const settle = (saved: ConfigurationText, changed: string) => {
    const typed = draft.peek()?.text;
    stored.value = saved;
    // What was typed since is based on the saved text.
    draft.value =
      typed === undefined || typed === changed ? undefined : { text: typed, digest: saved.Digest };
    conflict.value = undefined;
    app.notice.value = { text: systemTexts().configuration.saved, isError: false };
  };
  const fail = async (thrown: unknown, changed: string) => {
    const reason = thrown instanceof RpcError ? thrown.reason : undefined;
    if (reason === 'CONFIGURATION_CHANGED') {
      const now = await app.call('GW_GetConfigurationText');
      // It is saved already if only the reply to a save was lost, and with it the report.
      if (now.Text === changed) return settle(now, changed);
      conflict.value = now;
      return;
    }
    const isInvalid = reason === 'CONFIGURATION_INVALID';
    app.notice.value = {
      text: isInvalid ? systemTexts().configuration.invalid : errorText(thrown),
      isError: !(thrown instanceof NotConfirmed),
    };
  };
  const write = async (changed: string, digest: string) => {
    isBusy.value = true;
    report.value = undefined;
    try {
      report.value = await app.call('GW_SetConfigurationText', changed, digest);
      settle(await app.call('GW_GetConfigurationText'), changed);
    } catch (thrown) {
      await fail(thrown, changed).catch((other: unknown) => (error.value = errorText(other)));
    }
    isBusy.value = false;
  };
  return {
    stored,
    error,
    problems,
    conflict,
    report,
    isBusy,
    revision,
    load,
    change,
    discard,
    save: async () => {
      const changed = draft.peek();
      if (changed !== undefined && !isBusy.peek()) await write(changed.text, changed.digest);
    },
    replaced: async (result) => {
      report.value = result;
      discard();
      await load();
    },
    resolve: async (keepsMine) => {
      const theirs = conflict.peek();
      const mine = draft.peek();
      if (keepsMine && theirs !== undefined && mine !== undefined) return write(mine.text, theirs.Digest);
      stored.value = theirs;
      discard();
    },
  };
}
