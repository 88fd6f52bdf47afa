import t from 'tap';
import { AnnouncedEntityFixture } from '../../../tools/devices/announced-entity.js';

const of = AnnouncedEntityFixture.of;
const namesOf = ({ variables }: AnnouncedEntityFixture): string[] =>
  variables.map((one) => one.replace(/^(\w+) .*?( ![a-z]*)?$/, '$1$2'));

t.test('a switch has the defaults of Home Assistant', async (t) => {
  const plug = of('switch', { state_topic: 's', command_topic: 'c', retain: 'true' });
  t.strictSame(plug.variables, ['bool main ~Switch !']);
  t.strictSame(plug.take('s', 'ON'), { '': true });
  t.strictSame(plug.take('s', 'OFF'), { '': false });
  t.strictSame(plug.take('s', 'None'), { '': 'unknown' });
  t.strictSame(plug.take('s', 'on'), { '': 'unreadable' });
  t.strictSame(plug.take('s', ''), {});
  t.strictSame(plug.send('', true), ['c ON (retained)']);
  t.strictSame(of('switch', { command_topic: 'c' }).variables, ['bool main ~Switch !optimistic']);
  const own = of('switch', {
    state_topic: 's',
    command_topic: 'c',
    payload_on: '{"p":1}',
    payload_off: false,
    state_on: 'yes',
    command_template: '[{{ value }}]',
    optimistic: 'yes',
  });
  t.strictSame(own.take('s', 'yes'), { '': true });
  t.strictSame(own.take('s', 'False'), { '': false }, 'booleans are written as Python does');
  t.strictSame(own.send('', true), ['c [{"p":1}]']);
  t.strictSame(own.variables, ['bool main ~Switch !optimistic']);
});

t.test('sensors are numbers, texts or times', async (t) => {
  const rows: [settings: Record<string, unknown>, variable: string, payload: string, value: unknown][] = [
    [{ device_class: 'temperature', unit_of_measurement: '°C' }, 'float main ~Temperature', '21.50', 21.5],
    [{ unit_of_measurement: 'lqi' }, 'float main MQTT.lqi.0', '87', 87],
    [{ state_class: 'measurement' }, 'float main MQTT..2', '-1e3', -1000],
    [{ suggested_display_precision: 1, unit_of_measurement: 'W' }, 'float main MQTT.W.1', '3', 3],
    [{ unit_of_measurement: 'toString', device_class: 'constructor' }, 'float main MQTT.toString.0', '7', 7],
    [{ unit_of_measurement: 'W' }, 'float main ~Watt', 'nan', 'unknown'],
    [{ unit_of_measurement: 'W' }, 'float main ~Watt', 'None', 'unknown'],
    [{ unit_of_measurement: 'W' }, 'float main ~Watt', 'offline', 'unreadable'],
    [{}, 'text main', 'anything', 'anything'],
    [{ device_class: 'timestamp' }, 'int main ~UnixTimestamp', '2026-01-18T12:48:16+00:00', 1768740496],
    [{ device_class: 'timestamp' }, 'int main ~UnixTimestamp', 'yesterday', 'unreadable'],
    [{ device_class: 'enum', options: ['a', 'b'] }, 'text main MQTT.A B.3b8bd15a', 'c', 'unreadable'],
    [{ entity_category: 'diagnostic' }, 'text diagnostic', 'x', 'x'],
    [{ entity_category: 'config' }, 'text detail', 'x', 'x'],
    [{ enabled_by_default: 'false' }, 'text diagnostic', 'x', 'x'],
    [{ value_template: '{{ value_json.a }}' }, 'text main', '{"a":[1]}', '[1]'],
    [{ value_template: '{{ value_json.a.b }}' }, 'text main', '{}', 'error'],
  ];
  for (const [settings, variable, payload, value] of rows) {
    const sensor = of('sensor', { state_topic: 's', ...settings });
    t.strictSame(
      sensor.variables.map((one) => one.replace(/[0-9a-f]{8}$/, '#')),
      [variable.replace(/[0-9a-f]{8}$/, '#')],
    );
    t.strictSame(sensor.take('s', payload), { '': value }, `${JSON.stringify(settings)} ${payload}`);
  }
  const empty = of('sensor', { state_topic: 's', value_template: '{{ value_json.a }}' });
  t.strictSame(empty.take('s', '{}'), {}, 'a missing member says nothing');
  t.match(of('sensor', { state_topic: 's', expire_after: '60' }).model.variables, [{ expireAfterS: 60 }]);
});

t.test('binary sensors have the profile of their class', async (t) => {
  const door = of('binary_sensor', { state_topic: 's', device_class: 'door', off_delay: 5 });
  t.strictSame(door.variables, ['bool main ~Window']);
  t.match(door.model.variables, [{ offDelayS: 5, name: 'Door' }]);
  const delays = [0, 0.5, 2_073_600, 2_147_484, 1e300, -1].map(
    (off_delay) => of('binary_sensor', { state_topic: 's', off_delay }).model.variables[0]?.offDelayS,
  );
  // A timer has at most 2^31 - 1 ms.
  t.strictSame(delays, [0, 0.5, 2_073_600, 2_073_600, 2_073_600, undefined]);
  t.strictSame(door.take('s', 'ON'), { '': true });
  const own = of('binary_sensor', { state_topic: 's', payload_on: 1, payload_off: 0 });
  t.strictSame(own.take('s', '1'), { '': true });
  t.strictSame(own.take('s', '2'), { '': 'unreadable' });
});

t.test('numbers keep their range', async (t) => {
  const number = of('number', {
    command_topic: 'c',
    state_topic: 's',
    min: '-5',
    max: 5,
    step: 0.1,
    unit_of_measurement: '°C',
  });
  t.strictSame(number.variables, ['float main MQTT.°C.1.-5-5-0.1 !']);
  t.strictSame(number.send('', 0.1 + 0.2), ['c 0.3']);
  t.throws(() => number.send('', 6), { code: 'DEVICE_REFUSED' });
  const template = of('number', { command_topic: 'c', command_template: '{"v": {{ value }} }' });
  t.strictSame(template.send('', 5), ['c {"v": 5 }'], 'a whole number is an integer');
  t.strictSame(template.send('', 5.5), ['c {"v": 5.5 }']);
  t.strictSame(of('number', { command_topic: 'c' }).variables, ['float main MQTT..0.1-100-1 !optimistic']);
});

t.test('selects, texts and times accept what they can have', async (t) => {
  const select = of('select', { command_topic: 'c', state_topic: 's', options: ['off', 'eco'] });
  t.strictSame(select.take('s', 'eco'), { '': 'eco' });
  t.strictSame(select.take('s', 'on'), { '': 'unreadable' });
  t.strictSame(select.send('', 'off'), ['c off']);
  t.throws(() => select.send('', 'on'), { code: 'DEVICE_REFUSED' });
  const text = of('text', { command_topic: 'c', state_topic: 's', max: 3 });
  t.strictSame(text.send('', 'abc'), ['c abc']);
  t.throws(() => text.send('', 'abcd'), { code: 'DEVICE_REFUSED' });
  const date = of('date', { command_topic: 'c', state_topic: 's' });
  t.strictSame(date.take('s', '2026-02-01'), { '': '2026-02-01' });
  t.throws(() => date.send('', 'tomorrow'), { code: 'DEVICE_REFUSED' });
  t.strictSame(of('time', { command_topic: 'c' }).send('', '07:30:00'), ['c 07:30:00']);
  t.strictSame(of('datetime', { command_topic: 'c' }).send('', '2026-02-01T07:30:00+01:00'), [
    'c 2026-02-01T07:30:00+01:00',
  ]);
  t.strictSame(of('button', { command_topic: 'c' }).send('', 0), ['c PRESS']);
  t.strictSame(of('scene', { command_topic: 'c' }).send('', 0), ['c ON']);
  t.strictSame(of('notify', { command_topic: 'c' }).send('', 'hello'), ['c hello']);
});

t.test('covers translate positions and states', async (t) => {
  const cover = of('cover', {
    command_topic: 'c',
    state_topic: 's',
    position_topic: 'p',
    set_position_topic: 'sp',
    position_open: 0,
    position_closed: 255,
    payload_stop: null,
    tilt_command_topic: 't',
    tilt_max: 180,
  });
  t.strictSame(namesOf(cover), ['POSITION !', 'MOVE !', 'STATE', 'TILT !optimistic']);
  t.strictSame(cover.take('p', '255'), { POSITION: 0 });
  t.strictSame(cover.take('p', '{"position": 0}'), { POSITION: 100 });
  t.strictSame(cover.take('s', 'opening'), { MOVE: 0, STATE: 'opening' });
  t.strictSame(cover.take('s', 'open'), { MOVE: 2, STATE: 'open' });
  t.strictSame(cover.send('POSITION', 20), ['sp 204']);
  t.strictSame(cover.send('MOVE', 4), ['c CLOSE']);
  t.throws(() => cover.send('MOVE', 2), { code: 'DEVICE_REFUSED' }, 'it cannot stop');
  t.strictSame(cover.send('TILT', 50), ['t 90']);
  const template = of('cover', {
    position_topic: 'p',
    set_position_topic: 'sp',
    set_position_template: '{{ position }}/{{ position_open }}/{{ value }}',
    position_open: 10,
  });
  t.strictSame(template.send('POSITION', 50), ['sp 50/10/5']);
});

t.test('valves are open, or have a position', async (t) => {
  const valve = of('valve', { command_topic: 'c', state_topic: 's' });
  t.strictSame(valve.take('s', 'open'), { '': true, STATE: 'open' });
  t.strictSame(valve.take('s', 'closing'), { STATE: 'closing' });
  t.strictSame(valve.take('s', '{"state":"closed"}'), { '': false, STATE: 'closed' });
  t.strictSame(valve.send('', true), ['c OPEN']);
  const mixer = of('valve', {
    command_topic: 'c',
    state_topic: 's',
    reports_position: true,
    position_open: 50,
  });
  t.strictSame(mixer.take('s', '25'), { '': 50 });
  t.strictSame(mixer.take('s', '{"position":50,"state":"open"}'), { '': 100 });
  t.strictSame(mixer.take('s', 'opening'), {});
  t.strictSame(mixer.send('', 100), ['c 50']);
});
