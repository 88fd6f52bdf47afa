import { coded, type CodedText } from './coded-text.js';

/** Why a URL that was shown with `***` cannot be written after it was edited: the secret belongs to the former one. */
export const urlChanged = (): CodedText =>
  coded`URL_CHANGED: the user or the address of the URL has changed: give its password instead of ***`;
