import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Type } from '@sinclair/typebox';
import t, { type Test } from 'tap';
import { moduleKind, type Host, type ModuleDefinition } from '../../../src/device/module.js';
import { objectType } from '../../../src/kernel/object.js';
import { messageNumber } from '../../tools/client/message-numbers.js';
import { Replica, snapshotOf } from '../../tools/client/replica.js';
import { FunctionFixture } from '../../tools/gateway/function-fixture.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { until } from '../../tools/until.js';

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

/** A camera with one image, and what its instances report with. */
function cameraModule(hosts: Map<number, Host>): ModuleDefinition {
  return {
    id: '{00000000-0000-0000-0000-0000000000C1}',
    name: 'Camera',
    kind: moduleKind.device,
    prefix: 'HW',
    properties: Type.Object({ View: Type.Boolean({ default: true }) }),
    variables: () => [],
    images: ({ View }) => (View === true ? [{ ident: 'VIEW', name: 'View', position: 3 }] : []),
    open: async (host) => {
      hosts.set(host.id, host);
      return { close: async () => undefined };
    },
  };
}

async function makeFixture(t: Test) {
  const directory = join(await tempDirectory(t), 'data');
  await mkdir(directory);
  const hosts = new Map<number, Host>();
  const fixture = new FunctionFixture([], directory, [cameraModule(hosts)]);
  t.teardown(() => fixture[Symbol.asyncDispose]());
  const { devices, kernel } = fixture;
  const opened = async (id: number) => {
    await until('the camera', () => hosts.get(id)?.signal.aborted === false);
    return hosts.get(id) as Host;
  };
  const { id: camera } = devices.create('Camera');
  const host = await opened(camera);
  const content = async (media: number) => {
    const text = (await fixture.call('SVC_GetMediaContent', media)) as string;
    return Buffer.from(text, 'base64');
  };
  const isAvailable = (media: number) => kernel.media.get(media).data.available;
  return { fixture, kernel, camera, host, opened, content, isAvailable, view: fixture.idOf(camera, 'VIEW') };
}

t.test('an image is announced with its data, which clients follow', async (t) => {
  const { fixture, kernel, host, view, content } = await makeFixture(t);
  const replica = new Replica(snapshotOf(kernel));
  const { counter } = kernel.changes;
  t.equal(host.reportImage('VIEW', PNG), undefined);
  t.strictSame(await content(view), PNG);
  const sent = kernel.changes.since(counter);
  const updated = Math.floor(fixture.clock.nowMs() / 1000);
  t.match(
    sent.map(({ SenderID, Message, Data }) => [SenderID, Message, Data]),
    [
      [view, messageNumber.MM_AVAILABLE, [true]],
      [view, messageNumber.MM_UPDATE, [/^[\dA-F]{8}$/, PNG.length, updated]],
    ],
  );
  for (const frame of sent) replica.apply(frame as never);
  const followed = Object.fromEntries([...replica.objects].map(([key, entry]) => [`ID${key}`, entry]));
  t.strictSame(followed, snapshotOf(kernel));
  const copy = Buffer.from(PNG);
  host.reportImage('VIEW', copy);
  copy.fill(0);
  t.strictSame(await content(view), PNG, 'the bytes were copied');
  t.equal(host.reportImage('OTHER', PNG), undefined, 'an image that is not declared is ignored');
  t.match(host.reportImage('VIEW', Buffer.from('<svg/>'))?.toString(), /none of image\/jpeg/);
});

t.test('only the device changes or deletes its image', async (t) => {
  const { fixture, kernel, camera, host, view, content } = await makeFixture(t);
  host.reportImage('VIEW', PNG);
  const before = JSON.stringify(snapshotOf(kernel));
  for (const [name, ...more] of [
    ['SVC_SetMediaContent', ''],
    ['SVC_SetMediaFile', 'media/a.png', false],
    ['SVC_SetMediaCached', true],
    ['SVC_SendMediaEvent'],
    ['SVC_DeleteMedia', false],
    ['GW_DeleteObject', true],
  ] as const)
    await t.rejects(fixture.call(name, view, ...more), {
      code: 'READ_ONLY',
      message: `Media #${view} is an image of the device #${camera}, with which it is deleted; it cannot be written`,
    });
  t.equal(JSON.stringify(snapshotOf(kernel)), before);
  t.strictSame(await content(view), PNG);
  await fixture.call('SVC_SetName', view, 'Porch');
  await fixture.call('SVC_SetIcon', view, 'Door');
  t.match(kernel.tree.get(view), { name: 'Porch', icon: 'Door' }, 'as a variable, it can be renamed');
  await fixture.call('SVC_SetProperty', camera, 'View', false);
  await fixture.call('SVC_ApplyChanges', camera);
  await t.rejects(content(view), { code: 'FILE_MISSING' });
  await fixture.call('SVC_DeleteMedia', view, false);
  t.equal(kernel.tree.find(view), undefined, 'one that its module does not declare any more can be deleted');
});

t.test('no image is available while the device is not', async (t) => {
  const { host, view, content, isAvailable } = await makeFixture(t);
  host.setImageAvailable('VIEW', true);
  t.equal(isAvailable(view), false, 'there is none yet');
  host.reportImage('VIEW', PNG, false);
  t.equal(isAvailable(view), false);
  host.setImageAvailable('VIEW', true);
  t.strictSame(await content(view), PNG);
  host.setUnavailable('it is away');
  t.equal(isAvailable(view), false);
  host.reportImage('VIEW', PNG);
  host.setImageAvailable('VIEW', true);
  t.equal(isAvailable(view), false, 'nor with a new one');
  host.setUnavailable(undefined);
  host.setImageAvailable('VIEW', true);
  t.strictSame(await content(view), PNG);
});

t.test('an image is deleted and restored with its instance', async (t) => {
  const { fixture, kernel, camera, host, opened, view, content, isAvailable } = await makeFixture(t);
  host.reportImage('VIEW', PNG);
  const deletion = await fixture.call('GW_DeleteObject', camera, true);
  t.equal(kernel.tree.find(view), undefined);
  await fixture.call('GW_RestoreDeleted', deletion);
  const again = await opened(camera);
  t.equal(isAvailable(view), false);
  await t.rejects(content(view), { code: 'DEVICE_OFFLINE' });
  again.reportImage('VIEW', PNG);
  t.strictSame(await content(view), PNG);
  await fixture.call('SVC_DeleteInstance', camera);
  t.equal(kernel.tree.find(view), undefined);
});

t.test('a copy has no image, and that of a device gets its own', async (t) => {
  const { fixture, kernel, camera, host, opened, view, content } = await makeFixture(t);
  host.reportImage('VIEW', PNG);
  const { id: tool } = fixture.devices.create('Utility Control');
  const alone = (await fixture.call('UC_DuplicateObject', tool, view, 0, false)) as number;
  t.match(kernel.media.get(alone), { readOnly: false, data: { available: false, file: '' } });
  await fixture.call('SVC_SetMediaContent', alone, PNG.toString('base64'));
  const copy = (await fixture.call('UC_DuplicateObject', tool, camera, 0, true)) as number;
  await fixture.call('SVC_ApplyChanges', copy);
  const [image, ...others] = [...(kernel.tree.get(copy).children ?? [])].filter((one) =>
    one.is(objectType.media),
  );
  t.strictSame(others, []);
  const copied = await opened(copy);
  await t.rejects(content(image?.id ?? 0), { code: 'DEVICE_OFFLINE' });
  copied.reportImage('VIEW', PNG);
  t.strictSame(await content(image?.id ?? 0), PNG);
});

t.test('an image that was moved away is an ordinary object, and the next start makes another', async (t) => {
  const { fixture, kernel, camera, host, view, content, isAvailable } = await makeFixture(t);
  host.reportImage('VIEW', PNG);
  await fixture.call('SVC_SetParent', view, 0);
  host.reportImage('VIEW', PNG);
  await t.rejects(content(view), { code: 'FILE_MISSING' });
  await fixture.call('SVC_GetMedia', view);
  t.equal(isAvailable(view), false);
  await fixture.call('SVC_ApplyChanges', camera);
  const other = fixture.idOf(camera, 'VIEW');
  t.ok(other !== 0 && other !== view && kernel.media.isReported(kernel.media.get(other)));
  await fixture.call('SVC_DeleteMedia', view, true);
});

t.test('an object of a user is never replaced', async (t) => {
  const { fixture, camera, view } = await makeFixture(t);
  await fixture.call('SVC_SetParent', view, 0);
  const sound = (await fixture.call('SVC_CreateMedia', 2)) as number;
  await fixture.call('SVC_SetParent', sound, camera);
  await fixture.call('SVC_SetIdent', sound, 'VIEW');
  await fixture.call('SVC_ApplyChanges', camera);
  t.match(String(fixture.devices.problems(camera)[0]?.text), /it has no image VIEW: #\d+ below it \(Media\)/);
});
