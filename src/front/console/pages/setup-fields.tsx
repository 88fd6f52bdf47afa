import { useSignal } from '@preact/signals';
import { languages, locale, type Language } from '../../web/i18n/i18n.js';
import { setConsoleLanguage } from '../i18n/console-texts.js';
import { firstPageTexts } from '../i18n/first-page.js';

/** The present settings, and the network. */
export interface ClaimFacts {
  readonly settings: Readonly<Partial<Record<string, string>>>;
  readonly hostName: string;
  readonly addresses: readonly string[];
}

/** Places to choose from, degrees; all others are entered. */
const PLACES: Readonly<Record<string, readonly [latitude: string, longitude: string]>> = {
  Berlin: ['52.52', '13.40'],
  Hamburg: ['53.55', '9.99'],
  Köln: ['50.94', '6.96'],
  München: ['48.14', '11.58'],
  Wien: ['48.21', '16.37'],
  Zürich: ['47.37', '8.54'],
  London: ['51.51', '-0.13'],
  'New York': ['40.71', '-74.01'],
};
/** A place that is not in the list. */
const OTHER = '*';
const NAMES: Readonly<Record<Language, string>> = { de: 'Deutsch', en: 'English' };

/** The time zones that the browser knows; browsers from before 2022 list none. */
function timeZones(): readonly string[] {
  const { supportedValuesOf } = Intl as { supportedValuesOf?: (key: 'timeZone') => string[] };
  return supportedValuesOf?.('timeZone') ?? [];
}

/** The inputs of the settings that are not required, and where the gateway is in the network. */
export function SetupFields({ facts: { settings, hostName, addresses } }: { readonly facts: ClaimFacts }) {
  const text = firstPageTexts();
  const names = [...(hostName === '' ? [] : [`${hostName}.local`]), ...addresses];
  const zone = settings['timezone'] ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const chooseLanguage = (chosen: string) => {
    const language = languages.find((one) => one === chosen);
    if (language !== undefined) void setConsoleLanguage(language);
  };
  return (
    <>
      <h2>{text.settings}</h2>
      <div class="field">
        <label for="setup-hostname">{text.hostname}</label>
        <input
          id="setup-hostname"
          name="hostname"
          defaultValue={settings['hostname'] ?? ''}
          placeholder={hostName}
          autocomplete="off"
          spellcheck={false}
          maxLength={63}
          pattern="[A-Za-z0-9]([A-Za-z0-9\-]*[A-Za-z0-9])?"
          title={text.hostnameRules}
          aria-describedby="setup-hostname-hint"
        />
        <small id="setup-hostname-hint">{text.hostnameHint}</small>
      </div>
      <div class="field">
        <label for="setup-language">{text.language}</label>
        <select
          id="setup-language"
          name="language"
          value={locale()}
          onChange={({ currentTarget }) => chooseLanguage(currentTarget.value)}
        >
          {languages.map((language) => (
            <option key={language} value={language} lang={language}>
              {NAMES[language]}
            </option>
          ))}
        </select>
      </div>
      <div class="field">
        <label for="setup-timezone">{text.timezone}</label>
        <input
          id="setup-timezone"
          name="timezone"
          list="setup-timezones"
          defaultValue={zone}
          autocomplete="off"
          spellcheck={false}
          aria-describedby="setup-timezone-hint"
        />
        <datalist id="setup-timezones">
          {timeZones().map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <small id="setup-timezone-hint">{text.timezoneHint}</small>
      </div>
      <PlaceFields />
      <h2>{text.network}</h2>
      {names.length === 0 ? (
        <p>{text.noNetwork}</p>
      ) : (
        <>
          <p>{text.networkHint}</p>
          <ul>
            {names.map((name) => (
              <li key={name}>{`${location.protocol}//${hostOf(name)}`}</li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

/** Adds the port of this page; an IPv6 address needs brackets in a URL (RFC 3986 §3.2.2). */
function hostOf(name: string): string {
  const host = name.includes(':') ? `[${name}]` : name;
  return location.port === '' ? host : `${host}:${location.port}`;
}

/** A place from the list, or coordinates. */
function PlaceFields() {
  const text = firstPageTexts();
  const choice = useSignal('');
  const degrees = { latitude: useSignal(''), longitude: useSignal('') };
  const choose = (place: string) => {
    choice.value = place;
    const [latitude = '', longitude = ''] = PLACES[place] ?? [];
    degrees.latitude.value = latitude;
    degrees.longitude.value = longitude;
  };
  return (
    <>
      <div class="field">
        <label for="setup-place">{text.place}</label>
        <select
          id="setup-place"
          value={choice.value}
          onChange={({ currentTarget }) => choose(currentTarget.value)}
          aria-describedby="setup-place-hint"
        >
          <option value="">{text.noPlace}</option>
          {Object.keys(PLACES).map((place) => (
            <option key={place} value={place}>
              {place}
            </option>
          ))}
          <option value={OTHER}>{text.ownPlace}</option>
        </select>
        <small id="setup-place-hint">{text.placeHint}</small>
      </div>
      {choice.value !== '' &&
        (['latitude', 'longitude'] as const).map((key) => (
          <div class="field" key={key}>
            <label for={`setup-${key}`}>{text[key]}</label>
            <input
              id={`setup-${key}`}
              name={key}
              value={degrees[key].value}
              pattern="[+\-]?\d{1,3}([.,]\d+)?"
              required
              autocomplete="off"
              onInput={({ currentTarget }) => {
                choice.value = OTHER;
                degrees[key].value = currentTarget.value;
              }}
            />
          </div>
        ))}
    </>
  );
}
