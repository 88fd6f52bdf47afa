import t from 'tap';
import type { AnnouncedEntity } from '../../../../drivers/mqtt/discovery/announcement.js';
import {
  announcedShelly,
  readShelly,
  shellyStatusRequest,
} from '../../../../drivers/mqtt/discovery/native/shelly.js';
import { readTasmota } from '../../../../drivers/mqtt/discovery/native/tasmota.js';
import { AnnouncedEntityFixture } from '../../../tools/devices/announced-entity.js';

/** The fixtures of some entities, by component and name. */
function fixturesOf(entities: readonly AnnouncedEntity[]): Map<string, AnnouncedEntityFixture> {
  return new Map(
    entities.map((one) => {
      const fixture = new AnnouncedEntityFixture(one);
      return [`${one.component} ${fixture.model.name}`, fixture];
    }),
  );
}

/** What a message says of all entities. */
function takeAll(fixtures: Map<string, AnnouncedEntityFixture>, topic: string, payload: string) {
  const all = [...fixtures].map(([name, one]) => [name, one.take(topic, payload)] as const);
  return Object.fromEntries(all.filter(([, read]) => Object.keys(read).length > 0));
}

const CONFIG = {
  dn: 'Boiler room',
  fn: ['Door', 'Pump', null],
  hn: 'boiler-5830',
  mac: 'DC4F220756C6',
  md: 'Sonoff',
  ofln: 'Offline',
  onln: 'Online',
  state: ['OFF', 'ON', 'TOGGLE', 'HOLD'],
  sw: '13.4.0',
  t: 'boiler',
  ft: '%topic%/%prefix%/',
  tp: ['cmnd', 'stat', 'tele'],
  rl: [1, 1, 0],
  swc: [1, -1],
  swn: ['Contact', null],
  btn: [1, 0],
  so: { 73: 1 },
};
const SENSORS = {
  sn: {
    Time: 'x',
    Switch1: 'ON',
    AM2301: { Temperature: 20.1, Humidity: 40 },
    ENERGY: { Power: [1, 2], TotalStartTime: 'y' },
    TempUnit: 'F',
  },
};

t.test('a Tasmota announces relays, contacts, buttons and sensors', async (t) => {
  const { device, entities, requests } = readTasmota({
    config: JSON.stringify(CONFIG),
    sensors: JSON.stringify(SENSORS),
  });
  t.match(device, { keys: ['mac dc4f220756c6'], name: 'Boiler room', model: 'Sonoff', software: '13.4.0' });
  t.strictSame(requests, [
    { topic: 'boiler/cmnd/STATE', payload: '' },
    { topic: 'boiler/cmnd/STATUS', payload: '10' },
  ]);
  const all = fixturesOf(entities);
  t.strictSame(
    [...all.values()].flatMap(({ problems }) => problems),
    [],
  );
  t.strictSame(
    [...all.keys()],
    [
      'switch Door',
      'switch Pump',
      'binary_sensor Contact',
      'event Button 1',
      'sensor Signal strength',
      'sensor AM2301 Temperature',
      'sensor AM2301 Humidity',
      'sensor ENERGY Power 1',
      'sensor ENERGY Power 2',
    ],
  );
  t.match(all.get('sensor AM2301 Temperature')?.variables, ['float main ~Temperature.Fahrenheit']);
  t.match(all.get('switch Door')?.model.availability, {
    sources: [{ topic: 'boiler/tele/LWT', available: 'Online' }],
  });
  t.strictSame(takeAll(all, 'boiler/tele/STATE', '{"POWER1":"OFF","POWER2":"ON","Wifi":{"Signal":-64}}'), {
    'switch Door': { '': false },
    'switch Pump': { '': true },
    'sensor Signal strength': { '': -64 },
  });
  t.strictSame(takeAll(all, 'boiler/stat/RESULT', '{"POWER2":"OFF"}'), { 'switch Pump': { '': false } });
  t.strictSame(takeAll(all, 'boiler/stat/POWER2', 'ON'), { 'switch Pump': { '': true } });
  t.strictSame(
    takeAll(
      all,
      'boiler/tele/SENSOR',
      '{"Switch1":"OFF","AM2301":{"Temperature":70.5},"ENERGY":{"Power":[3,4]}}',
    ),
    {
      'binary_sensor Contact': { '': false },
      'sensor AM2301 Temperature': { '': 70.5 },
      'sensor ENERGY Power 1': { '': 3 },
      'sensor ENERGY Power 2': { '': 4 },
    },
  );
  t.strictSame(
    takeAll(all, 'boiler/stat/STATUS10', '{"StatusSNS":{"AM2301":{"Temperature":71,"Humidity":41}}}'),
    {
      'sensor AM2301 Temperature': { '': 71 },
      'sensor AM2301 Humidity': { '': 41 },
    },
  );
  t.strictSame(takeAll(all, 'boiler/stat/RESULT', '{"Button1":{"Action":"DOUBLE"}}'), {
    'event Button 1': { '': 'DOUBLE' },
  });
  t.strictSame(all.get('switch Pump')?.send('', true), ['boiler/cmnd/POWER2 ON']);
});

t.test('a Tasmota announces lights and shutters', async (t) => {
  const light = readTasmota({
    config: JSON.stringify({ ...CONFIG, rl: [2], lt_st: 5, lk: 1, swc: [], btn: [] }),
    sensors: '',
  });
  const lights = fixturesOf(light.entities);
  const lamp = lights.get('light Light');
  t.strictSame(
    lamp?.model.variables.map(({ part }) => part),
    ['', 'BRIGHTNESS', 'COLOR_TEMPERATURE', 'COLOR'],
  );
  t.strictSame(
    lamp?.take('boiler/stat/RESULT', '{"POWER":"ON","Dimmer":57,"CT":358,"HSBColor":"120,100,57"}'),
    {
      '': true,
      BRIGHTNESS: 57,
      COLOR_TEMPERATURE: 358,
      COLOR: 0x00ff00,
    },
  );
  t.strictSame(lamp?.send('COLOR', 0xff0000), ['boiler/cmnd/Color2 255,0,0', 'boiler/cmnd/POWER1 ON']);
  const shutter = readTasmota({
    config: JSON.stringify({ ...CONFIG, rl: [3, 3], swc: [], btn: [] }),
    sensors: '',
  });
  const cover = fixturesOf(shutter.entities).get('cover Cover');
  t.strictSame(cover?.take('boiler/stat/RESULT', '{"Shutter1":{"Position":30,"Direction":1,"Target":80}}'), {
    POSITION: 30,
    MOVE: 0,
    STATE: 'opening',
  });
  t.strictSame(cover?.take('boiler/stat/RESULT', '{"POWER1":"ON"}'), {});
  t.strictSame(cover?.send('POSITION', 40), ['boiler/cmnd/ShutterPosition1 40']);
  t.strictSame(cover?.send('MOVE', 2), ['boiler/cmnd/Backlog0 ShutterStop1']);
});

t.test('a Tasmota without its address is none', async (t) => {
  for (const config of ['', '[]', '{"mac":"x","t":"y"}', '{"mac":"DC4F220756C6"}'])
    t.throws(() => readTasmota({ config, sensors: '' }), { name: 'InvalidAnnouncement' });
});

const PREFIX = 'shellyplus1pm-a8032abe54dc';
const STATUS = {
  sys: { mac: 'A8032ABE54DC' },
  wifi: { rssi: -61 },
  cloud: { connected: true },
  'input:0': { id: 0, state: false },
  'input:1': { id: 1, state: null },
  'switch:0': {
    id: 0,
    output: true,
    apower: 11.5,
    voltage: 240.3,
    aenergy: { total: 152.5 },
    temperature: { tC: 55 },
  },
};
const reply = (result: object) => JSON.stringify({ id: 1, src: PREFIX, result });

t.test('a Shelly of generation 2 reports its status on request', async (t) => {
  t.equal(announcedShelly('shellies/announce', `{"id":"${PREFIX}","gen":2}`), PREFIX);
  t.equal(announcedShelly('kitchen/announce', `{"id":"${PREFIX}","gen":3}`), 'kitchen');
  t.equal(
    announcedShelly('shellies/announce', '{"id":"shelly1-12","model":"SHSW-1"}'),
    undefined,
    'the first generation',
  );
  t.match(shellyStatusRequest(PREFIX), { topic: `${PREFIX}/rpc`, payload: /"method":"Shelly.GetStatus"/ });
  const announcement = readShelly(PREFIX, reply(STATUS));
  t.match(announcement?.device, {
    keys: ['mac a8032abe54dc'],
    manufacturer: 'Shelly',
    name: 'Shelly plus1pm be54dc',
  });
  const all = fixturesOf(announcement?.entities ?? []);
  t.strictSame(
    [...all.values()].flatMap(({ problems }) => problems),
    [],
  );
  t.strictSame(takeAll(all, `${PREFIX}/stellwerk/rpc`, reply(STATUS)), {
    'sensor Signal strength': { '': -61 },
    'binary_sensor Input': { '': false },
    'switch Switch': { '': true },
    'sensor Power': { '': 11.5 },
    'sensor Voltage': { '': 240.3 },
    'sensor Energy': { '': 152.5 },
    'sensor Device temperature': { '': 55 },
  });
  t.strictSame(
    takeAll(
      all,
      `${PREFIX}/events/rpc`,
      '{"method":"NotifyStatus","params":{"ts":1,"switch:0":{"id":0,"output":false}}}',
    ),
    {
      'switch Switch': { '': false },
    },
  );
  t.strictSame(takeAll(all, `${PREFIX}/status/switch:0`, '{"id":0,"output":true,"apower":3}'), {
    'switch Switch': { '': true },
    'sensor Power': { '': 3 },
  });
  t.strictSame(
    takeAll(
      all,
      `${PREFIX}/events/rpc`,
      '{"method":"NotifyEvent","params":{"events":[{"component":"input:1","event":"single_push"}]}}',
    ),
    { 'event Input 2': { '': 'single_push' } },
  );
  const events = (...names: string[]): Record<string, unknown> => {
    const params = { events: names.map((event) => ({ component: 'input:1', event })) };
    return takeAll(all, `${PREFIX}/events/rpc`, JSON.stringify({ method: 'NotifyEvent', params }));
  };
  t.strictSame(events('config_changed'), {}, 'an event that is no press says nothing');
  t.strictSame(events('btn_up', 'long_push', 'config_changed'), { 'event Input 2': { '': 'long_push' } });
  t.match(all.get('switch Switch')?.send('', false), [
    /\/rpc \{.*"method":"Switch.Set","params":\{"id":0,"on":false\}\}$/,
  ]);
  t.equal(readShelly(PREFIX, '{"result":{"was_on":true}}'), undefined, 'the reply to a command');
});

t.test('a Shelly forwards Bluetooth devices', async (t) => {
  const status = {
    sys: { mac: 'A8032ABE54DC' },
    'bthomedevice:201': { id: 201, rssi: -49, battery: 100 },
    'bthomesensor:204': { id: 204, value: 26.68 },
  };
  const all = fixturesOf(readShelly(PREFIX, reply(status))?.entities ?? []);
  t.strictSame(takeAll(all, `${PREFIX}/status/bthomesensor:204`, '{"id":204,"value":27}'), {
    'sensor Value 204': { '': 27 },
  });
  t.strictSame(takeAll(all, `${PREFIX}/status/bthomedevice:201`, '{"id":201,"rssi":-49,"battery":99}'), {
    'sensor Battery 201': { '': 99 },
    'sensor Signal strength 201': { '': -49 },
  });
});

t.test('Shelly covers and lights', async (t) => {
  const status = {
    sys: { mac: 'A8032ABE54DC' },
    'cover:0': { id: 0, state: 'open', current_pos: 100 },
    'rgbw:0': { id: 0, output: true, brightness: 50, rgb: [255, 120, 10] },
  };
  const all = fixturesOf(readShelly(PREFIX, reply(status))?.entities ?? []);
  t.strictSame(takeAll(all, `${PREFIX}/stellwerk/rpc`, reply(status)), {
    'cover Cover': { POSITION: 100, MOVE: 2, STATE: 'open' },
    'light Light': { '': true, BRIGHTNESS: 50, COLOR: 0xff780a },
  });
  t.match(all.get('cover Cover')?.send('POSITION', 40), [
    /"method":"Cover.GoToPosition","params":\{"id":0,"pos":40\}\}$/,
  ]);
  t.match(all.get('light Light')?.send('BRIGHTNESS', 20), [
    /"method":"RGBW.Set","params":\{"id":0,"on":true,"brightness":20\}\}$/,
  ]);
  t.match(all.get('light Light')?.send('COLOR', 0x010203), [/"rgb":\[1,2,3\]\}\}$/]);
});
