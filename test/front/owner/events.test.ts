import type { Browser, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { rpc } from '../../tools/client/json-rpc.js';
import {
  axeFindings,
  noBrowser,
  openPage,
  startBrowser,
  type PageOptions,
} from '../../tools/front/browser.js';
import { openConsoleHolding } from '../../tools/front/held-reply.js';
import { layoutFindings } from '../../tools/front/layout-findings.js';
import { startArea, type AreaFixture } from '../../tools/front/sample-area.js';
import { until } from '../../tools/until.js';
import { OWNER } from '../../tools/gateway/api-fixture.js';

const TOGGLE = '{B4E02384-0CA9-4D45-8AF3-34956B540207}';
const SWITCH = '{3644F802-C152-464A-868A-242C2A3DEC5C}';

/** The events of the console, signed in as the owner. */
async function openEvents(
  t: Test,
  fixture: AreaFixture,
  { hash = '#/events', browser, ...options }: PageOptions & { hash?: string; browser?: Browser } = {},
) {
  const address = `${new URL(fixture.front).origin}/console/${hash}`;
  const { page, problems } = await openPage(browser ?? (await startBrowser(t)), address, {
    width: 1280,
    height: 800,
    ...options,
  });
  await page.locator('[name=username]').fill(OWNER.username);
  await page.locator('[name=password]').fill(OWNER.password);
  await page.locator('[name=password]').press('Enter');
  await page.locator('.rail').waitFor();
  return { page, problems };
}

/** Chooses the state of an instance in the dialog that a button opens. */
async function choose(page: Page, button: string | RegExp, path: RegExp): Promise<void> {
  await page.getByRole('button', { name: button }).click();
  await page.getByRole('dialog').getByRole('combobox').fill('State');
  await page.getByRole('option', { name: path }).first().click();
}

/** An event at the button of the hall that toggles its relay while it is cold outside. */
async function hallLight(fixture: AreaFixture): Promise<number> {
  const event = (await rpc(fixture, 'SVC_CreateEvent', 0)) as number;
  const call = (method: string, ...rest: unknown[]) => rpc(fixture, method, event, ...rest);
  await call('SVC_SetName', 'Hall light');
  await call('SVC_SetParent', await fixture.id('area/ground/hall_relay'));
  await call('SVC_SetEventTrigger', 4, await fixture.id('area/ground/button/STATE'));
  await call('SVC_SetEventTriggerValue', true);
  await call('SVC_SetEventTriggerSubsequentExecution', false);
  await call('SVC_SetEventAction', TOGGLE, { TARGET: await fixture.id('area/ground/hall_relay/STATE') });
  await call('SVC_SetEventCondition', 1, 1, 0);
  await call('SVC_SetEventConditionVariableRule', 1, 1, await fixture.id('area/ground/outside'), 4, 4);
  await call('SVC_SetEventActive', true);
  return event;
}

async function press(fixture: AreaFixture): Promise<void> {
  const state = await fixture.id('area/ground/button/STATE');
  for (const isDown of [true, false]) {
    await rpc(fixture, 'GW_SimulateLine', 'BUTTON1', isDown);
    await until(`the button to be ${isDown}`, async () => (await rpc(fixture, 'GetValue', state)) === isDown);
  }
}

t.test('an event is created, set up and run in the console', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t);
  const { page, problems } = await openEvents(t, fixture);
  await page.getByRole('button', { name: 'New event' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Night light');
  await dialog.getByLabel('Runs').selectOption('When a variable reports a value');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { name: 'Night light' }).waitFor();
  await choose(page, 'Variable: Choose a variable', /State.*Hall button/);
  const trigger = page.getByRole('group', { name: 'Trigger' });
  await trigger.getByLabel('Runs').selectOption('at a value');
  await trigger.getByLabel('Value').selectOption('On');
  const action = page.getByRole('group', { name: 'Action' });
  await action.getByLabel('What it does').selectOption('Switch to a value');
  await choose(page, /^Object:/, /State.*Hall relay/);
  await action.getByLabel('Value').selectOption('On');
  await page.getByRole('button', { name: 'Add a condition' }).click();
  await page.getByRole('button', { name: '+ Time' }).click();
  await page.getByLabel('Time', { exact: true }).fill('00:00:00');
  // 29 February of every year can be entered, and is shown with a leap year.
  await page.getByRole('button', { name: '+ Date' }).click();
  const date = page.getByLabel('Date', { exact: true });
  await date.fill('2028-02-29');
  t.match(await date.inputValue(), /^20\d\d-02-29$/);
  await page.getByRole('button', { name: '+ Variable' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('.notice').getByText('A rule has no variable').waitFor();
  await page.getByRole('button', { name: 'Remove the rule' }).first().click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('.notice').getByText('Saved').waitFor();
  await page.getByText('when Hall button changes to On').first().waitFor();
  await page.getByText('switch Hall relay to On').waitFor();
  const [event] = (await rpc(fixture, 'SVC_GetEventList')) as [number];
  t.match(await rpc(fixture, 'SVC_GetEvent', event), {
    TriggerType: 4,
    TriggerVariableID: await fixture.id('area/ground/button/STATE'),
    TriggerValue: true,
    TriggerSubsequentExecution: false,
    EventActionID: SWITCH,
    EventActionParameters: { TARGET: await fixture.id('area/ground/hall_relay/STATE'), VALUE: true },
    EventConditions: [
      {
        VariableRules: [],
        DateRules: [{ Value: { Day: 29, Month: 2, Year: 0 } }],
        TimeRules: [{ Comparison: 3, Value: { Hour: 0, Minute: 0, Second: 0 } }],
      },
    ],
  });
  await page.getByRole('button', { name: 'Remove the rule' }).first().click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('button:disabled', { hasText: 'Save' }).waitFor();
  await page.getByRole('switch', { name: 'Active', exact: true }).click();
  await page.getByRole('switch', { name: 'Active', exact: true, checked: true }).waitFor();
  await page.getByRole('tab', { name: 'What happened' }).click();
  await press(fixture);
  await page.locator('.decisions > .ran', { hasText: 'RAN' }).waitFor();
  t.equal(await rpc(fixture, 'GetValue', await fixture.id('area/ground/hall_relay/STATE')), true);
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('“Night light” was deleted.').waitFor();
  t.strictSame(await rpc(fixture, 'SVC_GetEventList'), []);
  t.strictSame(problems, [], 'no errors on the page');
});

t.test('the page says why an event did not run, with codes', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t);
  const event = await hallLight(fixture);
  await press(fixture);
  const { page, problems } = await openEvents(t, fixture, { hash: `#/events/${event}` });
  const decisions = page.locator('.decisions > li');
  await decisions.filter({ hasText: 'OTHER_VALUE' }).waitFor();
  await decisions.filter({ hasText: 'Outside is below 4.0 °C (it was 4.3 °C)' }).waitFor();
  await page.getByText('The conditions are not met now:').waitFor();
  await rpc(fixture, 'SetValue', await fixture.id('area/ground/outside'), 2);
  await page.getByText('The conditions are met now.').waitFor();
  await rpc(fixture, 'SVC_SetEventScript', event, 'throw new Error("<b>no lamp</b>")');
  await press(fixture);
  await decisions.filter({ hasText: '<b>no lamp</b>' }).waitFor();
  await rpc(fixture, 'SVC_SetEventActive', event, false);
  await page.getByText('It is not active.').waitFor();
  t.strictSame(problems, [], 'no errors on the page');
});

for (const isSwitched of [false, true])
  t.test(
    isSwitched
      ? 'an event that was switched off stays off after a corrected save'
      : 'an active event is active again after a corrected save',
    { skip: noBrowser },
    async (t) => {
      const fixture = await startArea(t);
      const event = await hallLight(fixture);
      const doomed = (await rpc(fixture, 'SVC_CreateVariable', 0)) as number;
      await rpc(fixture, 'SVC_SetName', doomed, 'Doomed');
      const { page } = await openEvents(t, fixture, { hash: `#/events/${event}` });
      await page.getByRole('tab', { name: 'Settings' }).click();
      const trigger = page.getByRole('group', { name: 'Trigger' });
      await trigger.getByRole('button', { name: /^Variable:/ }).click();
      await page.getByRole('dialog').getByRole('combobox').fill('Doomed');
      await page.getByRole('option', { name: /^Doomed/ }).click();
      await rpc(fixture, 'SVC_DeleteVariable', doomed);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.locator('.notice.bad').waitFor();
      await page.getByRole('switch', { name: 'Active', exact: true, checked: false }).waitFor();
      if (isSwitched)
        for (const checked of [true, false]) {
          await page.getByRole('switch', { name: 'Active', exact: true }).click();
          await page.getByRole('switch', { name: 'Active', exact: true, checked }).waitFor();
        }
      await trigger.getByRole('button', { name: /^Variable:/ }).click();
      await page.getByRole('dialog').getByRole('combobox').fill('State');
      await page
        .getByRole('option', { name: /State.*Hall button/ })
        .first()
        .click();
      if (isSwitched) await page.getByLabel(/^Runs until/).fill('5');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.locator('.notice').getByText('Saved').waitFor();
      await page.getByRole('switch', { name: 'Active', exact: true, checked: !isSwitched }).waitFor();
      t.match(await rpc(fixture, 'SVC_GetEvent', event), { EventActive: !isSwitched, TriggerType: 4 });
    },
  );

t.test('times and weekly plans are edited, and read as sentences', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t);
  const cyclic = (await rpc(fixture, 'SVC_CreateEvent', 1)) as number;
  await rpc(fixture, 'SVC_SetName', cyclic, 'Morning');
  const plan = (await rpc(fixture, 'SVC_CreateEvent', 2)) as number;
  await rpc(fixture, 'SVC_SetName', plan, 'Heating');
  await rpc(fixture, 'SVC_SetParent', plan, await fixture.id('area/ground/setpoint'));
  const { page, problems } = await openEvents(t, fixture, { hash: `#/events/${cyclic}`, locale: 'de-DE' });
  await page.getByRole('tab', { name: 'Einstellungen' }).click();
  await page.getByLabel('Tage', { exact: true }).selectOption('Wöchentlich');
  await page.getByLabel('Mittwoch').check();
  await page.getByLabel('Um', { exact: true }).fill('06:30:00');
  await page.getByRole('button', { name: 'Speichern' }).click();
  await page.getByText('jeden Montag und Mittwoch um 06:30').first().waitFor();
  await page.getByRole('link', { name: /^Heating/ }).click();
  await page.getByRole('button', { name: 'Aktion hinzufügen' }).click();
  await page.getByLabel('Name').first().fill('Warm');
  await page.getByLabel('Was es tut').selectOption('Auf einen Wert schalten');
  await page.getByLabel('Wert').fill('21');
  await page.getByRole('button', { name: 'Tage hinzufügen' }).click();
  const days = page.getByRole('group', { name: 'Wochentage' }).getByRole('checkbox');
  for (let at = 1; at < 7; at++) await days.nth(at).uncheck();
  await days.nth(0).click();
  t.ok(await days.nth(0).isChecked(), 'one day stays');
  for (let at = 1; at < 7; at++) await days.nth(at).check();
  await page.getByRole('button', { name: 'Zeit hinzufügen' }).click();
  await page.getByRole('button', { name: 'Speichern' }).click();
  await page.getByText('06:00 Warm').waitFor();
  await page.getByText('Warm: Setpoint auf 21,0 °C schalten').waitFor();
  t.match(await rpc(fixture, 'SVC_GetEvent', plan), {
    ScheduleActions: [{ Name: 'Warm', ActionParameters: { VALUE: 21 } }],
    ScheduleGroups: [{ Days: 127, Points: [{ Start: { Hour: 6 } }] }],
  });
  await page.getByRole('button', { name: 'Warm entfernen' }).click();
  await page.getByRole('button', { name: 'Speichern' }).click();
  await page.getByText('nach einem Wochenplan ohne Zeiten').first().waitFor();
  t.strictSame(problems, [], 'no errors on the page');
});

t.test('a day moves to another group of a weekly plan', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t);
  const plan = (await rpc(fixture, 'SVC_CreateEvent', 2)) as number;
  await rpc(fixture, 'SVC_SetName', plan, 'Heating');
  await rpc(fixture, 'SVC_SetEventScheduleAction', plan, 1, 'Warm', -1, '');
  for (const [group, days] of [
    [1, 1],
    [2, 126],
  ]) {
    await rpc(fixture, 'SVC_SetEventScheduleGroup', plan, group, days);
    await rpc(fixture, 'SVC_SetEventScheduleGroupPoint', plan, group, 1, 6, 0, 0, 1);
  }
  await rpc(fixture, 'SVC_SetEventActive', plan, true);
  const { page, problems } = await openEvents(t, fixture, { hash: `#/events/${plan}` });
  await page.getByRole('tab', { name: 'Settings' }).click();
  const tuesday = (group: number) =>
    page.getByRole('group', { name: 'Days of the week' }).nth(group).getByRole('checkbox').nth(1);
  t.ok(await page.getByRole('button', { name: 'Add days' }).isDisabled(), 'no day is left');
  await tuesday(0).check();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('.notice').getByText('A day is selected more than once').waitFor();
  t.match(await rpc(fixture, 'SVC_GetEvent', plan), { EventActive: true }, 'nothing was changed');
  await tuesday(1).uncheck();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('.notice').getByText('Saved').waitFor();
  t.match(await rpc(fixture, 'SVC_GetEvent', plan), {
    EventActive: true,
    ScheduleGroups: [
      { Days: 3, Points: [{ Start: { Hour: 6 } }] },
      { Days: 124, Points: [{ Start: { Hour: 6 } }] },
    ],
  });
  t.strictSame(problems, [], 'no errors on the page');
});

t.test('a script that was entered for an event is discarded', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t);
  const event = await hallLight(fixture);
  await rpc(fixture, 'SVC_SetEventScript', event, 'print("as saved");');
  const { page, problems } = await openEvents(t, fixture, { hash: `#/events/${event}` });
  await page.getByRole('tab', { name: 'Settings' }).click();
  const text = page.getByRole('textbox', { name: 'Text of the script' });
  await text.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('print(2);');
  await page.getByText('Changed, not saved').waitFor();
  await page.getByRole('button', { name: 'Discard' }).click();
  await text.filter({ hasText: 'print("as saved");' }).waitFor();
  // What was typed next is based on that.
  await text.click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type(' print(3);');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('.notice').getByText('Saved').waitFor();
  t.match(await rpc(fixture, 'SVC_GetEvent', event), { EventScript: 'print("as saved"); print(3);' });
  t.strictSame(problems, [], 'no errors on the page');
});

t.test(
  'the events fit their pages in both languages and themes; axe finds nothing',
  { skip: noBrowser },
  async (t) => {
    const fixture = await startArea(t);
    const event = await hallLight(fixture);
    await press(fixture);
    const browser = await startBrowser(t);
    for (const width of [390, 1280])
      for (const [locale, scheme] of [
        ['en-GB', 'light'],
        ['en-GB', 'dark'],
        ['de-DE', 'light'],
        ['de-DE', 'dark'],
      ] as const) {
        const { page } = await openEvents(t, fixture, { browser, width, locale, scheme });
        await page.locator('.rows.events > li').waitFor();
        const where = `${width} ${locale} ${scheme}`;
        t.strictSame(await axeFindings(page), [], `list ${where}`);
        await page.evaluate(`location.hash = '#/events/${event}'`);
        await page.locator('.decisions > li').first().waitFor();
        t.strictSame(await axeFindings(page), [], `decisions ${where}`);
        await page.getByRole('tab').last().click();
        await page.locator('.event-form').waitFor();
        t.strictSame(await axeFindings(page), [], `settings ${where}`);
        if (width === 390)
          t.strictSame(
            (await layoutFindings(page)).filter((one) => one.startsWith('scrolls')),
            [],
            where,
          );
      }
  },
);

t.test('Enter without a match in the choice of an object saves nothing', { skip: noBrowser }, async (t) => {
  const fixture = await startArea(t);
  const event = await hallLight(fixture);
  const { page, reply: calls } = await openConsoleHolding(t, {
    fixture,
    hash: `#/events/${event}`,
    method: '',
  });
  await page.getByRole('tab', { name: 'Settings' }).click();
  await page.getByRole('group', { name: 'Trigger' }).getByLabel('Value').selectOption('Off');
  await page.getByRole('button', { name: /^Object:/ }).click();
  const finder = page.getByRole('dialog').getByRole('combobox');
  await finder.fill('zzzz');
  await page.getByRole('dialog').getByText('Nothing found.').waitFor();
  const before = calls.methods.length;
  await finder.press('Enter');
  // Calls are sent in their order.
  await page.evaluate("location.hash = '#/call/GetValue'");
  await page.getByLabel('VariableID').waitFor();
  t.strictSame(calls.methods.slice(before), ['SVC_GetFunction']);
  t.match(await rpc(fixture, 'SVC_GetEvent', event), { TriggerValue: true });
});
