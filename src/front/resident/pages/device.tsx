import { languages, setLanguage, texts } from '../../web/i18n/i18n.js';
import { signOut } from '../../web/session.js';
import { useApp } from '../app.js';

const LANGUAGE_NAMES = { de: 'Deutsch', en: 'English' } as const;
const THEMES = ['system', 'light', 'dark'] as const;
const SIZES = ['normal', 'large', 'largest'] as const;

/** Settings of this device, and signing out. */
export function DevicePage() {
  const app = useApp();
  const { device, tabs } = texts();
  const { theme, textSize } = app.preferences.value;
  const leave = async () => {
    await signOut(app.sessionPath);
    app.leave();
  };
  return (
    <main>
      <h1>{tabs.device}</h1>
      <Choice
        label={device.language}
        options={languages.map((language) => ({ value: language, text: LANGUAGE_NAMES[language] }))}
        value={document.documentElement.lang}
        onChange={(language) => {
          app.preferences.change({ language });
          void setLanguage(language);
        }}
      />
      <Choice
        label={device.theme}
        options={THEMES.map((value) => ({ value, text: device.themes[value] }))}
        value={theme}
        onChange={(value) => app.preferences.change({ theme: value })}
      />
      <Choice
        label={device.textSize}
        options={SIZES.map((value) => ({ value, text: device.sizes[value] }))}
        value={textSize}
        onChange={(value) => app.preferences.change({ textSize: value })}
      />
      {app.facts.passwordRequired && (
        <button class="plain" onClick={() => void leave()}>
          {device.signOut}
        </button>
      )}
    </main>
  );
}

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly options: readonly { readonly value: T; readonly text: string }[];
  readonly value: string;
  readonly onChange: (value: T) => void;
}

function Choice<T extends string>({ label, options, value, onChange }: ChoiceProps<T>) {
  return (
    <fieldset class="segments">
      <legend>{label}</legend>
      {options.map((option) => (
        <label key={option.value}>
          <input
            type="radio"
            name={label}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          <span>{option.text}</span>
        </label>
      ))}
    </fieldset>
  );
}
