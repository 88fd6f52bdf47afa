import { useSignal } from '@preact/signals';
import { useId, useRef } from 'preact/hooks';
import { words } from '../i18n/console-texts.js';

/** What the gateway requires, characters. */
const LENGTH = 8;

/** A new password, entered twice: the input `password` of the form around it. A form with two different entries is invalid. */
export function NewPassword() {
  const id = useId();
  const first = useRef<HTMLInputElement>(null);
  const second = useRef<HTMLInputElement>(null);
  const differs = useSignal(false);
  const { newPassword: text } = words();
  const compare = () => {
    const repeated = second.current?.value ?? '';
    const isDifferent = repeated !== first.current?.value;
    second.current?.setCustomValidity(isDifferent ? text.differs : '');
    differs.value = isDifferent && repeated !== '';
  };
  return (
    <>
      <div class="field">
        <label for={id}>{text.password}</label>
        <input
          ref={first}
          id={id}
          name="password"
          type="password"
          autocomplete="new-password"
          required
          minLength={LENGTH}
          aria-describedby={`${id}-hint`}
          onInput={compare}
        />
        <small id={`${id}-hint`}>{text.hint(LENGTH)}</small>
      </div>
      <div class="field">
        <label for={`${id}-repeat`}>{text.repeat}</label>
        <input
          ref={second}
          id={`${id}-repeat`}
          type="password"
          autocomplete="new-password"
          required
          aria-invalid={differs.value}
          aria-describedby={`${id}-differs`}
          onInput={compare}
        />
        <small id={`${id}-differs`} class="problem" role="status">
          {differs.value ? text.differs : ''}
        </small>
      </div>
    </>
  );
}
