import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { BODY_LIMIT } from '../../../src/api/http/http-api.js';
import { MEDIA_LIMIT } from '../../../src/media/media-files.js';
import { basicLine } from '../../tools/client/raw-http.js';
import { callText, idOf, post, rpc, resultOrStatus } from '../../tools/client/json-rpc.js';
import { SIMULATED_CONFIG, SAMPLE_TREE, startGateway } from '../../tools/gateway/gateway-fixture.js';
import { openWebSocket, takeFrames, type Frame } from '../../tools/client/message-stream.js';
import { until } from '../../tools/until.js';
import { messageNumber } from '../../tools/client/message-numbers.js';

const base64 = (text: string) => Buffer.from(text).toString('base64');
/** MM_UPDATE. */
const UPDATE = messageNumber.MM_UPDATE;
const FRONT = `configurators:
  - { title: Ground floor, ident: wf, base: ground_floor, password: tulip }
`;

t.test('media are kept over a restart; one whose file was removed is not available', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE);
  const plan = await rpc(fixture, 'SVC_CreateMedia', 4);
  const photo = await rpc(fixture, 'SVC_CreateMedia', 1);
  const camera = await rpc(fixture, 'SVC_CreateMedia', 3);
  await rpc(fixture, 'SVC_SetMediaContent', plan, base64('{"datasets":[]}'));
  await rpc(fixture, 'SVC_SetMediaFile', photo, 'media/photo.png', false);
  await rpc(fixture, 'SVC_SetMediaContent', photo, base64('photo'));
  await rpc(fixture, 'SVC_SetMediaCached', photo, true);
  await rpc(fixture, 'SVC_SetMediaFile', camera, 'rtsp://viewer:secret@camera/main', false);
  const records = async (at: typeof fixture) => [
    await rpc(at, 'SVC_GetMedia', plan),
    await rpc(at, 'SVC_GetMedia', photo),
    await rpc(at, 'SVC_GetMedia', camera),
  ];
  const before = (await records(fixture)) as { MediaIsAvailable: boolean }[];
  t.strictSame(
    before.map(({ MediaIsAvailable }) => MediaIsAvailable),
    [true, true, true],
  );
  await fixture.gateway.close();

  const second = await startGateway(t, undefined, fixture);
  t.strictSame(await records(second), before);
  t.equal(await rpc(second, 'SVC_GetMediaContent', photo), base64('photo'));
  t.equal(second.gateway.kernel.media.get(Number(camera)).data.file, 'rtsp://viewer:secret@camera/main');
  const shown = (await rpc(second, 'SVC_GetSnapshot')) as { objects: Record<string, { data: object }> };
  t.match(shown.objects[`ID${String(camera)}`]?.data, {
    type: 3,
    file: 'rtsp://viewer:***@camera/main',
    crc: '',
  });
  t.match(shown.objects[`ID${String(photo)}`]?.data, {
    type: 1,
    file: 'media/photo.png',
    size: 5,
    cached: true,
  });
  await second.gateway.close();

  await rm(join(fixture.directory, 'data', 'media', 'photo.png'));
  const third = await startGateway(t, undefined, fixture);
  const { media } = third.gateway.kernel;
  await until('it is noticed without a call', () => !media.get(Number(photo)).data.available);
  t.equal(media.get(Number(plan)).data.available, true);
  t.match(await rpc(third, 'SVC_GetMedia', photo), { MediaIsAvailable: false, MediaSize: 5 });
  t.equal(await rpc(third, 'SVC_GetMediaContent', photo), 'FILE_MISSING');
});

t.test('the largest content is transferred over HTTP; larger content changes nothing', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG);
  const id = await rpc(fixture, 'SVC_CreateMedia', 5);
  const largest = Buffer.alloc(MEDIA_LIMIT, 'stellwerk ').toString('base64');
  t.ok(largest.length < BODY_LIMIT - 1024, 'it fits into a request');
  t.equal(await rpc(fixture, 'SVC_SetMediaContent', id, largest), true);
  t.ok((await rpc(fixture, 'SVC_GetMediaContent', id)) === largest);
  const larger = Buffer.alloc(MEDIA_LIMIT + 1).toString('base64');
  t.equal(await rpc(fixture, 'SVC_SetMediaContent', id, larger), 'TEXT_TOO_LONG');
  t.match(await rpc(fixture, 'SVC_GetMedia', id), { MediaSize: MEDIA_LIMIT });
});

t.test('new content is reported to all clients; a front’s user can neither read nor write any', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE + FRONT);
  const front = await idOf(fixture, 'wf');
  const id = await rpc(fixture, 'SVC_CreateMedia', 1);
  await rpc(fixture, 'SVC_SetParent', id, await idOf(fixture, 'ground_floor'));
  await using socket = await openWebSocket(fixture);
  await rpc(fixture, 'SVC_SetMediaContent', id, base64('picture'));
  const messages: Frame[] = [];
  while (messages.at(-1)?.Message !== UPDATE) messages.push(...(await takeFrames(socket, 1)));
  t.strictSame(
    messages.filter(({ SenderID }) => SenderID === id).map(({ Message }) => Message),
    [messageNumber.MM_CHANGEFILE, messageNumber.MM_AVAILABLE, UPDATE],
  );
  t.match(messages.at(-1)?.Data, [/^[0-9A-F]{8}$/, 7, Number]);
  const as = async (method: string, ...params: unknown[]) =>
    resultOrStatus(await post(fixture, callText(method, params), [basicLine('webfront', 'tulip')]));
  for (const method of ['SVC_GetMediaContent', 'SVC_GetMedia', 'SVC_SendMediaEvent'])
    t.equal(await as(method, id), 'ACCESS_DENIED', method);
  const { objects } = (await as('WFC_GetSnapshot', front)) as { objects: Record<string, object> };
  t.match(objects[`ID${String(id)}`], { data: { file: `media/${String(id)}.bin`, isAvailable: true } });
});

t.test('user-defined icons are SVG files in the data directory', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG);
  const icons = join(fixture.directory, 'data', 'icons');
  await mkdir(icons);
  await writeFile(join(icons, 'Barn.svg'), '<svg/>');
  const [control] = (await rpc(fixture, 'SVC_GetInstanceListByModuleID', 'Utility Control')) as number[];
  const [archive] = (await rpc(fixture, 'SVC_GetInstanceListByModuleID', 'Archive Control')) as number[];
  const names = (await rpc(fixture, 'UC_GetIconList', control)) as string[];
  t.ok(names.includes('Barn') && names.includes('Power'));
  t.equal(await rpc(fixture, 'UC_GetIconContent', control, 'Barn'), base64('<svg/>'));
  t.match(
    Buffer.from(String(await rpc(fixture, 'UC_GetIconContent', control, 'Power')), 'base64').toString(),
    /^<svg /,
  );
  t.equal(await rpc(fixture, 'UC_GetIconContent', control, '../gateway'), 'ICON_MISSING');
  t.equal(await rpc(fixture, 'UC_GetIconList', archive), 'WRONG_MODULE');
});
