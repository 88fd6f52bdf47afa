import { useId } from 'preact/hooks';
import { chooseLanguage, locale, texts } from '../../web/i18n/i18n.js';
import { useApp } from '../app.js';
import { setConsoleLanguage } from '../i18n/console-texts.js';

/** Language and theme of the console in this browser. */
export function AppearanceForm() {
  const app = useApp();
  const id = useId();
  const { device } = texts();
  const { theme } = app.preferences.value;
  return (
    <div class="form">
      <div class="field">
        <label for={`${id}-language`}>{device.language}</label>
        <select
          id={`${id}-language`}
          value={locale()}
          onChange={({ currentTarget }) => {
            const language = chooseLanguage([], currentTarget.value);
            app.preferences.change({ language });
            void setConsoleLanguage(language);
          }}
        >
          <option value="de">Deutsch</option>
          <option value="en">English</option>
        </select>
      </div>
      <div class="field">
        <label for={`${id}-theme`}>{device.theme}</label>
        <select
          id={`${id}-theme`}
          value={theme}
          onChange={({ currentTarget }) =>
            app.preferences.change({ theme: currentTarget.value as typeof theme })
          }
        >
          {Object.entries(device.themes).map(([name, text]) => (
            <option key={name} value={name}>
              {text}
            </option>
          ))}
        </select>
      </div>
    </div>
  );
}
