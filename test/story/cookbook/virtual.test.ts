import t from 'tap';
import { startCookbookPage } from '../../tools/gateway/cookbook-gateway.js';

t.test('rules and commands of a device can be tested without it, as the page shows', async (t) => {
  const trial = await startCookbookPage(t, '../../hardware/virtual.md', '2026-03-10T12:00:00Z');
  t.equal(await trial.value('trial/boiler/TEMPERATURE'), 61.5);
  t.equal(await trial.value('trial/boiler/PUMP'), false);

  const frames = await trial.run(1);
  t.match(frames, '[{"Frame":"T=hot","Matched":false},{"Frame":"PUMP OFF","Matched":true}');
  t.equal(await trial.value('trial/boiler/TEMPERATURE'), 61.5, 'an invalid value changes no variable');

  const texts = await trial.run(2);
  t.match(texts, /PUMP ON\\r\\n/);
  t.equal(await trial.value('trial/boiler/PUMP'), true);
});
