/** Messages to people, through servers of each kind. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { notificationModules } from '../../../drivers/notification/index.js';
import { ManualClock } from '../../../src/base/clock.js';
import type { Instance } from '../../../src/kernel/instances.js';
import { systemResolver } from '../../../src/device/toolkit/system-resolver.js';
import { DeviceFixture } from '../../tools/devices/device-fixture.js';
import { MailServer } from '../../tools/notification/mail-server.js';
import { MessageServer } from '../../tools/notification/message-server.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { testCertificate } from '../../tools/test-certificate.js';
import { until } from '../../tools/until.js';

const LOW = 0;
const NORMAL = 1;
const HIGH = 2;

/** A gateway with one instance of the module. */
async function open(t: Test, properties: Record<string, unknown>) {
  const clock = new ManualClock(Date.UTC(2026, 0, 2, 3, 4, 5));
  const fixture = new DeviceFixture(notificationModules(systemResolver(clock)), clock);
  t.teardown(() => fixture[Symbol.asyncDispose]());
  const instance = await fixture.add('Notification', properties);
  fixture.kernel.tree.set(instance, 'name', 'Alarm');
  await fixture.waitForLink(instance, 'online');
  const send = (text: string, { title = 'Cellar', priority = NORMAL } = {}) =>
    fixture.call('GW_SendNotification', instance.id, title, text, priority);
  return { clock, fixture, instance, send };
}

const problems = (fixture: DeviceFixture, instance: Instance) =>
  fixture.devices.problems(instance.id).map(({ code, text }) => `${code}: ${String(text)}`);

async function server(t: Test, tls?: { certificate: string; key: string }): Promise<MessageServer> {
  const started = await MessageServer.start(tls);
  t.teardown(() => started[Symbol.asyncDispose]());
  return started;
}

async function mailServer(t: Test, options: Parameters<typeof MailServer.start>[0]): Promise<MailServer> {
  const started = await MailServer.start(options);
  t.teardown(() => started[Symbol.asyncDispose]());
  return started;
}

t.test('ntfy: the topic is the end of the address', async (t) => {
  const ntfy = await server(t);
  const { fixture, instance, send } = await open(t, {
    Service: 'ntfy',
    Url: `${ntfy.url}/sub/my%20topic`,
    Password: 'tk_secret',
  });
  t.equal(await send('Water on the floor', { priority: HIGH }), true);
  await fixture.waitForValue(instance, 'SENT', 1);
  t.match(ntfy.received, [
    {
      path: '/sub',
      headers: { authorization: 'Bearer tk_secret', 'content-type': 'application/json' },
      body: { topic: 'my topic', title: 'Cellar', message: 'Water on the floor', priority: 5 },
    },
  ]);
  t.equal(fixture.value(instance, 'MESSAGE'), 'Water on the floor');
  t.equal(fixture.value(instance, 'WAITING'), 0);
});

t.test('ntfy with a user name and a password; the title is the name of the instance', async (t) => {
  const ntfy = await server(t);
  const { fixture, instance } = await open(t, {
    Service: 'ntfy',
    Url: `${ntfy.url}/house`,
    UserName: 'jo',
    Password: 'pa:ss',
  });
  await fixture.devices.supervisor(instance.id).write('MESSAGE', 'Grüße');
  await fixture.waitForValue(instance, 'SENT', 1);
  const [request] = ntfy.received;
  t.equal(request?.headers.authorization, `Basic ${Buffer.from('jo:pa:ss').toString('base64')}`);
  t.match(request?.body, { title: 'Alarm', message: 'Grüße', priority: 3 });
});

t.test('Gotify', async (t) => {
  const gotify = await server(t);
  const { fixture, instance, send } = await open(t, {
    Service: 'gotify',
    Url: `${gotify.url}/gotify/`,
    Password: 'AppToken',
  });
  await send('Done', { priority: LOW });
  await fixture.waitForValue(instance, 'SENT', 1);
  t.match(gotify.received, [
    {
      path: '/gotify/message',
      headers: { 'x-gotify-key': 'AppToken' },
      body: { title: 'Cellar', message: 'Done', priority: 2 },
    },
  ]);
});

t.test('Telegram: the token is in the path, and in no text', async (t) => {
  const telegram = await server(t);
  telegram.statuses.push(400);
  const { fixture, instance, send } = await open(t, {
    Service: 'telegram',
    Url: telegram.url,
    Password: '123:botsecret',
    Recipient: '-100200300',
  });
  await send('First');
  await fixture.waitForValue(instance, 'FAILED', 1);
  const [problem = ''] = problems(fixture, instance);
  t.match(problem, /^DISCARDED: .*rejected the message \(400\); correct Url and Recipient/);
  t.notMatch(problem, /botsecret/);
  await send('Second', { priority: LOW });
  await fixture.waitForValue(instance, 'SENT', 1);
  t.strictSame(problems(fixture, instance), []);
  t.match(telegram.received[1], {
    path: '/bot123:botsecret/sendMessage',
    body: { chat_id: '-100200300', text: 'Cellar\nSecond', disable_notification: true },
  });
});

t.test('a webhook over TLS, whose authority is in a file', async (t) => {
  const tls = testCertificate('127.0.0.1');
  const hook = await server(t, tls);
  const caFile = join(await tempDirectory(t), 'ca.pem');
  await writeFile(caFile, tls.certificate);
  const { fixture, instance, send } = await open(t, {
    Service: 'webhook',
    Url: `${hook.url}/in?house=1`,
    CaFile: caFile,
  });
  await send('Ring');
  await fixture.waitForValue(instance, 'SENT', 1);
  t.match(hook.received, [
    {
      path: '/in?house=1',
      body: { title: 'Cellar', text: 'Ring', priority: 'normal', time: '2026-01-02T03:04:05.000Z' },
    },
  ]);
  t.equal(hook.received[0]?.headers.authorization, undefined);

  const other = await open(t, { Service: 'webhook', Url: `${hook.url}/in` });
  await other.send('Nobody vouches for this server');
  await until('a problem', () => problems(other.fixture, other.instance).length > 0);
  t.match(problems(other.fixture, other.instance), [/UNDELIVERED: 1 messages wait: its certificate is not/]);
  t.equal(hook.received.length, 1);
});

t.test('a message that can not be delivered waits, and the next ones behind it', async (t) => {
  const ntfy = await server(t);
  ntfy.statuses.push(500, 429, undefined);
  const { clock, fixture, instance, send } = await open(t, { Service: 'ntfy', Url: `${ntfy.url}/house` });
  await send('One');
  await send('Two');
  const problem = (text: string) =>
    until(text, () => problems(fixture, instance).find((one) => one.includes(text)));
  t.match(await problem('status 500'), /^UNDELIVERED: 2 messages wait: the server replied with status 500/);
  t.equal(fixture.value(instance, 'WAITING'), 2);
  clock.advance(5_000);
  await problem('status 429');
  clock.advance(9_999);
  t.equal(ntfy.received.length, 2, 'the delay doubles');
  clock.advance(1);
  await until('the third attempt', () => ntfy.received.length === 3);
  // It gets no reply, and is ended.
  clock.advance(30_000);
  await problem('UNDELIVERED: 2 messages wait: The notification');
  clock.advance(20_000);
  await fixture.waitForValue(instance, 'SENT', 2);
  t.strictSame(
    ntfy.received.map(({ body }) => body['message']),
    ['One', 'One', 'One', 'One', 'Two'],
  );
  t.equal(fixture.value(instance, 'WAITING'), 0);
  t.equal(fixture.value(instance, 'FAILED'), 0);
  t.strictSame(problems(fixture, instance), []);
});

t.test(
  'of too many messages the oldest of the lowest priority is discarded, and old ones after a day',
  async (t) => {
    const ntfy = await server(t);
    ntfy.statuses.push(...Array.from({ length: 300 }, () => 503));
    const { clock, fixture, instance, send } = await open(t, { Service: 'ntfy', Url: `${ntfy.url}/house` });
    await send('First');
    await until('a problem', () => problems(fixture, instance).length > 0);
    await send('Important', { priority: HIGH });
    for (let i = 0; i < 100; i++) await send(`Message ${i}`);
    t.equal(fixture.value(instance, 'WAITING'), 100);
    t.equal(fixture.value(instance, 'FAILED'), 2, 'two messages of normal priority');
    ntfy.statuses.length = 0;
    clock.advance(5_000);
    await fixture.waitForValue(instance, 'WAITING', 0);
    t.strictSame(
      [ntfy.received[1], ntfy.received[2], ntfy.received.at(-1)].map((one) => one?.body['message']),
      ['Important', 'Message 1', 'Message 99'],
    );
  },
);

t.test('a message is discarded after a day', async (t) => {
  const ntfy = await server(t);
  ntfy.statuses.push(...Array.from({ length: 1_000 }, () => 503));
  const { clock, fixture, instance, send } = await open(t, { Service: 'ntfy', Url: `${ntfy.url}/house` });
  await send('Late');
  await until('a problem', () => problems(fixture, instance).length > 0);
  clock.advance(23.9 * 3_600_000);
  t.equal(fixture.value(instance, 'FAILED'), 0);
  await until('its end', () => {
    clock.advance(10_000);
    return fixture.value(instance, 'FAILED') === 1;
  });
  t.match(problems(fixture, instance).join('\n'), /DISCARDED: .*for too long/);
  t.equal(problems(fixture, instance).length, 1, 'no message waits any more');
  t.equal(fixture.value(instance, 'WAITING'), 0);
});

t.test('a redirect and a rejected login discard the message and say what to do', async (t) => {
  const hook = await server(t);
  hook.statuses.push(302, 401);
  const { fixture, instance, send } = await open(t, { Service: 'webhook', Url: hook.url });
  await send('One');
  await fixture.waitForValue(instance, 'FAILED', 1);
  t.match(problems(fixture, instance), [/redirects to another address \(302\); set Url/]);
  await send('Two');
  await fixture.waitForValue(instance, 'FAILED', 2);
  t.match(problems(fixture, instance), [/rejected the login \(401\); correct UserName and Password/]);
  t.equal(hook.received.length, 2, 'the redirect was not followed');
});

t.test('what can not be a message is rejected', async (t) => {
  const hook = await server(t);
  const { fixture, instance, send } = await open(t, { Service: 'webhook', Url: hook.url });
  await t.rejects(send(' \n'), { code: 'DEVICE_REFUSED', message: /the message is empty/ });
  await t.rejects(send('x'.repeat(3_801)), { code: 'DEVICE_REFUSED', message: /more than 3800 characters/ });
  await t.rejects(send('x', { title: 'a\nBcc: b' }), { code: 'DEVICE_REFUSED', message: /one line/ });
  await t.rejects(fixture.devices.supervisor(instance.id).write('SENT', 5), { code: 'READ_ONLY' });
  t.equal(hook.received.length, 0);
});

t.test('mail', async (t) => {
  const tls = testCertificate('127.0.0.1');
  const caFile = join(await tempDirectory(t), 'ca.pem');
  await writeFile(caFile, tls.certificate);
  const properties = {
    Service: 'mail',
    Sender: 'house@example.org',
    Recipient: 'jo@example.org, al@example.org',
    UserName: 'house',
    Password: 'mailsecret',
    CaFile: caFile,
  };
  for (const isImplicit of [true, false])
    await t.test(isImplicit ? 'smtps' : 'smtp with STARTTLS', async (t) => {
      const mail = await mailServer(t, { tls, isImplicit, login: 'house:mailsecret' });
      const { fixture, instance, send } = await open(t, { ...properties, Url: mail.url });
      await send('/etc/passwd\n.\nGrüße', { title: 'Keller', priority: HIGH });
      await fixture.waitForValue(instance, 'SENT', 1);
      const [one] = mail.received;
      t.match(one, {
        from: 'house@example.org',
        to: ['jo@example.org', 'al@example.org'],
        isEncrypted: true,
        user: 'house',
      });
      t.match(one?.data, /^Subject: Keller$/m);
      t.match(one?.data, /^X-Priority: 1/m);
      t.match(one?.data, /^\/etc\/passwd$/m);
      t.match(one?.data, /^Date: Fri, 02 Jan 2026 03:04:05/m);
    });

  await t.test('a password is not sent without TLS', async (t) => {
    const mail = await mailServer(t, { login: 'house:mailsecret' });
    const { fixture, instance, send } = await open(t, { ...properties, Url: mail.url });
    await send('Hello');
    await fixture.waitForValue(instance, 'FAILED', 1);
    t.match(problems(fixture, instance), [/no TLS with the server/]);
    t.notOk(mail.commands.some((line) => line.startsWith('AUTH')));
  });

  await t.test('a server without login', async (t) => {
    const mail = await mailServer(t, {});
    const { fixture, instance, send } = await open(t, {
      ...properties,
      Url: mail.url,
      UserName: '',
      Password: '',
    });
    await send('Hello');
    await fixture.waitForValue(instance, 'SENT', 1);
    t.match(mail.received, [{ isEncrypted: false, user: undefined }]);
  });

  await t.test('rejections', async (t) => {
    const replies: Record<string, string> = { 'al@example.org': '550 no such user' };
    const mail = await mailServer(t, { tls, login: 'house:mailsecret', replies });
    const { clock, fixture, instance, send } = await open(t, { ...properties, Url: mail.url });
    await send('One');
    await fixture.waitForValue(instance, 'FAILED', 1);
    t.match(problems(fixture, instance), [/rejected al@example.org; correct Recipient/]);
    replies['jo@example.org'] = '550 no such user';
    await send('Two');
    await fixture.waitForValue(instance, 'FAILED', 2);
    t.match(problems(fixture, instance), [/rejected the mail \(550\); correct Recipient and Sender/]);
    replies['jo@example.org'] = '451 later';
    replies['al@example.org'] = '451 later';
    await send('Three');
    await until('a problem', () =>
      problems(fixture, instance).some((one) => one.includes('replied with status 451')),
    );
    delete replies['jo@example.org'];
    delete replies['al@example.org'];
    clock.advance(5_000);
    await fixture.waitForValue(instance, 'SENT', 1);
    t.match(mail.received.at(-1)?.data, /Three/);

    const wrong = await open(t, { ...properties, Url: mail.url, Password: 'wrong' });
    await wrong.send('Four');
    await wrong.fixture.waitForValue(wrong.instance, 'FAILED', 1);
    const [problem = ''] = problems(wrong.fixture, wrong.instance);
    t.match(problem, /rejected the login \(535\); correct UserName and Password/);
    t.notMatch(problem, /wrong/);
  });
});

t.test('a mail server that is busy: the mail is sent later, to those who have not got it', async (t) => {
  const tls = testCertificate('127.0.0.1');
  const caFile = join(await tempDirectory(t), 'ca.pem');
  await writeFile(caFile, tls.certificate);
  const replies: Record<string, string> = { STARTTLS: '454 TLS not available' };
  const mail = await mailServer(t, { tls, login: 'house:mailsecret', replies });
  const { clock, fixture, instance, send } = await open(t, {
    Service: 'mail',
    Sender: 'House <house@example.org>',
    Recipient: 'jo@example.org, Al <al@example.org>, ed@example.org',
    UserName: 'house',
    Password: 'mailsecret',
    CaFile: caFile,
    Url: mail.url,
  });
  const waits = (reason: string) =>
    until(reason, () => problems(fixture, instance).join('\n').includes(`messages wait: ${reason}`));
  await send('Hello');
  await waits('the server replied with status 454');
  delete replies['STARTTLS'];
  replies['AUTH'] = '421 too many login attempts';
  clock.advance(5_000);
  await waits('the server replied with status 421');
  delete replies['AUTH'];
  replies['al@example.org'] = '450 greylisted';
  replies['ed@example.org'] = '550 no such user';
  clock.advance(10_000);
  await waits('the server replied with status 450');
  t.strictSame(mail.received.at(-1)?.to, ['jo@example.org']);
  replies['al@example.org'] = '451 greylisted';
  clock.advance(20_000);
  await waits('the server replied with status 451');
  delete replies['al@example.org'];
  clock.advance(40_000);
  await fixture.waitForValue(instance, 'FAILED', 1);
  t.match(mail.received[1], { from: 'house@example.org', to: ['al@example.org'] });
  t.match(mail.received[1]?.data, /^To: jo@example.org, Al <al@example.org>, ed@example.org$/m);
  t.match(problems(fixture, instance), [/the server rejected ed@example.org; correct Recipient/]);
});

t.test('a configuration that can not work says why', async (t) => {
  const clock = new ManualClock();
  await using fixture = new DeviceFixture(notificationModules(systemResolver(clock)), clock);
  const cases: [Record<string, unknown>, RegExp][] = [
    [{ Service: 'ntfy' }, /Url is empty/],
    [{ Service: 'ntfy', Url: 'https://ntfy.sh/' }, /has no topic/],
    [{ Service: 'ntfy', Url: 'https://ntfy.sh/100%' }, /has a % that encodes no character; write it as %25/],
    [{ Service: 'ntfy', Url: 'https://ntfy.sh/house', Password: 'tk_1\n' }, /character that no token has/],
    [{ Service: 'gotify', Url: 'ftp://host' }, /must begin with https:\/\/ or http:\/\//],
    [{ Service: 'mail', Url: 'https://host' }, /must begin with smtps:\/\/ or smtp:\/\//],
    [{ Service: 'webhook', Url: 'https://jo:pw@host' }, /must not contain a user name/],
    [{ Service: 'telegram' }, /Password is empty/],
    [{ Service: 'telegram', Password: 'x' }, /Recipient is empty/],
    [{ Service: 'mail', Url: 'smtp://host', Recipient: 'a@b' }, /Sender is empty/],
  ];
  for (const [properties, message] of cases) {
    const instance = await fixture.add('Notification', properties);
    await until(String(message), () => message.test(fixture.status(instance)));
    t.match(fixture.status(instance), message);
  }
});

t.test('closing ends an attempt', async (t) => {
  const ntfy = await server(t);
  ntfy.statuses.push(undefined);
  const { fixture, instance, send } = await open(t, { Service: 'ntfy', Url: `${ntfy.url}/house` });
  await send('No reply');
  await until('the request', () => ntfy.received.length === 1);
  await fixture.devices.close();
  t.equal(fixture.value(instance, 'SENT'), 0);
});
