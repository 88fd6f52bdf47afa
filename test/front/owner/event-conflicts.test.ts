import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import type { EventRecord } from '../../../src/client/generated/records.js';
import { rpc } from '../../tools/client/json-rpc.js';
import { noBrowser } from '../../tools/front/browser.js';
import { openConsoleHolding } from '../../tools/front/held-reply.js';
import { startArea } from '../../tools/front/sample-area.js';
import { until } from '../../tools/until.js';

/** The settings of an active event with a condition and a script; the reply to `SVC_SetName` is held back. */
async function openEvent(t: Test) {
  const fixture = await startArea(t);
  const event = (await rpc(fixture, 'SVC_CreateEvent', 1)) as number;
  const call = (method: string, ...rest: unknown[]) => rpc(fixture, method, event, ...rest);
  await call('SVC_SetName', 'Morning');
  await call('SVC_SetEventScript', 'print(1);');
  await call('SVC_SetEventCondition', 1, 1, 0);
  await call('SVC_SetEventLimit', 5);
  await call('SVC_SetEventActive', true);
  const { page, reply: naming } = await openConsoleHolding(t, {
    fixture,
    hash: `#/events/${event}`,
    method: 'SVC_SetName',
  });
  await page.getByRole('tab', { name: 'Settings' }).click();
  const text = page.getByRole('textbox', { name: 'Text of the script' });
  await text.filter({ hasText: 'print(1);' }).waitFor();
  const type = async (more: string) => {
    await text.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(more);
  };
  const stored = async () => (await call('SVC_GetEvent')) as EventRecord;
  return { page, call, naming, text, type, stored };
}

const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click();
const nothingChanged = (page: Page) => page.locator('button:disabled', { hasText: 'Save' }).waitFor();

t.test('an event that somebody else has changed is not overwritten', { skip: noBrowser }, async (t) => {
  const { page, call, stored } = await openEvent(t);
  const conditions = async () => (await stored()).EventConditions.map(({ ID }) => ID);
  const conflict = page.getByRole('alert').filter({ hasText: 'Someone else has changed' });
  await page.getByRole('button', { name: '+ Time' }).click();
  await call('SVC_SetEventCondition', 9, 9, 0);
  await save(page);
  await conflict.waitFor();
  t.match(await stored(), { EventActive: true, EventConditions: [{ ID: 1, TimeRules: [] }, { ID: 9 }] });
  // What was not entered here is not part of the conflict.
  await call('SVC_SetEventLimit', 4);
  // The page has read what the other owner has saved, and does not show it when it is replaced.
  await page.locator('.inspector').getByText('4 runs left').waitFor();
  await conflict.getByRole('button', { name: 'Replace theirs with mine' }).click();
  await page.locator('.notice').getByText('Saved').waitFor();
  t.match(await stored(), { EventActive: true, EventLimit: 4, EventConditions: [{ TimeRules: [{}] }] });
  t.strictSame(await conditions(), [1]);
  await nothingChanged(page);

  await page.getByRole('button', { name: '+ Date' }).click();
  await call('SVC_SetEventCondition', 9, 9, 0);
  await save(page);
  await conflict.getByRole('button', { name: 'Discard mine, load theirs' }).click();
  await nothingChanged(page);
  t.equal(await conflict.count(), 0);
  t.strictSame(await conditions(), [1, 9]);
});

t.test('what is entered while an event is saved stays entered', { skip: noBrowser }, async (t) => {
  const { page, naming, text, type, stored } = await openEvent(t);
  await page.getByLabel('Name', { exact: true }).fill('Evening');
  await type(' print(2);');
  await save(page);
  await naming.held();
  await type(' print(3);');
  await page.getByRole('button', { name: '+ Time' }).click();
  naming.deliver();
  await page.locator('.notice').getByText('Saved').waitFor();
  t.match(await stored(), { EventScript: 'print(1); print(2);', EventConditions: [{ TimeRules: [] }] });
  await page.getByText('Changed, not saved').waitFor();
  t.match(await text.textContent(), 'print(3);');
  await save(page);
  await until('what was entered meanwhile', async () => (await stored()).EventScript.endsWith('print(3);'));
  await nothingChanged(page);
  t.match(await stored(), { EventActive: true, EventConditions: [{ TimeRules: [{}] }] });
});

t.test('a script of an event that somebody else has changed is shown', { skip: noBrowser }, async (t) => {
  const { page, call, text, type, stored } = await openEvent(t);
  await call('SVC_SetEventScript', 'print("theirs");');
  await text.filter({ hasText: 'theirs' }).waitFor();
  await type(' print(2);');
  await save(page);
  await page.locator('.notice').getByText('Saved').waitFor();
  t.match(await stored(), { EventScript: 'print("theirs"); print(2);' });
});
