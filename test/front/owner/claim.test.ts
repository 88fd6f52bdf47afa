import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { axeFindings, noBrowser, openPage, startBrowser } from '../../tools/front/browser.js';
import { layoutFindings } from '../../tools/front/layout-findings.js';
import { startGateway } from '../../tools/gateway/gateway-fixture.js';

/** A box after the installation: nobody is the owner. */
const YAML = `board: simulated
api: { port: 0 }
webServers: [{ name: web, host: 127.0.0.1, port: 0, serve: front }]
`;

t.test('the claim code sets the first password, and leads to the console', { skip: noBrowser }, async (t) => {
  const fixture = await startGateway(t, YAML);
  const browser = await startBrowser(t);
  const address = `http://127.0.0.1:${fixture.gateway.port('web')}/`;
  const { page, problems } = await openPage(browser, address);
  await page.getByRole('heading', { name: 'This gateway has no owner yet' }).waitFor();
  t.equal(page.url(), `${address}console/`);
  t.strictSame(await axeFindings(page), []);
  t.strictSame(await layoutFindings(page), []);
  // The program of the installed box reads the code from this file.
  const code = await readFile(join(fixture.directory, 'data', 'run', 'claim-code'), 'utf8');
  const next = page.getByRole('button', { name: 'Continue' });
  const alert = page.getByRole('alert');
  await page.getByLabel('Claim code').fill('AAAA-AAAA');
  await next.click();
  await alert.filter({ hasText: 'This code is wrong.' }).waitFor();
  await page.route('**/console/claim/facts', (route) =>
    route.fulfill({ status: 429, headers: { 'Retry-After': '12' }, body: '' }),
  );
  await next.click();
  await alert.filter({ hasText: 'Too many attempts. Try again in 12 seconds.' }).waitFor();
  await page.unroute('**/console/claim/facts');
  t.strictSame(await axeFindings(page), []);
  // As people copy it.
  const typed = code.trim().toLowerCase();
  await page.getByLabel('Claim code').fill(`${typed.slice(0, 4)}-${typed.slice(4)}`);
  await next.click();
  await page.getByRole('heading', { name: 'Set up this gateway' }).waitFor();
  const submit = page.getByRole('button', { name: 'Set the password' });
  const password = page.getByLabel('New password');
  const repeat = page.getByLabel('Repeat the password');
  await page.getByLabel('User name').fill('anna');
  await password.fill('short');
  await repeat.fill('shore');
  await page.getByText('The two entries differ.').waitFor();
  await page.getByLabel('Name of the gateway').fill('haus-');
  await submit.click();
  t.equal(await page.locator('input:invalid').count(), 3, 'too short, different, and a wrong name');
  await password.fill('correct horse');
  await repeat.fill('correct horse');
  await page.getByLabel('Name of the gateway').fill('haus-1');
  await page.getByLabel('Time zone').fill('Mars/Olympus');
  await page.getByLabel('Place').selectOption('Wien');
  t.equal(await page.getByLabel('Latitude').inputValue(), '48.21');
  await page.getByLabel('Longitude').fill('16,4');
  t.equal(await page.getByLabel('Place').inputValue(), '*');
  t.ok(await page.getByText('.local').count(), 'the network');
  t.strictSame(await axeFindings(page), []);
  t.strictSame(await layoutFindings(page), []);
  await submit.click();
  await alert.filter({ hasText: 'timezone must be the name of a time zone' }).waitFor();
  await page.getByLabel('Time zone').fill('Asia/Tokyo');
  await page.getByLabel('Language of the pages').selectOption('de');
  await page.getByRole('heading', { name: 'Dieses Gateway einrichten' }).waitFor();
  t.equal(await password.count(), 0, 'the page is in German');
  await page.getByRole('button', { name: 'Passwort setzen' }).click();
  await page.getByRole('heading', { name: 'Übersicht' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Übersicht' }).waitFor();
  t.match(await page.title(), /haus-1/);
  const yaml = await readFile(join(fixture.directory, 'gateway.yaml'), 'utf8');
  for (const line of [
    'name: haus-1',
    'language: de',
    'timeZone: Asia/Tokyo',
    'Latitude: 48.21',
    'Longitude: 16.4',
  ])
    t.match(yaml, line);

  const other = await openPage(browser, `${address}console/`, { locale: 'de-DE' });
  await other.page.getByRole('heading', { name: 'Als Besitzer anmelden' }).waitFor();
  await other.page.getByLabel('Benutzername').fill('anna');
  await other.page.getByLabel('Passwort').fill('correct horse');
  await other.page.getByRole('button', { name: 'Anmelden' }).click();
  await other.page.getByRole('heading', { name: 'Übersicht' }).waitFor();
  t.strictSame(
    problems.filter((one) => !/status of (?:400|401|429)/.test(one)),
    [],
    'no errors on the page',
  );
});

t.test(
  'the code of an earlier start of the machine is rejected, in German',
  { skip: noBrowser },
  async (t) => {
    const former = await startGateway(t, YAML);
    const code = former.gateway.claimCode ?? '';
    await former.gateway.close();
    // The runtime directory of a box ends with its machine.
    await rm(join(former.directory, 'data', 'run'), { recursive: true });
    const fixture = await startGateway(t, undefined, { directory: former.directory });
    const browser = await startBrowser(t);
    const address = `http://127.0.0.1:${fixture.gateway.port('web')}/console/`;
    const { page } = await openPage(browser, address, { locale: 'de-DE', scheme: 'dark', width: 1280 });
    const enter = async (typed: string) => {
      await page.getByLabel('Einrichtungscode', { exact: true }).fill(typed);
      await page.keyboard.press('Enter');
    };
    await enter(code);
    await page.getByRole('alert').filter({ hasText: 'Dieser Code ist falsch.' }).waitFor();
    t.strictSame(await axeFindings(page), []);
    await enter(fixture.gateway.claimCode ?? '');
    await page.getByLabel('Neues Passwort').fill('correct horse');
    await page.getByLabel('Passwort wiederholen').fill('correct horse');
    t.strictSame(await axeFindings(page), []);
    t.strictSame(await layoutFindings(page), []);
    // A file that is no backup.
    await page.locator('summary').click();
    const content = {
      name: 'backup.db',
      mimeType: 'application/octet-stream',
      buffer: Buffer.from('no backup'),
    };
    await page.getByLabel('Sicherungsdatei').setInputFiles(content);
    await page.locator('details button').click();
    await page.getByRole('alert').filter({ hasText: 'keine gültige Sicherung' }).waitFor();
    t.strictSame(await axeFindings(page), []);
    t.strictSame(await layoutFindings(page), []);
    await page.locator('summary').click();
    await page.getByLabel('Neues Passwort').focus();
    // Somebody else was faster.
    await fixture.configure(`${YAML}remoteAccess: { username: anna, password: correct horse }\n`);
    await fixture.gateway.reload();
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'Das hat nicht funktioniert.' }).waitFor();
  },
);
