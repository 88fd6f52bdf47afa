import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';
import { enAutomation } from '../../../src/front/console/i18n/en-automation.js';
import { enEvents } from '../../../src/front/console/i18n/en-events.js';
import { enSystem } from '../../../src/front/console/i18n/en-system.js';
import { en as console } from '../../../src/front/console/i18n/en.js';
import { deVariables } from '../../../src/front/web/i18n/de-variables.js';
import { en as shared } from '../../../src/front/web/i18n/en.js';

function textsOf(table: unknown): string[] {
  if (typeof table === 'string') return [table];
  return typeof table === 'object' && table !== null ? Object.values(table).flatMap(textsOf) : [];
}

/** The German tables cannot be imported: their types need those of browsers. */
function germanSources(): string {
  return ['src/front/console/i18n', 'src/front/web/i18n']
    .map((directory) => join(PACKAGE_ROOT, directory))
    .flatMap((directory) =>
      readdirSync(directory, { recursive: true, encoding: 'utf8' })
        .filter((name) => /^de\b.*\.ts$/.test(name))
        .map((name) => readFileSync(join(directory, name), 'utf8')),
    )
    .join('');
}

/** English texts of the pages that German pages have in another form. */
export function translatedTexts(): ReadonlySet<string> {
  const german = germanSources();
  const variables = Object.entries(deVariables).flatMap(([name, text]) => (name === text ? [] : [name]));
  const texts = [...textsOf([enAutomation, enEvents, enSystem, console, shared]), ...variables];
  // A word can be English and German: Tag.
  return new Set(texts.filter((text) => text.length > 2 && !german.includes(`'${text}'`)));
}
