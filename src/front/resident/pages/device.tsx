import { languages, setLanguage, texts, type Language } from '../../web/i18n/i18n.js';
import { Icon } from '../../web/parts/icon.js';
import { lazy } from '../../web/parts/lazy.js';
import { signOut } from '../../web/sign-out.js';
import { useApp } from '../app.js';
import { deviceTexts } from './device-texts.js';

const Notifications = lazy(async () => (await import('../push/notifications.js')).Notifications, true);

const LANGUAGE_NAMES = { de: 'Deutsch', en: 'English' } as const;
const THEMES = ['system', 'light', 'dark'] as const;
const SIZES = ['normal', 'large', 'largest'] as const;

/** Settings of this device, and signing out. */
export function DevicePage() {
  const app = useApp();
  const own = deviceTexts();
  const { device, signIn, tabs } = texts();
  const { theme, textSize, device: name } = app.preferences.value;
  const leave = async () => {
    app.gateway.stop();
    // Without a connection the session ends at the next sign-out, or by the owner.
    await signOut(app.sessionPath).catch(() => undefined);
    app.gateway.leave();
  };
  const startKiosk = () => {
    app.preferences.change({ isKiosk: true });
    app.router.go('');
  };
  return (
    <main>
      <h1>{tabs.device}</h1>
      <Choice
        label={device.language}
        options={languages.map((language) => ({ value: language, text: LANGUAGE_NAMES[language] }))}
        value={document.documentElement.lang}
        onChange={(language: Language) => {
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
        label={own.textSize}
        options={SIZES.map((value) => ({ value, text: own.sizes[value] }))}
        value={textSize}
        onChange={(value) => app.preferences.change({ textSize: value })}
      />
      <Favourites />
      <Notifications />
      <section>
        <h2>{own.kiosk}</h2>
        <p class="soft">{own.kioskHint}</p>
        <p>
          <button class="plain" onClick={startKiosk}>
            {own.kioskStart}
          </button>
        </p>
      </section>
      <section>
        <p class="soft">
          {own.gatewayTime}: {app.time(app.tick.value)}
        </p>
        {location.protocol === 'http:' && (
          <p class="note">
            {own.notEncrypted} <a href="/tls">{signIn.trust}</a>
          </p>
        )}
        {app.facts.passwordRequired && (
          <>
            {name !== '' && (
              <p class="soft">
                {own.name}: {name}
              </p>
            )}
            <p>
              <button class="plain" onClick={() => void leave()}>
                {own.signOut}
              </button>
            </p>
          </>
        )}
      </section>
    </main>
  );
}

/** The favourites in their order. */
function Favourites() {
  const app = useApp();
  const device = deviceTexts();
  const { favourites } = app.preferences.value;
  void app.gateway.model.structure.value;
  const known = favourites.flatMap((id) => app.gateway.model.find(id) ?? []);
  const change = (next: number[]) => app.preferences.change({ favourites: next });
  return (
    <section>
      <h2>{device.favourites}</h2>
      {known.length === 0 ? (
        <p class="soft">{device.favouritesHint}</p>
      ) : (
        <ul class="list">
          {known.map((node, index) => {
            const name = app.nameOf(node);
            return (
              <li key={node.id}>
                <span class="grow">{name}</span>
                {index > 0 && (
                  <button
                    class="control"
                    aria-label={device.moveUp(name)}
                    onClick={() => change(moved(favourites, node.id, known[index - 1]?.id))}
                  >
                    <Icon name="up" />
                  </button>
                )}
                <button
                  class="control"
                  aria-label={device.favouritesRemove(name)}
                  onClick={() => change(favourites.filter((id) => id !== node.id))}
                >
                  <Icon name="close" />
                </button>
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}

/** Moves one in front of another, past favourites that do not exist any more. */
function moved(ids: readonly number[], id: number, before: number | undefined): number[] {
  return ids.filter((one) => one !== id).flatMap((one) => (one === before ? [id, one] : [one]));
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
