import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { ConfigurationProblem, ConfigurationSettings } from '../../../client/generated/records.js';
import { realTiming } from '../../../client/timing.js';
import { readFacts } from '../../web/facts.js';
import { useApp } from '../app.js';
import { sentence, settingText } from '../i18n/gateway-texts.js';
import { useKeptInput } from '../forms/use-kept-input.js';
import { useLoaded } from '../load.js';
import { LoadedView } from '../parts/loaded-view.js';
import { ConfirmationDialog } from '../parts/confirmation-dialog.js';
import { SettingField } from './setting-field.js';
import { settingTexts } from './setting-texts.js';
import {
  differences,
  isSecretPath,
  needsRestart,
  withEntered,
  withoutPasswords,
  type EnteredSettings,
  type SettingDifference,
  type SettingSchema,
} from './setting-schema.js';

/** The sections, in their order; areas, passwords and the tree have pages of their own. */
const SECTIONS = [
  'name',
  'language',
  'timeZone',
  'api',
  'webServers',
  'profiles',
  'log',
  'store',
  'changes',
  'board',
] as const;
/** Changes are checked this long after the last one, ms. */
const CHECK_MS = 400;

type Draft = Readonly<Record<string, unknown>>;

/** The settings of gateway.yaml as forms, which follow from its schema. */
export function SettingsForm() {
  const app = useApp();
  const { state, reload } = useLoaded(async () => {
    const { schema = '' } = readFacts<{ readonly schema: string }>();
    const [settings, document] = await Promise.all([
      app.call('GW_GetSettings'),
      fetch(`/front/${schema}`).then((response) => response.json() as Promise<SettingSchema>),
    ]);
    return { settings, schema: document };
  }, []);
  return (
    <LoadedView state={state}>
      {({ settings, schema }) => (
        <Sections key={settings.Digest} settings={settings} schema={schema} onSaved={reload} />
      )}
    </LoadedView>
  );
}

interface SectionsProps {
  readonly settings: ConfigurationSettings;
  readonly schema: SettingSchema;
  readonly onSaved: () => void;
}

function Sections({ settings, schema, onSaved }: SectionsProps) {
  const app = useApp();
  const draft = useKeptInput<EnteredSettings>('settings', (entered) => ({
    before: entered.before,
    after: withoutPasswords(entered.after, entered.before),
  }));
  const isAsking = useSignal(false);
  const problems = useSignal<readonly ConfigurationProblem[]>([]);
  const restart = useSignal<readonly string[]>([]);
  const text = settingTexts();
  const before = settings.Settings as Draft;
  const entered = draft.value;
  const values = useMemo(
    () => (entered === undefined ? before : (withEntered(before, entered) as Draft)),
    [before, entered],
  );
  const changed = useMemo(() => changesIn(schema, before, values), [schema, before, values]);
  const given = changed.map(({ path, after }) => ({ Path: path, Value: after ?? null }));
  useEffect(() => {
    let isCurrent = true;
    const cancel = realTiming.after(CHECK_MS, () => {
      app.call('GW_CheckSettings', given).then(
        (found) => isCurrent && (problems.value = found),
        // Saving reports what is wrong as well.
        () => undefined,
      );
    });
    return () => {
      isCurrent = false;
      cancel();
    };
  }, [JSON.stringify(given)]);
  const save = async () => {
    const isDone = await app.act(async () => {
      const { NeedsRestart } = await app.call('GW_ChangeSettings', given, settings.Digest);
      restart.value = NeedsRestart;
    });
    // Somebody else may have changed it.
    if (!isDone) return onSaved();
    draft.set(undefined);
    app.notice.value = {
      text: restart.peek().length === 0 ? text.saved : text.needsRestart(restart.peek().join(', ')),
      isError: false,
    };
    onSaved();
  };
  const own = new RegExp(`^(?:${SECTIONS.join('|')})\\b`);
  const others = problems.value.filter(({ Path }) => !own.test(Path));
  return (
    <div class="sections">
      <p class="soft">{text.hint}</p>
      {SECTIONS.map((name) => (
        <details key={name} class="card setting">
          <summary>
            {settingText(name, [schema.properties?.[name]?.title ?? name, ''])[0]}
            {changed.some(({ path }) => path.split(/[.[]/)[0] === name) && ' •'}
          </summary>
          <SettingField
            schema={schema.properties?.[name] ?? {}}
            path={name}
            value={values[name]}
            problems={problems.value}
            onChange={(next) => draft.set({ before, after: { ...values, [name]: next } })}
          />
        </details>
      ))}
      {others.length > 0 && (
        <details>
          <summary>{text.others}</summary>
          <ul>
            {others.map(problemText).map((one) => (
              <li key={one}>{one}</li>
            ))}
          </ul>
        </details>
      )}
      <div class="row-head sticky">
        <button
          class="primary"
          type="button"
          disabled={changed.length === 0}
          onClick={() => (isAsking.value = true)}
        >
          {text.review}
        </button>
        {changed.length > 0 ? (
          <button class="plain" type="button" onClick={() => draft.set(undefined)}>
            {text.discard}
          </button>
        ) : (
          <span class="soft">{text.unchanged}</span>
        )}
      </div>
      {isAsking.value && (
        <ConfirmationDialog
          title={text.question}
          action={text.save}
          onConfirm={save}
          onClose={() => (isAsking.value = false)}
        >
          <Review schema={schema} changed={changed} problems={problems.value} />
        </ConfirmationDialog>
      )}
    </div>
  );
}

function changesIn(schema: SettingSchema, before: Draft, after: Draft): SettingDifference[] {
  return SECTIONS.flatMap((name) =>
    differences(schema.properties?.[name] ?? {}, { path: name, before: before[name], after: after[name] }),
  );
}

interface ReviewProps {
  readonly schema: SettingSchema;
  readonly changed: readonly SettingDifference[];
  readonly problems: readonly ConfigurationProblem[];
}

/** What will change, what only a restart applies, and what is wrong with it. */
function Review({ schema, changed, problems }: ReviewProps) {
  const text = settingTexts();
  const isListener = changed.some(({ path }) => /^webServers|^api\.(?:host|port|tls)/.test(path));
  const errors = problems.filter(({ Severity }) => Severity === 'error');
  return (
    <>
      <ul class="output differences">
        {changed.map(({ path, before, after }) => (
          <li key={path}>
            {text.changed(path, shown(path, before, text.default), shown(path, after, text.removed))}
            {needsRestart(schema, path) && ` (${text.afterRestart})`}
          </li>
        ))}
      </ul>
      {isListener && <p class="caution">{text.listeners}</p>}
      {errors.map(problemText).map((one) => (
        <p key={one} class="problem">
          {one}
        </p>
      ))}
    </>
  );
}

const problemText = ({ Path, CodedText }: ConfigurationProblem) => `${Path}: ${sentence(CodedText)}`;

/** A value as JSON, without what was typed as a password. */
function shown(path: string, value: unknown, none: string): string {
  if (value === undefined) return none;
  if (isSecretPath(path)) return settingTexts().secret;
  const hide = (key: string, one: unknown) => (key === 'password' ? settingTexts().secret : one);
  return JSON.stringify(value, hide);
}
