import t from 'tap';
import { AnnouncedEntityFixture } from '../../../tools/devices/announced-entity.js';

const of = AnnouncedEntityFixture.of;
const partsOf = ({ model }: AnnouncedEntityFixture): string[] => model.variables.map(({ part }) => part);

const TOPICS = {
  command_topic: 'c',
  state_topic: 's',
  brightness_command_topic: 'bc',
  brightness_state_topic: 'bs',
  color_temp_command_topic: 'tc',
  color_temp_state_topic: 'ts',
  rgb_command_topic: 'rc',
  rgb_state_topic: 'rs',
  effect_command_topic: 'ec',
  effect_list: ['rainbow'],
};

t.test('a light with a topic per property', async (t) => {
  const light = of('light', TOPICS);
  t.strictSame(partsOf(light), ['', 'BRIGHTNESS', 'COLOR_TEMPERATURE', 'COLOR', 'EFFECT']);
  t.strictSame(light.take('bs', '128'), { BRIGHTNESS: 128 });
  t.strictSame(light.take('ts', '300'), { COLOR_TEMPERATURE: 300 });
  t.strictSame(light.take('rs', '255,128,0'), { COLOR: 0xff8000 });
  t.strictSame(light.take('rs', 'red'), { COLOR: 'unreadable' });
  t.strictSame(light.send('', true), ['c ON']);
  t.strictSame(light.send('BRIGHTNESS', 77), ['bc 77', 'c ON']);
  t.strictSame(light.send('BRIGHTNESS', 0), ['c OFF']);
  t.throws(() => light.send('BRIGHTNESS', 256), { code: 'DEVICE_REFUSED' });
  t.strictSame(light.send('COLOR', 0x0000ff), ['rc 0,0,255', 'c ON']);
  t.strictSame(light.send('EFFECT', 'rainbow'), ['ec rainbow', 'c ON']);
});

t.test('when a light is switched on', async (t) => {
  const first = of('light', { ...TOPICS, on_command_type: 'first' });
  t.strictSame(first.send('BRIGHTNESS', 77), ['c ON', 'bc 77']);
  const dimmed = of('light', { ...TOPICS, on_command_type: 'brightness', brightness_scale: 100 });
  t.strictSame(dimmed.send('', true), ['bc 100']);
  dimmed.values['BRIGHTNESS'] = 40;
  t.strictSame(dimmed.send('', true), ['bc 40']);
  t.strictSame(dimmed.send('BRIGHTNESS', 50), ['bc 50']);
  t.strictSame(dimmed.send('COLOR', 0xffffff), ['rc 255,255,255', 'bc 40']);
  t.strictSame(dimmed.send('', false), ['c OFF']);
});

t.test('other colour formats and templates', async (t) => {
  const hs = of('light', { command_topic: 'c', hs_command_topic: 'hc', hs_state_topic: 'hs' });
  t.strictSame(hs.take('hs', '120,100'), { COLOR: 0x00ff00 });
  t.strictSame(hs.send('COLOR', 0xff0000), ['hc 0,100', 'c ON']);
  const xy = of('light', { command_topic: 'c', xy_command_topic: 'xc', xy_state_topic: 'xs' });
  t.strictSame(xy.send('COLOR', 0xff0000), ['xc 0.701,0.299', 'c ON']);
  t.strictSame(xy.take('xs', '0.701,0.299'), { COLOR: 0xff0000 });
  const template = of('light', {
    command_topic: 'c',
    rgb_command_topic: 'rc',
    rgb_command_template: '{{ "#%02x%02x%02x" | format(red, green, blue) }}',
    color_temp_kelvin: true,
    color_temp_command_topic: 'tc',
  });
  t.strictSame(template.send('COLOR', 0x0a0b0c), ['rc #0a0b0c', 'c ON']);
  t.match(template.model.variables[1], {
    part: 'COLOR_TEMPERATURE',
    profile: { min: 2000, max: 6535, suffix: ' K' },
  });
});

t.test('a light with JSON', async (t) => {
  const light = of('light', {
    schema: 'json',
    command_topic: 'c',
    state_topic: 's',
    supported_color_modes: ['color_temp', 'xy'],
    brightness_scale: 254,
    min_mireds: 250,
    max_mireds: 454,
    effect: true,
    effect_list: ['blink'],
  });
  t.strictSame(partsOf(light), ['', 'BRIGHTNESS', 'COLOR_TEMPERATURE', 'COLOR', 'EFFECT', 'COLOR_MODE']);
  t.strictSame(
    light.take(
      's',
      '{"state":"ON","brightness":254,"color_mode":"xy","color":{"x":0.701,"y":0.299},"effect":null}',
    ),
    { '': true, BRIGHTNESS: 254, COLOR: 0xff0000, EFFECT: 'unknown', COLOR_MODE: 'xy' },
  );
  t.strictSame(light.take('s', '{"state":null}'), { '': 'unknown' });
  t.strictSame(light.take('s', '{"color":{"r":1,"g":2,"b":3}}'), { COLOR: 0x010203 });
  t.strictSame(light.take('s', '{"color":{"hue":240,"saturation":100}}'), { COLOR: 0x0000ff });
  t.match(light.take('s', 'ON'), { '': 'unreadable' });
  t.strictSame(light.send('', false), ['c {"state":"OFF"}']);
  t.strictSame(light.send('BRIGHTNESS', 100), ['c {"state":"ON","brightness":100}']);
  t.strictSame(light.send('BRIGHTNESS', 0), ['c {"state":"OFF"}']);
  t.strictSame(light.send('COLOR_TEMPERATURE', 300), ['c {"state":"ON","color_temp":300}']);
  t.strictSame(light.send('COLOR', 0x00ff00), ['c {"state":"ON","color":{"x":0.172,"y":0.747}}']);
  const plain = of('light', { schema: 'json', command_topic: 'c', brightness: true, rgb: true });
  t.strictSame(partsOf(plain), ['', 'BRIGHTNESS', 'COLOR']);
  t.strictSame(plain.send('COLOR', 0x00ff00), ['c {"state":"ON","color":{"r":0,"g":255,"b":0}}']);
  t.strictSame(
    partsOf(of('light', { schema: 'json', command_topic: 'c', supported_color_modes: ['onoff'] })),
    [''],
  );
});

t.test('a light with templates', async (t) => {
  const light = of('light', {
    schema: 'template',
    command_topic: 'c',
    state_topic: 's',
    command_on_template:
      'on{% if brightness is defined %},{{ brightness }}{% endif %}{% if red is defined %},{{ red }}-{{ green }}-{{ blue }}{% endif %}',
    command_off_template: 'off',
    state_template: "{{ value.split(',')[0] }}",
    brightness_template: "{{ value.split(',')[1] }}",
    red_template: "{{ value.split(',')[2].split('-')[0] }}",
    green_template: "{{ value.split(',')[2].split('-')[1] }}",
    blue_template: "{{ value.split(',')[2].split('-')[2] }}",
  });
  t.strictSame(light.take('s', 'on,10,255-128-1'), { '': true, BRIGHTNESS: 10, COLOR: 0xff8001 });
  const sources = light.model.variables.find(({ part }) => part === 'COLOR')?.sources;
  t.equal(sources?.length, 1, 'a message is one colour, not one for each channel');
  t.match(light.take('s', 'on,10,-64-'), { COLOR: 0xff4001 }, 'an empty channel keeps its value');
  t.match(light.take('s', 'on,10,300-x-1'), { COLOR: 'unreadable' });
  t.match(light.take('s', 'on,10,None-0-0'), { COLOR: 'unknown' });
  t.notHas(light.take('s', 'on,10,--'), { COLOR: 0 });
  t.strictSame(light.send('', true), ['c on']);
  t.strictSame(light.send('', false), ['c off']);
  t.strictSame(light.send('BRIGHTNESS', 20), ['c on,20']);
  t.strictSame(light.send('COLOR', 0x010203), ['c on,1-2-3']);
});
