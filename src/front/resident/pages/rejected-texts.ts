import { locale } from '../../web/i18n/i18n.js';
import type { Widened } from '../../web/i18n/texts.js';

const en = {
  hostTitle: 'This address is not allowed',
  hostText:
    'The gateway rejects requests for this host name. Open it by its address or its own name, or ask the owner to add the name to allowedHosts.',
  areaTitle: 'This area no longer exists',
  areaText: 'The owner removed or replaced it.',
  allAreas: 'All areas',
} as const;

const de: Widened<typeof en> = {
  hostTitle: 'Diese Adresse ist nicht erlaubt',
  hostText:
    'Das Gateway weist Anfragen unter diesem Namen ab. Öffnen Sie es unter seiner Adresse oder seinem eigenen Namen, oder bitten Sie den Besitzer, den Namen in allowedHosts einzutragen.',
  areaTitle: 'Diesen Bereich gibt es nicht mehr',
  areaText: 'Der Besitzer hat ihn entfernt oder ersetzt.',
  allAreas: 'Alle Bereiche',
};

/** The texts in the language of the page; they are loaded with this page only. */
export const rejectedTexts = (): Widened<typeof en> => (locale() === 'de' ? de : en);
