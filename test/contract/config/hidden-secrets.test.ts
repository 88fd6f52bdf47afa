import t from 'tap';
import { parse } from 'yaml';
import { hideSecrets, revealSecrets } from '../../../src/config/hidden-secrets.js';
import { ModuleRegistry } from '../../../src/device/module-registry.js';
import { mqttClient } from '../../../drivers/mqtt/mqtt-client.js';

const PRIVATE_KEY = '-----BEGIN PRIVATE KEY-----\nMC4CAQ==\n-----END PRIVATE KEY-----\n';

/** Every place that can have a secret, in several styles. */
const STORED = `# not a secret: password of the cellar
remoteAccess: { username: anna, password: 'it''s, a {secret}' } # soon another
metrics: { username: prometheus, passwordHash: scrypt$16384$8$1$c2FsdA==$aGFzaA== }
webServers:
  - name: secure
    host: 0.0.0.0
    port: 443
    serve: front
    tls:
      certificate: "front.pem"
      key: |
        -----BEGIN PRIVATE KEY-----
        MC4CAQ==
        -----END PRIVATE KEY-----
  - { name: guests, host: '::', port: 80, serve: front, basicAuth: { username: guest, password: &shared "tulip" } }
configurators:
  - { title: Ground floor, ident: ground, base: house, password: ground-secret }
  - { title: Upper floor, ident: upper, base: house, password: upper-secret, autostart: [] }
backup:
  targets:
    - { name: nas, webdav: { url: "https://me:url-secret@nas.example/dav", password: nas-secret } }
    - { name: cloud, s3: { endpoint: https://s3.example, accessKey: AK, secretKey: s3-secret } }
tree:
  - category: House
    ident: house
    children:
      - { variable: Password of the door, ident: password, type: string, value: visible }
      - { script: Notify, ident: notify, text: "fetch('http://host/?token=in-a-script')" }
      - instance: Broker
        module: MQTT Client
        properties: { Url: mqtt://user:broker-secret@10.0.0.1, UserName: me, Password: mqtt-secret, ClientId: '' }
      - { instance: Unknown, module: Future Radio, properties: { AccessToken: radio-secret, Channel: 7 } }
      - { instance: Panel, module: Future Panel, properties: { Pages: [{ Url: "http://a:page-secret@host/" }], Idents: [a, b] } }
  - { media: Camera, type: stream, file: "rtsp://cam:stream-secret@10.0.0.2/live" }
  - instance: Relay
    module: Future Relay
    variables:
      STATE:
        children:
          - { instance: Nested, module: Future Radio, properties: { Password: nested-secret } }
          - { media: Door, type: stream, file: "rtsp://cam:door-secret@10.0.0.3/live" }
`;

const SECRETS =
  /it''s|scrypt\$|MC4C|tulip|ground-secret|upper-secret|url-secret|nas-secret|s3-secret|broker-secret|mqtt-secret|radio-secret|stream-secret|page-secret|nested-secret|door-secret/;

const modules = new ModuleRegistry([
  mqttClient({
    openCount: 0,
    connect: () => {
      throw new Error('nothing is connected');
    },
  }),
]);

t.test('no secret is shown, and the text is otherwise the same', async (t) => {
  const hidden = hideSecrets(STORED, modules);
  t.notMatch(hidden, SECRETS);
  t.match(hidden, '# not a secret: password of the cellar');
  t.match(hidden, 'value: visible');
  t.match(hidden, 'in-a-script', 'the text of a script is a program');
  t.match(hidden, 'mqtt://user:***@10.0.0.1');
  t.match(hidden, "ClientId: ''");
  t.equal(hidden.match(/\*\*\*/g)?.length, 16);
});

t.test('a text that was only read is written as it was', async (t) => {
  const { text } = revealSecrets(hideSecrets(STORED, modules), STORED, modules);
  t.strictSame(parse(text), parse(STORED));
  const unfolded = STORED.replace(/key: \|\n(?: {8}.*\n)+/, `key: ${JSON.stringify(PRIVATE_KEY)}\n`);
  t.equal(text, unfolded);
});

t.test('secrets follow their entries, and never get to others', async (t) => {
  const hidden = hideSecrets(STORED, modules);
  const passwords = (text: string) =>
    (parse(text) as { configurators: { ident: string; password: string }[] }).configurators.map(
      ({ ident, password }) => [ident, password],
    );
  const reveal = (change: (text: string) => string) =>
    passwords(revealSecrets(change(hidden), STORED, modules).text);
  const [ground = '', upper = ''] = hidden.match(/ {2}- \{ title: .*\n/g) ?? [];
  t.strictSame(
    reveal((text) => text.replace(ground + upper, upper + ground)),
    [
      ['upper', 'upper-secret'],
      ['ground', 'ground-secret'],
    ],
    'exchanged',
  );
  t.strictSame(
    reveal((text) => text.replace(ground, '')),
    [['upper', 'upper-secret']],
    'removed',
  );
  t.strictSame(
    reveal((text) => text.replace('ident: ground', 'ident: first')),
    [
      ['first', 'ground-secret'],
      ['upper', 'upper-secret'],
    ],
    'renamed',
  );
  t.strictSame(
    reveal((text) => text.replace(ground, ground.replace('ground', 'new') + ground)),
    [
      ['new', '***'],
      ['ground', 'ground-secret'],
      ['upper', 'upper-secret'],
    ],
    'a new entry has none',
  );
  t.strictSame(
    reveal((text) => text.replace('ident: upper', 'ident: ground')),
    [
      ['ground', '***'],
      ['ground', '***'],
    ],
    'two entries of the same name have none',
  );
  t.strictSame(
    reveal((text) => text.replace('base: house, password: "***"', 'base: house, password: another')),
    [
      ['ground', 'another'],
      ['upper', 'upper-secret'],
    ],
    'replaced',
  );
});

t.test('a URL that was changed keeps no secret of another host', async (t) => {
  const hidden = hideSecrets(STORED, modules).replace('***@10.0.0.1', '***@10.6.6.6');
  t.notMatch(revealSecrets(hidden, STORED, modules).text, /broker-secret/);
});

t.test('a finding is placed in the text that was given', async (t) => {
  const hidden = hideSecrets(STORED, modules);
  const { text, placed } = revealSecrets(hidden, STORED, modules);
  const at = (content: string, what: string) => {
    const before = content.slice(0, content.indexOf(what)).split('\n');
    return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
  };
  for (const what of ['username: anna', 'autostart', 'name: nas', 'UserName', 'ClientId', 'Camera']) {
    const finding = { severity: 'error', key: '', text: '', ...at(text, what) } as const;
    const { line, column } = placed(finding);
    t.strictSame({ line, column }, at(hidden, what), what);
  }
});

t.test('a text that is not valid YAML shows no secrets either', async (t) => {
  const damaged = `${STORED}broken: [ "unfinished\nremoteAccess: { password: late-secret, passwordHash: "open-secret\n`;
  t.notMatch(hideSecrets(damaged, undefined), SECRETS);
  t.notMatch(hideSecrets(damaged, undefined), /late-secret|open-secret/);
  t.doesNotThrow(() => revealSecrets('remoteAccess: [', STORED, modules));
  t.doesNotThrow(() => revealSecrets(hideSecrets(STORED, modules), 'a: [', modules));
});
