import { existsSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';
import { createModuleList } from '../../../src/composition/module-list.js';
import { builtInIcons } from '../../../src/media/built-in-icons.js';

t.test('every module says what it is for, and every property has help and a group', async (t) => {
  const modules = await createModuleList(new ManualClock())({});
  for (const { name, description = '', icon = '', page = '', properties } of modules.all()) {
    t.match(description, /^[A-Z].*\.$/, `${name} has a description`);
    t.ok(Object.hasOwn(builtInIcons, icon), `${name} has a built-in icon`);
    t.ok(existsSync(join(PACKAGE_ROOT, 'docs', page)) && page.endsWith('.md'), `${name} has a page`);
    for (const [property, schema] of Object.entries(properties.properties)) {
      t.match(schema.description, /^.{10,120}\.$/, `${name} explains ${property}`);
      t.match(schema['group'], /^[A-Z]/, `${property} of ${name} is in a group`);
    }
  }
});
