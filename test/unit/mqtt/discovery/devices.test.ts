import t from 'tap';
import { AnnouncedEntityFixture } from '../../../tools/devices/announced-entity.js';

const of = AnnouncedEntityFixture.of;
const partsOf = ({ model }: AnnouncedEntityFixture): string[] => model.variables.map(({ part }) => part);

t.test('a thermostat has a variable for each of its topics', async (t) => {
  const climate = of('climate', {
    temperature_command_topic: 'tc',
    temperature_state_topic: 's',
    temperature_state_template: '{{ value_json.set }}',
    current_temperature_topic: 's',
    current_temperature_template: '{{ value_json.now }}',
    mode_command_topic: 'mc',
    mode_state_topic: 's',
    mode_state_template: '{{ value_json.mode }}',
    modes: ['off', 'heat'],
    action_topic: 's',
    action_template: "{{ {'on': 'heating', 'off': 'idle'}[value_json.valve] }}",
    preset_mode_command_topic: 'pc',
    preset_modes: ['eco'],
    power_command_topic: 'po',
    min_temp: 5,
    max_temp: 30,
    temp_step: 0.5,
  });
  t.strictSame(partsOf(climate), ['TARGET', 'MODE', 'POWER', 'TEMPERATURE', 'ACTION', 'PRESET']);
  t.strictSame(climate.take('s', '{"set":21,"now":20.5,"mode":"heat","valve":"on"}'), {
    TARGET: 21,
    MODE: 'heat',
    TEMPERATURE: 20.5,
    ACTION: 'heating',
  });
  t.strictSame(climate.take('s', '{"set":null,"now":20,"mode":"None","valve":"off"}'), {
    TARGET: 'unknown',
    MODE: 'unknown',
    TEMPERATURE: 20,
    ACTION: 'idle',
  });
  t.strictSame(climate.send('TARGET', 21.5), ['tc 21.5']);
  t.throws(() => climate.send('TARGET', 31), { code: 'DEVICE_REFUSED' });
  t.strictSame(climate.send('MODE', 'off'), ['mc off']);
  t.strictSame(climate.send('PRESET', 'none'), ['pc none']);
  t.strictSame(climate.send('POWER', false), ['po OFF']);
  const [target] = climate.model.variables;
  t.match(target, { name: 'Target temperature', profile: { min: 5, max: 30, step: 0.5, suffix: ' °C' } });
  const empty = of('climate', { temperature_command_topic: 'tc', min_temp: '0', max_temp: '0' });
  t.match(empty.model.variables, [{ profile: { min: 7, max: 35, step: 1 } }]);
});

t.test('humidifiers and water heaters are alike', async (t) => {
  const humidifier = of('humidifier', {
    command_topic: 'c',
    state_topic: 's',
    target_humidity_command_topic: 'tc',
    target_humidity_state_topic: 'ts',
    modes: ['auto', 'baby'],
    mode_command_topic: 'mc',
    current_humidity_topic: 'h',
    min_humidity: 30,
    max_humidity: 80,
  });
  t.strictSame(partsOf(humidifier), ['', 'TARGET', 'MODE', 'HUMIDITY']);
  t.strictSame(humidifier.take('ts', '45'), { TARGET: 45 });
  t.strictSame(humidifier.send('TARGET', 50), ['tc 50']);
  t.throws(() => humidifier.send('TARGET', 20), { code: 'DEVICE_REFUSED' });
  const heater = of('water_heater', {
    mode_command_topic: 'm',
    temperature_command_topic: 't',
    temperature_unit: 'F',
    current_temperature_topic: 'ct',
  });
  t.strictSame(partsOf(heater), ['TARGET', 'MODE', 'TEMPERATURE']);
  t.match(heater.model.variables, [{ profile: { min: 110, max: 140, suffix: ' °F' } }]);
  t.strictSame(heater.send('MODE', 'eco'), ['m eco']);
});

t.test('a fan has its speed in per cent of its range', async (t) => {
  const fan = of('fan', {
    command_topic: 'c',
    state_topic: 's',
    percentage_command_topic: 'pc',
    percentage_state_topic: 'ps',
    speed_range_min: 1,
    speed_range_max: 4,
    oscillation_command_topic: 'oc',
    oscillation_state_topic: 'os',
    direction_command_topic: 'dc',
    preset_mode_command_topic: 'mc',
    preset_modes: ['breeze'],
  });
  t.strictSame(partsOf(fan), ['', 'SPEED', 'PRESET', 'OSCILLATION', 'DIRECTION']);
  t.strictSame(fan.take('ps', '2'), { SPEED: 50 });
  t.strictSame(fan.take('ps', '0'), { SPEED: 0 });
  t.strictSame(fan.take('ps', '5'), { SPEED: 'unreadable' });
  t.strictSame(fan.take('os', 'oscillate_on'), { OSCILLATION: true });
  t.strictSame(fan.send('SPEED', 51), ['pc 3']);
  t.strictSame(fan.send('SPEED', 0), ['c OFF']);
  t.strictSame(fan.send('OSCILLATION', false), ['oc oscillate_off']);
  t.strictSame(fan.send('DIRECTION', 'reverse'), ['dc reverse']);
});

t.test('a lock is locked only if it says so', async (t) => {
  const lock = of('lock', { command_topic: 'c', state_topic: 's', payload_open: 'OPEN' });
  t.strictSame(partsOf(lock), ['', 'STATE', 'OPEN']);
  t.strictSame(lock.take('s', 'LOCKED'), { '': true, STATE: 'locked' });
  t.strictSame(lock.take('s', 'JAMMED'), { '': false, STATE: 'jammed' });
  t.strictSame(lock.take('s', 'None'), { '': 'unknown', STATE: 'unknown' });
  t.strictSame(lock.send('', true), ['c LOCK']);
  t.strictSame(lock.send('OPEN', 0), ['c OPEN']);
});

t.test('a siren rings with the settings that were made before', async (t) => {
  const siren = of('siren', {
    command_topic: 'c',
    state_topic: 's',
    available_tones: ['fire'],
    support_duration: false,
  });
  t.strictSame(partsOf(siren), ['', 'TONE', 'VOLUME']);
  t.strictSame(siren.send('TONE', 'fire'), [], 'a tone alone makes no noise');
  siren.values['TONE'] = 'fire';
  siren.values['VOLUME'] = 0.5;
  t.strictSame(siren.send('', true), ['c {"state":"ON","tone":"fire","volume_level":0.5}']);
  t.strictSame(siren.send('', false), ['c {"state":"OFF"}']);
  t.strictSame(siren.take('s', '{"state":"ON","volume_level":0.5}'), { '': true });
  t.strictSame(siren.take('s', 'OFF'), { '': false });
});

t.test('an alarm panel is armed by setting its state', async (t) => {
  const panel = of('alarm_control_panel', {
    command_topic: 'c',
    state_topic: 's',
    supported_features: ['arm_home'],
    payload_arm_home: 'HOME',
  });
  t.strictSame(panel.take('s', 'armed_home'), { '': 'armed_home' });
  t.strictSame(panel.take('s', 'pending'), { '': 'pending' });
  t.strictSame(panel.take('s', 'broken'), { '': 'unreadable' });
  t.strictSame(panel.send('', 'armed_home'), ['c HOME']);
  t.strictSame(panel.send('', 'disarmed'), ['c DISARM']);
  t.throws(() => panel.send('', 'armed_away'), { code: 'DEVICE_REFUSED' });
  const coded = of('alarm_control_panel', {
    command_topic: 'c',
    state_topic: 's',
    code: '1234',
    code_arm_required: false,
  });
  t.strictSame(coded.send('', 'armed_away'), ['c ARM_AWAY']);
  t.throws(() => coded.send('', 'disarmed'), { code: 'DEVICE_REFUSED' });
});

t.test('robots have a state and commands', async (t) => {
  const vacuum = of('vacuum', {
    command_topic: 'c',
    state_topic: 's',
    supported_features: ['start', 'return_home', 'battery', 'fan_speed'],
    fan_speed_list: ['low', 'max'],
    set_fan_speed_topic: 'f',
  });
  t.strictSame(partsOf(vacuum), ['STATE', 'COMMAND', 'BATTERY', 'FAN_SPEED']);
  t.strictSame(vacuum.take('s', '{"state":"docked","battery_level":100,"fan_speed":"low"}'), {
    STATE: 'docked',
    BATTERY: 100,
    FAN_SPEED: 'low',
  });
  t.strictSame(vacuum.send('COMMAND', 'return_to_base'), ['c return_to_base']);
  t.throws(() => vacuum.send('COMMAND', 'locate'), { code: 'DEVICE_REFUSED' });
  t.strictSame(vacuum.send('FAN_SPEED', 'max'), ['f max']);
  const mower = of('lawn_mower', {
    activity_state_topic: 'a',
    dock_command_topic: 'd',
    start_mowing_command_topic: 'm',
    start_mowing_command_template: '{"go":"{{ value }}"}',
  });
  t.strictSame(mower.take('a', 'mowing'), { ACTIVITY: 'mowing' });
  t.strictSame(mower.send('COMMAND', 'start_mowing'), ['m {"go":"start_mowing"}']);
  t.strictSame(mower.send('COMMAND', 'dock'), ['d dock']);
});

t.test('events, triggers and tags occur', async (t) => {
  const event = of('event', { state_topic: 's', event_types: ['press'] });
  t.strictSame(event.take('s', '{"event_type":"press"}'), { '': 'press' });
  t.strictSame(event.take('s', '{"event_type":"fall"}'), { '': 'unreadable' });
  t.match(event.model.variables, [{ sources: [{ isEvent: true }] }]);
  const trigger = of('device_automation', {
    automation_type: 'trigger',
    topic: 'a',
    payload: 'single',
    type: 'button_short_press',
    subtype: 'button_1',
  });
  t.match(trigger.model.variables, [{ name: 'Button 1 button short press' }]);
  t.strictSame(trigger.take('a', 'single'), { '': 1 });
  t.strictSame(trigger.take('a', 'double'), {});
  t.strictSame(trigger.take('a', 'single'), { '': 2 });
  t.strictSame(of('tag', { topic: 't', value_template: '{{ value_json.id }}' }).take('t', '{"id":"E9"}'), {
    '': 'E9',
  });
  const tracker = of('device_tracker', { state_topic: 's', payload_home: 'in', payload_not_home: 'out' });
  t.strictSame(tracker.take('s', 'in'), { '': true, LOCATION: 'home' });
  t.strictSame(tracker.take('s', 'out'), { '': false, LOCATION: 'not_home' });
  t.strictSame(tracker.take('s', 'work'), { '': false, LOCATION: 'work' });
  const phone = of('device_tracker', { json_attributes_topic: 'a' });
  t.strictSame(phone.take('a', '{"latitude":47.1,"longitude":8.5}'), { LATITUDE: 47.1, LONGITUDE: 8.5 });
});

t.test('updates and pictures', async (t) => {
  const update = of('update', { state_topic: 's', command_topic: 'c', payload_install: 'go' });
  t.strictSame(update.take('s', '{"installed_version":"1","latest_version":"2"}'), {
    '': true,
    INSTALLED: '1',
    LATEST: '2',
  });
  t.strictSame(update.take('s', '{"installed_version":"2","latest_version":"2"}'), {
    '': false,
    INSTALLED: '2',
    LATEST: '2',
  });
  t.strictSame(update.take('s', '1'), { '': true, INSTALLED: '1' }, 'the latest version is known');
  t.strictSame(update.send('INSTALL', 0), ['c go']);
  const apart = of('update', { state_topic: 's', latest_version_topic: 'l' });
  t.strictSame(apart.take('s', '1.0'), { INSTALLED: '1.0' });
  t.strictSame(apart.take('l', '1.1'), { '': true, LATEST: '1.1' });
  t.strictSame(of('camera', { topic: 'p' }).take('p', 'PNG'), { '': 'now' });
  t.strictSame(of('image', { url_topic: 'u' }).take('u', 'http://x/y.png'), { '': 'http://x/y.png' });
});

t.test('what is not understood of an entity is named', async (t) => {
  t.strictSame(of('infrared', {}).problems, ['there is no support for infrared']);
  t.strictSame(of('switch', { command_topic: 'a/+' }).problems, [
    'command_topic: the topic a/+ contains wildcards; give a single topic',
    'it has no command topic',
    'it has no topic that is understood',
  ]);
  const half = of('light', {
    command_topic: 'c',
    brightness_command_topic: 'b',
    brightness_value_template: '{{ value',
    brightness_state_topic: 's',
    state_topic: 's',
  });
  t.equal(half.problems.length, 1, 'only its template');
  t.strictSame(half.take('s', 'ON'), { '': true, BRIGHTNESS: 'error' });
  t.strictSame(of('sensor', { state_topic: 's', expire_after: 'soon', availability: 7 }).problems, [
    'expire_after is no number',
    'availability contains something that is no object',
  ]);
});
