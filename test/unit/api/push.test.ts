import { createECDH, createPublicKey, verify } from 'node:crypto';
import t from 'tap';
import { encryptPush } from '../../../src/api/push/push-encryption.js';
import { checkSubscription, readSubscriptions } from '../../../src/api/push/push-subscription.js';
import { VapidKey } from '../../../src/api/push/vapid-key.js';
import { isPublic } from '../../../src/service/push-request.js';

const bytes = (text: string) => Buffer.from(text, 'base64url');
/** The browser of RFC 8291, appendix A. */
const BROWSER = {
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
};

t.test('the example of RFC 8291 is encrypted as there', async (t) => {
  const sender = createECDH('prime256v1');
  sender.setPrivateKey(bytes('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'));
  const encrypted = encryptPush(
    Buffer.from('When I grow up, I want to be a watermelon'),
    { p256dh: bytes(BROWSER.p256dh), auth: bytes(BROWSER.auth) },
    { salt: bytes('DGv6ra1nlYgDCS1FRnbzlw'), sender },
  );
  t.equal(
    encrypted.toString('base64url'),
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  );
});

t.test('the signature for a push service names its origin and ends within a day', async (t) => {
  const key = VapidKey.read(VapidKey.create());
  const nowMs = 1_795_000_000_000;
  const header = key.authorization('https://push.example:8443/send/abc?x=1', nowMs);
  const [, head = '', claims = '', signature = '', publicKey = ''] =
    /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(header) ?? [];
  t.equal(publicKey, key.publicKey);
  const point = bytes(publicKey);
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'));
  const jwk = { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' };
  const signer = { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' } as const;
  t.ok(verify('sha256', Buffer.from(`${head}.${claims}`), signer, bytes(signature)));
  t.strictSame(JSON.parse(bytes(head).toString()), { typ: 'JWT', alg: 'ES256' });
  const { aud, exp, sub } = JSON.parse(bytes(claims).toString()) as Record<string, string | number>;
  t.equal(aud, 'https://push.example:8443');
  t.ok(Number(exp) > nowMs / 1000 && Number(exp) <= nowMs / 1000 + 86_400);
  t.match(String(sub), /^https:/);
  t.throws(() => VapidKey.read('no key'));
});

t.test('a subscription is an https endpoint and keys of the right kind', async (t) => {
  const given = { endpoint: 'https://push.example/send/1', ...BROWSER, language: 'de' };
  t.strictSame(checkSubscription(given), given);
  t.equal(checkSubscription({ ...given, language: 'xx' }).language, 'en');
  for (const change of [
    { endpoint: '' },
    { endpoint: 'http://push.example/' },
    { endpoint: 'file:///etc/passwd' },
    { endpoint: 'https://user:password@push.example/' },
    { endpoint: `https://push.example/${'x'.repeat(2000)}` },
    { p256dh: '' },
    { p256dh: 'BAAA' },
    { p256dh: `B${'A'.repeat(86)}` },
    { p256dh: `C${BROWSER.p256dh.slice(1)}` },
    { auth: 'BTBZ' },
    { auth: `${BROWSER.auth}==` },
  ])
    t.throws(
      () => checkSubscription({ ...given, ...change }),
      { code: 'INVALID_REQUEST' },
      JSON.stringify(change),
    );
  const stored = { ...checkSubscription(given), session: 'a', configurator: 1, device: 'Phone', at: 7 };
  const text = JSON.stringify({ version: 1, subscriptions: [stored, null, 7, { ...stored, auth: 'x' }] });
  t.strictSame(readSubscriptions(text), [stored], 'damaged entries are left out');
  t.strictSame(readSubscriptions('damaged'), []);
});

t.test('only addresses of the internet are contacted', async (t) => {
  for (const address of [
    '8.8.8.8',
    '100.63.255.255',
    '172.32.0.1',
    '::ffff:8.8.8.8',
    '2a00:1450::1',
    '2001:4860::8',
  ])
    t.ok(isPublic(address), address);
  const others =
    '0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 192.168.1.1 ' +
    '198.19.0.1 224.0.0.1 255.255.255.255 ::ffff:192.168.1.1 ::1 :: fe80::1 fd00::1 ff02::1 2001:db8::1 ' +
    '2001::1 2002:c0a8:101::1 64:ff9b::a00:1';
  for (const address of others.split(' ')) t.notOk(isPublic(address), address);
});
