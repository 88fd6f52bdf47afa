import { useSignal } from '@preact/signals';
import type { ComponentChildren, TargetedInputEvent } from 'preact';
import { useRef } from 'preact/hooks';
import { locale, texts } from '../../web/i18n/i18n.js';
import type { TreeNode } from '../../web/model.js';
import { hexColour } from '../../web/tint.js';
import { localTime, unixSeconds } from '../../web/zone-time.js';
import { useApp } from '../app.js';
import { sheetTexts } from './texts.js';

/** With either decimal mark, as on-screen keyboards may have only one of them. */
const NUMBER = String.raw`\s*[+\-]?\d+(?:[.,]\d+)?(?:e[+\-]?\d+)?\s*`;

interface InputProps {
  readonly variable: TreeNode;
  readonly name: string;
}

/** A colour, 0xRRGGBB. Sent when the user has chosen it. */
export function ColourInput({ variable, name }: InputProps) {
  const app = useApp();
  const reported = hexColour(Number(variable.value.value));
  return (
    <input
      type="color"
      aria-label={name}
      value={reported}
      disabled={app.isInert.value}
      onChange={({ currentTarget }) => {
        const chosen = Number.parseInt(currentTarget.value.slice(1), 16);
        currentTarget.value = reported;
        app.set(variable, chosen);
      }}
    />
  );
}

/** A text, or a number without a range. */
export function TextInput({ variable, name, isNumber }: InputProps & { readonly isNumber: boolean }) {
  const app = useApp();
  const value = String(variable.value.value);
  const draft = useDraft(isNumber && locale() === 'de' ? value.replace('.', ',') : value);
  const field = { name: 'value', 'aria-label': name, autocomplete: 'off', maxLength: 4096 } as const;
  const send = (chosen: string | number) => {
    draft.markSent();
    app.set(variable, chosen);
  };
  // The browser says what is wrong, with the title.
  return isNumber ? (
    <SendForm onSend={(text) => send(Number(text.replace(',', '.')))}>
      <input
        {...field}
        {...draft.field}
        inputMode="decimal"
        pattern={NUMBER}
        title={sheetTexts().aNumber}
        required
      />
    </SendForm>
  ) : (
    <SendForm onSend={send}>
      <input {...field} {...draft.field} />
    </SendForm>
  );
}

/** A point in time in unix seconds; the user sees the gateway's time zone. */
export function TimeInput({ variable, name }: InputProps) {
  const app = useApp();
  const { timezone } = app.gateway.model;
  const shown = variable.profileName;
  // A time without a date is that of its present day, or of today; so is a number that is no time.
  const shownMs = new Date(Number(variable.value.value) * 1000).getTime() || app.tick.peek();
  const local = localTime(shownMs, timezone);
  const [date = '', time = ''] = local.split('T');
  const [type, value] =
    shown === '~UnixTimestampTime'
      ? (['time', time] as const)
      : shown === '~UnixTimestampDate'
        ? (['date', date] as const)
        : (['datetime-local', local] as const);
  const draft = useDraft(value);
  const send = (text: string) => {
    const complete = type === 'time' ? `${date}T${text}` : type === 'date' ? `${text}T00:00` : text;
    const chosen = unixSeconds(complete, timezone);
    if (chosen === undefined) return;
    draft.markSent();
    app.set(variable, chosen);
  };
  return (
    <SendForm onSend={send}>
      <input name="value" type={type} aria-label={name} {...draft.field} required />
    </SendForm>
  );
}

/**
 * The text of an input: what is reported, or what the user has typed. A text that was sent stays until another
 * value is reported: it may be rejected.
 */
function useDraft(reported: string) {
  // A signal: the input is written with each render of its form, also by a change of the connection.
  const typed = useSignal<string | undefined>(undefined);
  const { current: draft } = useRef({ reported, isSent: false });
  if (draft.reported !== reported) {
    draft.reported = reported;
    if (draft.isSent) typed.value = undefined;
  }
  return {
    field: {
      value: typed.value ?? reported,
      onInput: ({ currentTarget }: TargetedInputEvent<HTMLInputElement>) => {
        typed.value = currentTarget.value;
        draft.isSent = false;
      },
    },
    markSent: () => {
      draft.isSent = true;
    },
  };
}

interface SendFormProps {
  readonly onSend: (text: string) => void;
  readonly children: ComponentChildren;
}

function SendForm({ onSend, children }: SendFormProps) {
  const app = useApp();
  return (
    <form
      class="controls"
      onSubmit={(event) => {
        event.preventDefault();
        const value = new FormData(event.currentTarget).get('value');
        // Without a connection nothing would be sent, and the text is kept.
        if (typeof value === 'string' && !app.isInert.peek()) onSend(value);
      }}
    >
      {children}
      <button class="primary" aria-disabled={app.isInert.value}>
        {texts().tile.send}
      </button>
    </form>
  );
}
