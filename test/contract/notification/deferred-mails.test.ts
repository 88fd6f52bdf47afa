/** Mails that a server accepts for some of their recipients only. */
import t from 'tap';
import { notificationModules } from '../../../drivers/notification/index.js';
import { ManualClock } from '../../../src/base/clock.js';
import { systemResolver } from '../../../src/device/toolkit/system-resolver.js';
import { DeviceFixture } from '../../tools/devices/device-fixture.js';
import { MailServer } from '../../tools/notification/mail-server.js';
import { until } from '../../tools/until.js';

t.test('a recipient that the mail server defers does not delay other mails', async (t) => {
  const replies: Record<string, string> = { 'al@example.org': '450 greylisted' };
  await using mail = await MailServer.start({ replies });
  const clock = new ManualClock(Date.UTC(2026, 0, 2, 3, 4, 5));
  await using fixture = new DeviceFixture(notificationModules(systemResolver(clock)), clock);
  const instance = await fixture.add('Notification', {
    Service: 'mail',
    Sender: 'house@example.org',
    Recipient: 'jo@example.org, al@example.org',
    Url: mail.url,
  });
  await fixture.waitForLink(instance, 'online');
  const send = (text: string) => fixture.call('GW_SendNotification', instance.id, 'Cellar', text, 1);
  const attempts = () => mail.commands.filter((one) => one.startsWith('RCPT TO:<al@')).length;
  const sentTo = (recipient: string) => mail.received.filter(({ to }) => to.includes(recipient)).length;
  await send('One');
  await until('the first mail', () => sentTo('jo@example.org') === 1);
  await send('Two');
  await until('the second mail', () => sentTo('jo@example.org') === 2);
  await until('the next attempts', () => {
    clock.advance(1_000);
    return attempts() >= 4;
  });
  await send('Three');
  await until('the third mail', () => sentTo('jo@example.org') === 3);
  delete replies['al@example.org'];
  await until('all mails', () => {
    clock.advance(1_000);
    return fixture.value(instance, 'SENT') === 3;
  });
  t.strictSame([sentTo('jo@example.org'), sentTo('al@example.org')], [3, 3]);
  t.strictSame([fixture.value(instance, 'WAITING'), fixture.value(instance, 'FAILED')], [0, 0]);
  replies['al@example.org'] = '450 greylisted';
  await send('Four');
  await until('the fourth mail', () => sentTo('jo@example.org') === 4);
  await until('its deferral', () => fixture.devices.problems(instance.id).length > 0);
  await fixture.devices.close();
  t.equal(clock.pendingTimers, 0);
});
