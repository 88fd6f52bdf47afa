import { locale } from '../../web/i18n/i18n.js';
import type { Widened } from '../../web/i18n/texts.js';

const en = { turnOn: 'Switch on', turnOff: 'Switch off' } as const;
const de: Widened<typeof en> = { turnOn: 'Einschalten', turnOff: 'Ausschalten' };

/** Texts that only the details of a tile need. */
export const sheetTexts = (): Widened<typeof en> => (locale() === 'de' ? de : en);
