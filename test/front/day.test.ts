import type { Browser, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { idOf, rpc, valueAt, type ApiAddress } from '../tools/client/json-rpc.js';
import { startMosquitto, type Broker } from '../tools/devices/mosquitto.js';
import { noBrowser, openPage, startBrowser, type PageOptions } from '../tools/front/browser.js';
import { finger, keyboard, mouse, type Hand } from '../tools/front/hands.js';
import { OWNER } from '../tools/gateway/api-fixture.js';
import {
  configDirectory,
  startGatewayProcess,
  type GatewayProcess,
} from '../tools/gateway/gateway-fixture.js';
import { hasProgram } from '../tools/program.js';
import { reservePort } from '../tools/reserve-port.js';
import { tempDirectory } from '../tools/temp-directory.js';
import { until } from '../tools/until.js';

/** A home with a relay, a recorded temperature and a plug behind a broker; the shed is in no front. */
const home = (port: number, broker: number) => `board: simulated
remoteAccess: { username: ${OWNER.username}, password: ${OWNER.password} }
api: { host: 127.0.0.1, port: ${port} }
tree:
  - { category: Schuppen, ident: shed }
  - category: Wohnung
    ident: home
    children:
      - { instance: Flurlicht, ident: light, module: Relay, properties: { Line: RELAY1, Boot: inactive } }
      - { variable: Sollwert, ident: setpoint, type: float, value: 21.5, profile: ~Temperature }
      - { link: Steckdose, ident: plug, target: home/radio/plug }
      - instance: Funk
        ident: radio
        module: MQTT Client
        properties: { Url: "mqtt://127.0.0.1:${broker}" }
        children:
          - instance: Steckdose
            ident: plug
            module: MQTT Device
            properties: { Topics: [{ Ident: STATE, Type: boolean, StateTopic: plug/state, CommandTopic: plug/set }] }
configurators:
  - { title: Wohnung, ident: wf, base: home, password: tulip }
`;

/** CodeMirror's `interactionDelay`, and what its timer may be late. */
const READING_MS = 100;

/** Everything of a day: the owner's page and hand, the phone of a resident, the gateway and the broker. */
interface Day {
  readonly t: Test;
  readonly directory: string;
  readonly page: Page;
  readonly hand: Hand;
  readonly hasPointer: boolean;
  readonly phone: Page;
  readonly broker: Broker;
  gateway: GatewayProcess;
}

/** Opens a page of the console from the rail. */
async function go({ page, hand }: Day, name: string): Promise<void> {
  const rail = page.getByRole('navigation', { name: 'Seiten der Konsole' });
  await hand.press(rail.getByRole('link', { name, exact: true }));
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

/** Opens an object of the tree by a part of its name. */
async function openObject(day: Day, name: string): Promise<void> {
  const { page, hand, hasPointer } = day;
  await go(day, 'Baum');
  const back = page.locator('a.up');
  if (await back.isVisible()) await hand.press(back);
  const search = page.getByRole('searchbox');
  await hand.enter(search, name);
  const row = page.getByRole('treeitem', { name });
  await row.first().waitFor();
  if (hasPointer) await hand.press(row.first().getByRole('link'));
  else {
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowDown');
  }
  await page.getByRole('heading', { level: 2, name }).waitFor();
}

/** Chooses in a dialog that finds objects. */
async function find({ page, hand }: Day, text: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await hand.enter(dialog.getByRole('combobox'), text);
  const option = dialog.getByRole('option').first();
  await option.filter({ hasText: text }).waitFor();
  await hand.choose(option);
}

const button = (page: Page, name: string | RegExp) =>
  page.getByRole('main').getByRole('button', { name, exact: true });

/** The switch of the light in its room; while it is on, it is also among what is on. */
const lightOf = (phone: Page, checked: boolean) =>
  phone.getByRole('switch', { name: /Flurlicht/, checked }).last();

async function signIn({ page, hand }: Day, password: string): Promise<void> {
  await hand.enter(page.getByLabel('Benutzername'), OWNER.username);
  await hand.enter(page.getByLabel('Passwort'), password);
  await hand.press(page.getByRole('button', { name: 'Anmelden' }));
}

async function signInAfterMistake(day: Day): Promise<void> {
  const { page } = day;
  await signIn(day, 'tulip');
  await page.getByRole('alert').filter({ hasText: 'Benutzername oder Passwort ist falsch.' }).waitFor();
  await signIn(day, OWNER.password);
  await page.getByRole('heading', { name: 'Übersicht' }).waitFor();
  await page.getByText('Alle Geräte sind online.').waitFor();
}

/** The button is found, made an instance, named, assigned to the area, and switches the light. */
async function addButton(day: Day): Promise<void> {
  const { t, page, hand, gateway, phone } = day;
  await go(day, 'Hardware');
  await hand.press(button(page, 'Suchen'));
  await hand.press(button(page, /^Andere BUTTON5$/));
  await hand.press(page.getByRole('dialog').getByRole('button', { name: 'Taster', exact: true }));
  const row = page.locator('.found > li', { hasText: 'BUTTON5' });
  await hand.press(row.getByRole('button', { name: 'Umbenennen' }));
  await hand.enter(row.getByLabel('Name'), 'Flurtaster');
  await hand.press(row.getByRole('button', { name: 'Speichern' }));
  await hand.press(row.getByRole('link', { name: 'Flurtaster' }));
  await page.locator('.path', { hasText: 'Schuppen' }).waitFor();
  await hand.press(button(page, 'Verschieben'));
  await find(day, 'Wohnung');
  await page.locator('.path', { hasText: 'Wohnung' }).waitFor();
  await phone.getByText('Flurtaster').first().waitFor();
  await hand.press(page.getByRole('tab', { name: 'Einstellungen' }));
  await hand.enter(page.getByLabel('Schaltet um'), 'home/light');
  await hand.press(button(page, 'Übernehmen'));
  await page.getByRole('status').filter({ hasText: 'Übernommen' }).waitFor();

  await go(day, 'Hardware');
  await hand.press(button(page, /^BUTTON5/));
  await hand.press(button(page, 'Aktiv setzen'));
  // A press that is shorter than the debounce time is none.
  const created = await rpc(gateway, 'SVC_GetObjectIDByName', 'Flurtaster', await idOf(gateway, 'home'));
  const state = await rpc(gateway, 'SVC_GetObjectIDByIdent', 'STATE', created);
  await until('the press', () => rpc(gateway, 'GetValue', state));
  await hand.press(button(page, 'Inaktiv setzen'));
  await lightOf(phone, true).waitFor();
  await lightOf(phone, true).tap();
  await lightOf(phone, false).waitFor();
  t.equal(await valueAt(gateway, 'home/light/STATE'), false);
}

/** A script is written with completion; its error is marked; then it switches the light. */
async function writeScript(day: Day): Promise<void> {
  const { page, hand, gateway, phone } = day;
  await go(day, 'Skripte');
  await hand.press(button(page, 'Neues Skript'));
  await hand.enter(page.getByLabel('Name'), 'Nachtlicht');
  await hand.press(button(page, 'Neues Skript'));
  const text = page.getByRole('textbox', { name: 'Text von Nachtlicht' });
  await text.waitFor();
  const light = await idOf(gateway, 'home/light/STATE');
  await hand.enter(text, '');
  await page.keyboard.type('RequestAct');
  const completion = page.getByRole('option', { name: /^RequestAction\b/ }).first();
  await completion.waitFor();
  // The editor ignores Enter as long as nobody can have read the list.
  const shownMs = performance.now();
  await until('the list to be readable', () => performance.now() > shownMs + READING_MS);
  await hand.choose(completion);
  await page.keyboard.type(`(${light}, true;`);
  await hand.press(button(page, 'Speichern'));
  await page.getByRole('alert').filter({ hasText: 'Zeile 1:' }).waitFor();
  await page.locator('.cm-lintRange-error').waitFor();
  await hand.enter(text, '');
  await page.keyboard.press('Control+a');
  await page.keyboard.type(`RequestAction(${light}, true);`);
  await hand.press(button(page, 'Ausführen'));
  await page.getByText('Das Skript endete ohne Ausgabe.').waitFor();
  await lightOf(phone, true).waitFor();
}

/** A variable is recorded; its history is a chart with a table next to it. */
async function viewHistory(day: Day): Promise<void> {
  const { page, hand, gateway } = day;
  await go(day, 'Archiv');
  await hand.press(button(page, /Variable aufzeichnen/));
  await find(day, 'Sollwert');
  await page.getByRole('checkbox', { name: 'Werte aufzeichnen', checked: true }).waitFor();
  const setpoint = await idOf(gateway, 'home/setpoint');
  // Of records of the same millisecond, the last one stays.
  for (const value of [20, 19, 22.5]) await rpc(gateway, 'SetValue', setpoint, value);
  await page.locator('.plot canvas').waitFor();
  const table = page.locator('summary', { hasText: 'Als Tabelle' });
  await hand.press(table);
  await page.getByRole('cell', { name: '22,5 °C' }).waitFor();
}

/** The broker stops: the overview, the instance, the log and the front say so; it recovers by itself. */
async function loseBroker(day: Day): Promise<void> {
  const { page, hand, phone, broker, directory } = day;
  await openObject(day, 'Wohnung');
  await hand.press(button(page, 'Neu'));
  const dialog = page.getByRole('dialog');
  await hand.press(dialog.getByRole('radio', { name: 'Instanz' }));
  await find(day, 'MQTT-Client');
  await hand.enter(dialog.getByLabel('URL'), `mqtt://127.0.0.1:${broker.port}`);
  await hand.enter(dialog.getByLabel('Name', { exact: true }), 'Zweiter Broker');
  await hand.press(dialog.getByRole('button', { name: 'Erstellen' }));
  const about = page.locator('.inspector p', { hasText: 'MQTT-Client' });
  await about.filter({ hasText: 'online' }).waitFor();
  await broker.program.end();
  await about.filter({ hasText: 'offline' }).waitFor();
  await go(day, 'Übersicht');
  await page.getByText('Etwas braucht Aufmerksamkeit.').waitFor();
  await page.locator('li.failed', { hasText: 'Zweiter Broker' }).waitFor();
  await phone.getByText('Nicht erreichbar').first().waitFor();
  await go(day, 'Protokoll');
  await page
    .locator('.messages li', { hasText: 'Zweiter Broker' })
    .filter({ hasText: 'Warnung' })
    .first()
    .waitFor();
  await using again = await startMosquitto({ directory, port: broker.port });
  await go(day, 'Übersicht');
  await page.getByText('Alle Geräte sind online.').waitFor();
  await phone.getByText('Nicht erreichbar').first().waitFor({ state: 'detached' });
  await again.program.end();
}

/** A backup is made, the tree changed, and the backup restored at a restart. */
async function restoreBackup(day: Day): Promise<void> {
  const { t, page, hand, phone, directory } = day;
  await go(day, 'System');
  await hand.enter(page.getByLabel('Notiz'), 'gestern');
  await hand.press(button(page, 'Sicherung erstellen'));
  const backup = page.locator('.cards > li', { hasText: 'gestern' });
  await backup.waitFor();
  await openObject(day, 'Flurtaster');
  await hand.press(button(page, 'Löschen'));
  await hand.press(page.getByRole('dialog').getByRole('button', { name: 'Löschen' }));
  await phone.getByText('Flurtaster').first().waitFor({ state: 'detached' });
  await go(day, 'System');
  await hand.press(backup.getByRole('button', { name: 'Wiederherstellen' }));
  await hand.press(page.getByRole('dialog').getByRole('button', { name: 'Wiederherstellen' }));
  const confirm = page.getByRole('dialog', { name: 'Mit dem Passwort bestätigen' });
  await hand.enter(confirm.getByLabel('Passwort'), OWNER.password);
  await hand.press(confirm.getByRole('button', { name: 'Bestätigen' }));
  await page.getByText('wird beim nächsten Start wiederhergestellt').waitFor();
  // As the service manager does after "Neu starten".
  await day.gateway.program.end();
  await page.getByRole('alert').filter({ hasText: 'Keine Verbindung' }).waitFor();
  day.gateway = await startGatewayProcess(t, directory);
  await page.getByText('wird beim nächsten Start wiederhergestellt').waitFor({ state: 'detached' });
  await phone.getByText('Flurtaster').first().waitFor();
  await openObject(day, 'Flurtaster');
}

/** The session is ended from another browser, and at last by the owner. */
async function signOut(day: Day): Promise<void> {
  const { page, hand, gateway } = day;
  const sessions = (await rpc(gateway, 'GW_GetSessions')) as readonly { ID: string; Kind: string }[];
  for (const { ID, Kind } of sessions) if (Kind === 'console') await rpc(gateway, 'GW_EndSession', ID);
  await page.getByRole('alert').filter({ hasText: 'Bitte neu anmelden' }).waitFor();
  await signIn(day, OWNER.password);
  await page.getByRole('heading', { level: 2, name: 'Flurtaster' }).waitFor();
  await hand.press(page.getByRole('button', { name: 'Abmelden' }));
  await page.getByRole('heading', { name: 'Als Besitzer anmelden' }).waitFor();
}

async function openPhone(browser: Browser, at: ApiAddress): Promise<Page> {
  const wf = await idOf(at, 'wf');
  const { page } = await openPage(browser, `http://127.0.0.1:${at.port}/wfc/${wf}/`, {
    locale: 'de-DE',
    isTouched: true,
  });
  await page.getByLabel('Passwort').fill('tulip');
  await page.getByRole('button', { name: 'Anmelden' }).tap();
  await page.getByRole('switch', { name: /Flurlicht/ }).waitFor();
  return page;
}

const DAYS: readonly (readonly [string, PageOptions, (page: Page) => Hand])[] = [
  ['with the fingers only, on a phone', { width: 390, height: 844, isTouched: true }, finger],
  ['with a mouse', { width: 1280, height: 800 }, mouse],
  ['with the keyboard only', { width: 1280, height: 800 }, keyboard],
];

const skip = noBrowser || (hasProgram('mosquitto') ? false : 'there is no mosquitto (package mosquitto)');

for (const [how, options, handOf] of DAYS)
  t.test(`the day of an owner, in German, ${how}`, { skip }, async (t) => {
    const port = await reservePort();
    await using broker = await startMosquitto({ directory: await tempDirectory(t) });
    const directory = await configDirectory(t, home(port, broker.port));
    const gateway = await startGatewayProcess(t, directory);
    const browser = await startBrowser(t, { isShell: false });
    const phone = await openPhone(browser, gateway);
    const address = `http://127.0.0.1:${port}/console/`;
    const { page, problems } = await openPage(browser, address, { locale: 'de-DE', ...options });
    const day: Day = {
      t,
      directory,
      page,
      hand: handOf(page),
      hasPointer: handOf !== keyboard,
      phone,
      broker,
      gateway,
    };
    await signInAfterMistake(day);
    await addButton(day);
    await writeScript(day);
    await viewHistory(day);
    await loseBroker(day);
    await restoreBackup(day);
    await signOut(day);
    t.strictSame(problems, [], 'no errors on the page');
  });
