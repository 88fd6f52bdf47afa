import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connectAsync } from 'mqtt';
import t from 'tap';
import { exportGateway } from '../../../src/composition/export/export-gateway.js';
import { OWNER } from '../../tools/gateway/api-fixture.js';
import { idOf, rpc } from '../../tools/client/json-rpc.js';
import { startMosquitto } from '../../tools/devices/mosquitto.js';
import { SIMULATED_CONFIG, startGateway, type GatewayFixture } from '../../tools/gateway/gateway-fixture.js';
import { hasProgram } from '../../tools/program.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { until } from '../../tools/until.js';

const skip = hasProgram('mosquitto') ? false : 'mosquitto is not installed (Debian package mosquitto)';

const configFor = (port: number) => `${SIMULATED_CONFIG}tree:
  - { category: Hall, ident: hall }
  - { category: Garden, ident: garden }
  - instance: Broker
    ident: broker
    module: MQTT Client
    properties: { Url: "mqtt://127.0.0.1:${port}" }
    children:
      - { instance: MQTT devices, ident: discovery, module: MQTT Discovery }
configurators:
  - { title: Hall, ident: wf, base: hall, password: tulip }
  - { title: Garden, ident: wf2, base: garden, password: rose }
webServers: [{ name: house, host: 127.0.0.1, port: 0, serve: front }]
`;
const device = { identifiers: ['cam'], name: 'Front door' };
const announcements = {
  'homeassistant/camera/cam/view/config': { name: 'View', unique_id: 'cam_view', topic: 'cam/view', device },
  'homeassistant/image/cam/last/config': {
    name: 'Last ring',
    unique_id: 'cam_last',
    image_topic: 'cam/last',
    image_encoding: 'b64',
    content_type: 'image/png',
    availability_topic: 'cam/online',
    device,
  },
};
// With all byte values, so that a conversion to text would show.
const BYTES = Buffer.from(Array.from({ length: 256 }, (_, at) => at));
const frame = (at: number) => Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), BYTES, Buffer.alloc(at)]);
const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), frame(0)]);

/** A request to the web server as a user of a front. */
async function fetched(
  { gateway }: GatewayFixture,
  path: string,
  { password, method = 'GET', ...headers }: Readonly<Record<string, string>>,
) {
  const authorization = `Basic ${Buffer.from(`webfront:${password}`).toString('base64')}`;
  const response = await fetch(`http://127.0.0.1:${gateway.port('house')}${path}`, {
    method,
    headers: { authorization, ...headers },
  });
  return {
    status: response.status,
    headers: response.headers,
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}

t.test('the images of a discovered camera are shown by fronts, and never stored', { skip }, async (t) => {
  const directory = await tempDirectory(t);
  const broker = await startMosquitto({ directory });
  const outside = await connectAsync(`mqtt://127.0.0.1:${broker.port}`);
  for (const [topic, payload] of Object.entries(announcements))
    await outside.publishAsync(topic, JSON.stringify(payload), { retain: true });
  const fixture = await startGateway(t, configFor(broker.port));
  const discovery = await idOf(fixture, 'broker/discovery');
  interface Found {
    readonly ID: string;
    readonly About: string;
  }
  await until('the device', async () => {
    await rpc(fixture, 'SVC_StartSearch', discovery);
    const found = (await rpc(fixture, 'GW_GetFound', discovery)) as Found[];
    return (
      Array.isArray(found) && found.some(({ ID, About }) => ID === 'id cam' && About.includes('2 entities'))
    );
  });
  const id = (await rpc(
    fixture,
    'GW_CreateFrom',
    discovery,
    'id cam',
    await idOf(fixture, 'hall'),
  )) as number;
  await rpc(fixture, 'SVC_SetIdent', id, 'cam');
  const view = await idOf(fixture, 'hall/cam/camera_cam_view__IMAGE');
  const last = await idOf(fixture, 'hall/cam/image_cam_last__IMAGE');
  const [wf, wf2] = [await idOf(fixture, 'wf'), await idOf(fixture, 'wf2')];
  t.strictSame(await rpc(fixture, 'SVC_GetMedia', view), {
    MediaID: view,
    MediaType: 1,
    MediaIsAvailable: false,
    MediaFile: '',
    MediaCRC: '',
    MediaIsCached: false,
    MediaSize: 0,
    MediaUpdated: 0,
  });
  t.equal((await fetched(fixture, `/wfc/${wf}/media/${view}`, { password: 'tulip' })).status, 404);

  const publish = async (topic: string, payload: string | Buffer, retain = false) => {
    await outside.publishAsync(topic, payload, { retain, qos: 1 });
  };
  const isAvailable = async (at: GatewayFixture, media: number) =>
    ((await rpc(at, 'SVC_GetMedia', media)) as { MediaIsAvailable: boolean }).MediaIsAvailable;
  await until('the first frame', async () => {
    await publish('cam/view', frame(1));
    return isAvailable(fixture, view);
  });
  await publish('cam/last', PNG.toString('base64'), true);
  await publish('cam/online', 'online', true);
  await until('the image', () => isAvailable(fixture, last));
  const shown = await fetched(fixture, `/wfc/${wf}/media/${view}`, { password: 'tulip' });
  t.strictSame(
    ['content-type', 'x-content-type-options', 'cache-control', 'content-length'].map((one) =>
      shown.headers.get(one),
    ),
    ['image/jpeg', 'nosniff', 'no-cache', String(frame(1).length)],
  );
  t.strictSame(shown.bytes, frame(1));
  const head = await fetched(fixture, `/wfc/${wf}/media/${view}`, { password: 'tulip', method: 'HEAD' });
  t.strictSame(
    [head.status, head.headers.get('etag'), head.bytes.length],
    [200, shown.headers.get('etag'), 0],
  );
  const content = (media: number) => rpc(fixture, 'SVC_GetMediaContent', media);
  t.equal(await content(view), frame(1).toString('base64'));
  t.equal(await content(last), PNG.toString('base64'));
  t.equal(
    (await fetched(fixture, `/wfc/${wf}/media/${last}`, { password: 'tulip' })).headers.get('content-type'),
    'image/png',
  );
  const tag = { 'if-none-match': shown.headers.get('etag') ?? '' };
  t.equal((await fetched(fixture, `/wfc/${wf}/media/${view}`, { password: 'tulip', ...tag })).status, 304);
  await publish('cam/view', frame(2));
  await until('the next frame', async () => (await content(view)) === frame(2).toString('base64'));
  t.equal(
    (await fetched(fixture, `/wfc/${wf}/media/${view}`, { password: 'tulip', ...tag })).status,
    200,
    'a new frame',
  );
  t.equal(
    (await fetched(fixture, `/wfc/${wf2}/media/${view}`, { password: 'rose' })).status,
    404,
    'outside of its area',
  );
  t.equal((await fetched(fixture, `/wfc/${wf}/media/${view}`, { password: 'rose' })).status, 401);

  for (const [name, ...more] of [
    ['SVC_SetMediaContent', PNG.toString('base64')],
    ['SVC_SetMediaFile', 'media/other.png', false],
    ['SVC_SetMediaCached', true],
    ['SVC_SendMediaEvent'],
    ['SVC_DeleteMedia', true],
    ['GW_DeleteObject', true],
  ] as const)
    t.equal(await rpc(fixture, name, view, ...more), 'READ_ONLY', name);
  t.equal(await content(view), frame(2).toString('base64'), 'nothing has changed');

  await publish('cam/online', 'offline', true);
  await until('the device to be away', async () => !(await isAvailable(fixture, last)));
  t.equal((await fetched(fixture, `/wfc/${wf}/media/${last}`, { password: 'tulip' })).status, 404);
  t.equal(await content(last), 'DEVICE_OFFLINE');
  await publish('cam/online', 'online', true);
  await until('the device to be back', () => isAvailable(fixture, last));

  await rpc(fixture, 'SVC_SetName', view, 'Porch');
  await fixture.gateway.close();
  for (const entry of await readdir(fixture.directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const stored = await readFile(join(entry.parentPath, entry.name));
    t.notOk(stored.includes(BYTES) || stored.includes(PNG.toString('base64').slice(20, 100)), entry.name);
  }
  const again = await startGateway(t, undefined, { directory: fixture.directory });
  await until('the retained image', () => isAvailable(again, last));
  t.equal(await idOf(again, 'hall/cam/camera_cam_view__IMAGE'), view, 'the same object');
  t.equal(await isAvailable(again, view), false, 'until the next frame');
  t.equal(await rpc(again, 'SVC_GetMediaContent', last), PNG.toString('base64'));
  t.equal(await rpc(again, 'SVC_GetName', view), 'Porch');

  const { text } = await exportGateway({
    from: { data: join(fixture.directory, 'data') },
    config: join(fixture.directory, 'gateway.yaml'),
    values: true,
  });
  t.match(text, /media: Porch\n *ident: camera_cam_view__IMAGE/);
  t.notMatch(text, /image_cam_last__IMAGE/, 'nobody has changed this one');
  await rpc(again, 'SVC_DeleteInstance', id);
  t.equal(await rpc(again, 'SVC_MediaExists', view), false);
  await again.gateway.close();
  const rebuilt = await startGateway(t, text.replaceAll('"***"', OWNER.password));
  await until('the retained image', async () =>
    isAvailable(rebuilt, await idOf(rebuilt, 'hall/cam/image_cam_last__IMAGE')),
  );
  const exported = await idOf(rebuilt, 'hall/cam/camera_cam_view__IMAGE');
  t.equal(await rpc(rebuilt, 'SVC_GetName', exported), 'Porch');
  t.equal(await rpc(rebuilt, 'SVC_DeleteMedia', exported, false), 'READ_ONLY');
  await outside.endAsync();
  await broker[Symbol.asyncDispose]();
});
