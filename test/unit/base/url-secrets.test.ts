import t from 'tap';
import {
  hasMaskedUrl,
  maskUrls,
  maskUrlsIn,
  urlSecretsIn,
  unmaskUrlsIn,
  urlSecrets,
} from '../../../src/base/url-secrets.js';

t.test('passwords in URLs are masked, everything else stays', async (t) => {
  const cases = [
    ['mqtt://user:SECRET@host:1883', 'mqtt://user:***@host:1883'],
    [
      'at wss://u:p@ss@host/path?a=1, twice: http://:x@y',
      'at wss://u:***@host/path?a=1, twice: http://:***@y',
    ],
    ['http://host/x?token=abc&a=1&api_key=def#k', 'http://host/x?token=***&a=1&api_key=***#k'],
    ['{"Url":"mqtt://user:SECRET@host"}', '{"Url":"mqtt://user:***@host"}'],
    ['mqtt://user:%40%2F@host', 'mqtt://user:***@host'],
  ] as const;
  for (const [text, masked] of cases) t.equal(maskUrls(text), masked);
  const plain = ['http://host:8080/a:b@c', 'mqtt://host', 'user@host', 'a?b=c', '12:30', 'ipp://[::1]:80/x'];
  for (const text of plain) t.equal(maskUrls(text), text);
  t.strictSame(urlSecrets('mqtt://user:SECRET@host and http://h/?token=abc'), ['SECRET', 'abc']);
});

t.test('a masked URL is replaced by the stored one, at any depth', async (t) => {
  const stored = { Url: 'mqtt://u:S@a', List: [{ At: 'http://u:T@b' }], N: 1 };
  const shown = maskUrlsIn(stored);
  t.strictSame(shown, { Url: 'mqtt://u:***@a', List: [{ At: 'http://u:***@b' }], N: 1 });
  t.strictSame(unmaskUrlsIn(shown, stored), stored);
  t.equal(unmaskUrlsIn('mqtt://u:***@other', stored.Url), 'mqtt://u:***@other', 'never to another host');
  t.ok(hasMaskedUrl('mqtt://u:***@other'));
  t.notOk(hasMaskedUrl(stored));
  t.strictSame(urlSecretsIn({ Text: 'say "http://h/?token=abc"', At: ['mqtt://u:S@a'] }), ['abc', 'S']);
});

t.test('the cost of a long text is linear', async (t) => {
  const hostile = [
    'a://'.repeat(50_000),
    `a://${':'.repeat(200_000)}`,
    '?token='.repeat(30_000),
    'a'.repeat(200_000) + '://',
  ];
  for (const text of hostile) t.equal(typeof maskUrls(text), 'string');
});
