import t from 'tap';
import { hideSecrets } from '../../../src/recording/hide-secrets.js';

const shown = (topic: string, text: string, texts: readonly string[] = []): string =>
  hideSecrets({ topic, payload: Buffer.from(text) }, texts).payload.toString();

t.test('values that are named like secrets are hidden', async (t) => {
  const cases: readonly (readonly [topic: string, text: string, shown: string])[] = [
    ['a', '{"password":"x","state":"ON"}', '{"password":"***","state":"ON"}'],
    ['a', '{"sta":{"ssid":"home","pass":"x"}}', '{"sta":{"ssid":"home","pass":"***"}}'],
    ['a', '{"network_key":[1,2,3]}', '{"network_key":"***"}'],
    ['a', '[{"accessToken":{"a":1}}]', '[{"accessToken":"***"}]'],
    ['a', '{"code":"1234","action":"DISARM"}', '{"code":"***","action":"DISARM"}'],
    ['a', '{"MqttUser":"u","Api-Key":7}', '{"MqttUser":"***","Api-Key":"***"}'],
    ['a', '{"url":"http://me:abc@host/?token=x"}', '{"url":"http://me:***@host/?token=***"}'],
    ['a', '{"message":"joined with password: abc"}', '{"message":"***"}'],
    ['cmnd/plug/Password1', 'abc', '***'],
    ['a/token/b', '7', '***'],
    ['cmnd/plug/Backlog', 'SSId1 home; Password1 abc', '***'],
    ['a', 'rtsp://me:abc@camera', 'rtsp://me:***@camera'],
  ];
  for (const [topic, text, expected] of cases) t.equal(shown(topic, text), expected, text);
});

t.test('everything else stays as it was published, byte for byte', async (t) => {
  const texts = [
    '{"state": "ON",  "power": 1.50}',
    '{"code_format":"^\\\\d{4}$","code_arm_required":false,"code":null,"password":""}',
    '{"value_template":"{{ value_json.token }}"}',
    '{"error":{"code":7}}',
    'ON',
    '{"password":',
    '',
  ];
  for (const text of texts) t.equal(shown('zigbee2mqtt/lamp', text), text);
  const bytes = Buffer.from([0xff, 0xd8, 0, 1]);
  t.equal(hideSecrets({ topic: 'camera', payload: bytes }, ['x']).payload, bytes);
});

t.test('texts that the user names are hidden in payloads, bytes and topics', async (t) => {
  const payload = Buffer.concat([Buffer.from([0xff]), Buffer.from('Haus Müller'), Buffer.from([0])]);
  const hidden = hideSecrets({ topic: 'haus/Müller/power', payload }, ['Müller']);
  t.equal(hidden.topic, 'haus/***/power');
  t.equal(hidden.payload.toString('latin1'), '\u00ffHaus ***\u0000');
});

t.test('JSON that is nested too deeply is hidden there', async (t) => {
  const text = `${'['.repeat(50_000)}"abc"${']'.repeat(50_000)}`;
  const rest = shown('a', text);
  t.notMatch(rest, 'abc');
  t.match(rest, '***');
});
