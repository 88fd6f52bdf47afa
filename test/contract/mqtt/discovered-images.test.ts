import t, { type Test } from 'tap';
import type { Instance } from '../../../src/kernel/instances.js';
import { REPORTED_BUDGET, REPORTED_LIMIT, type Media } from '../../../src/kernel/media.js';
import { objectType } from '../../../src/kernel/object.js';
import { messageNumber } from '../../tools/client/message-numbers.js';
import { DiscoveryFixture } from '../../tools/devices/discovery-fixture.js';
import { until } from '../../tools/until.js';

const JPEG = Buffer.from('ffd8ffe000104a46', 'hex');
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const GIF = Buffer.from('GIF89a..');
const WEBP = Buffer.from('RIFF\x00\x00\x00\x00WEBPVP8 ');

const test = (name: string, run: (t: Test) => Promise<void>) => t.test(name, run);

/** The image of a device with this ident. */
function imageOf(device: Instance, ident: string): Media {
  const found = device.children?.byIdent(ident);
  if (found?.is(objectType.media) !== true) throw new Error(`there is no image ${ident}`);
  return found;
}

/** The image as it can be read: its bytes, or undefined while it is not available. */
const contentOf = ({ fixture }: DiscoveryFixture, image: Media): Buffer | undefined => {
  const content = fixture.kernel.media.reportedContent(image);
  return content && Buffer.from(content);
};

const problems = ({ fixture }: DiscoveryFixture, device: Instance) =>
  fixture.devices.problems(device.id).map(({ code, text }) => `${code} ${text.toString()}`);

await test('images of all types and encodings are media objects below the device', async (t) => {
  await using all = await DiscoveryFixture.start();
  all.announce('camera', 'raw', { topic: 'raw', name: 'Door' });
  all.announce('camera', 'coded', { topic: 'coded', image_encoding: 'b64', name: null });
  all.announce('image', 'map', { image_topic: 'map', content_type: 'image/png', image_encoding: 'b64' });
  all.announce('image', 'extra', { image_topic: 'extra', entity_category: 'diagnostic' });
  const device = await all.device(4);
  const idents = ['camera_raw__IMAGE', 'camera_coded__IMAGE', 'image_map__IMAGE', 'image_extra__IMAGE'];
  const images = idents.map((ident) => imageOf(device, ident));
  t.strictSame(
    images.map(({ name, hidden, readOnly, data }) => [name, hidden, readOnly, data.type, data.available]),
    [
      ['Door', false, true, 1, false],
      ['Device', false, true, 1, false],
      ['Image', false, true, 1, false],
      ['Image', true, true, 1, false],
    ],
  );
  const { broker } = all;
  broker.publish('raw', JPEG);
  broker.publish('coded', GIF.toString('base64').replaceAll('=', ''));
  broker.publish('map', `${WEBP.toString('base64').slice(0, 8)}\n${WEBP.toString('base64').slice(8)}\n`);
  broker.publish('extra', PNG);
  t.strictSame(
    images.map((one) => contentOf(all, one)),
    [JPEG, GIF, WEBP, PNG],
  );
  const now = Math.floor(all.clock.nowMs() / 1000);
  t.match(images[0]?.data, { available: true, size: 8, updated: now, file: '', cached: false });
  t.match(images[0]?.data.crc, /^[\dA-F]{8}$/);
  t.equal(all.fixture.value(device, 'camera_raw'), now, 'the variable has the time');
  t.strictSame(problems(all, device), []);
});

await test('what is no image, or too large, changes nothing and is named', async (t) => {
  await using all = await DiscoveryFixture.start();
  all.announce('camera', 'raw', { topic: 'raw', name: 'Door' });
  all.announce('camera', 'coded', { topic: 'coded', image_encoding: 'b64', name: 'Yard' });
  all.announce('image', 'svg', { image_topic: 'svg', content_type: 'image/svg+xml' });
  const device = await all.device(3);
  const { broker, fixture, clock } = all;
  const [raw, coded] = [imageOf(device, 'camera_raw__IMAGE'), imageOf(device, 'camera_coded__IMAGE')];
  t.match(fixture.status(device), /Image: content_type is none of image\/jpeg, image\/png/);
  broker.publish('raw', JPEG);
  broker.publish('coded', PNG.toString('base64'));
  const before = [raw.data, coded.data].map((data) => ({ ...data }));
  clock.advance(5_000);
  const rejected = [
    ['raw', '<svg xmlns="http://www.w3.org/2000/svg"/>', /Door last image, from raw: the content is none of/],
    ['raw', '<html>', /none of/],
    ['raw', 'GIF88a', /none of/],
    ['raw', Buffer.concat([JPEG, Buffer.alloc(REPORTED_LIMIT)]), /The image is longer than 2097152 bytes/],
    ['raw', Buffer.alloc(4 * 1024 * 1024 + 1, JPEG), /TOO_LARGE raw: a payload of more than 4194304 bytes/],
    ['coded', PNG, /Yard last image, from coded: it is not Base64/],
    ['coded', 'iVBORw0KGgo*', /not Base64/],
    ['coded', 'iVBO==Rw0KGgo', /not Base64/],
    ['coded', `data:image/png;base64,${PNG.toString('base64')}`, /not Base64/],
    ['coded', Buffer.from('<html>').toString('base64'), /none of/],
  ] as const;
  for (const [topic, payload, expected] of rejected) {
    broker.publish(topic, payload);
    t.match(problems(all, device).join(), expected);
    clock.advance(120_000);
    t.notMatch(problems(all, device).join(), /IMAGE|TOO_LARGE/, 'the problem ends');
  }
  broker.publish('raw', '');
  t.notMatch(problems(all, device).join(), /IMAGE/, 'an empty message says nothing');
  t.strictSame([raw.data, coded.data], before);
  t.strictSame([contentOf(all, raw), contentOf(all, coded)], [JPEG, PNG]);
});

await test('all images together have a limit', async (t) => {
  await using all = await DiscoveryFixture.start();
  const count = REPORTED_BUDGET / REPORTED_LIMIT + 1;
  for (let at = 0; at < count; at += 1) all.announce('camera', `c${at}`, { topic: `c/${at}` });
  const device = await all.device(count);
  const large = Buffer.concat([JPEG, Buffer.alloc(REPORTED_LIMIT - JPEG.length)]);
  for (let at = 0; at < count - 1; at += 1) all.broker.publish(`c/${at}`, large);
  t.strictSame(problems(all, device), []);
  all.broker.publish(`c/${count - 1}`, JPEG);
  t.match(problems(all, device).join(), /The images of all devices is longer than 16777216 bytes/);
  all.broker.publish('c/0', JPEG);
  all.broker.publish(`c/${count - 1}`, JPEG);
  t.strictSame(contentOf(all, imageOf(device, `camera_c${count - 1}__IMAGE`)), JPEG, 'there is space again');
});

await test('a camera with many images a second is announced once a second and stores nothing', async (t) => {
  await using all = await DiscoveryFixture.start();
  all.announce('camera', 'raw', { topic: 'raw' });
  const device = await all.device();
  const image = imageOf(device, 'camera_raw__IMAGE');
  const { kernel } = all.fixture;
  const sent: (readonly [number, number])[] = [];
  kernel.changes.listen(({ SenderID, Message }) => sent.push([SenderID, Message]));
  kernel.journal.objects.clear();
  const frame = (at: number) => Buffer.concat([JPEG, Buffer.from(`${at}`)]);
  for (let at = 0; at < 100; at += 1) {
    all.broker.publish('raw', frame(at));
    t.strictSame(contentOf(all, image), frame(at), 'the newest can be read');
    all.clock.advance(40);
  }
  all.clock.advance(1_000);
  const updates = sent.filter(([id, message]) => id === image.id && message === messageNumber.MM_UPDATE);
  t.ok(updates.length >= 4 && updates.length <= 6, `${updates.length} messages in 4 s`);
  const times = sent.filter(([id]) => id === device.children?.byIdent('camera_raw')?.id);
  t.ok(times.length <= 12, `${times.length} messages of its time`);
  t.strictSame([...kernel.journal.objects], [], 'nothing is to be stored');
  const count = sent.length;
  all.clock.advance(5_000);
  t.equal(sent.length, count, 'no announcement without an image');
});

await test('an image is available while its device is', async (t) => {
  await using all = await DiscoveryFixture.start();
  all.announce('camera', 'raw', { topic: 'raw', availability_topic: 'a' });
  const device = await all.device();
  const image = imageOf(device, 'camera_raw__IMAGE');
  const { broker, fixture, clock } = all;
  broker.publish('raw', JPEG);
  t.equal(contentOf(all, image), undefined, 'the device has not said that it is available');
  broker.publish('a', 'online');
  t.strictSame(contentOf(all, image), JPEG);
  broker.publish('a', 'offline');
  t.strictSame([contentOf(all, image), image.data.available], [undefined, false]);
  broker.publish('a', 'online');
  t.strictSame([contentOf(all, image), image.data.available], [JPEG, true]);
  broker.stop();
  await fixture.waitForLink(device, 'waiting');
  t.strictSame([contentOf(all, image), image.data.available], [undefined, false]);
  broker.start();
  await fixture.waitForReconnect(device, clock);
  broker.publish('a', 'online');
  t.equal(image.data.available, false, 'until the next image');
  broker.publish('raw', PNG);
  t.strictSame(contentOf(all, image), PNG);
});

await test('an image keeps its object when its entity changes, and is empty when it is removed', async (t) => {
  await using all = await DiscoveryFixture.start();
  all.announce('camera', 'raw', { topic: 'raw', name: 'Door' });
  all.announce('camera', 'other', { topic: 'other', name: 'Yard' });
  const device = await all.device(2);
  const { kernel } = all.fixture;
  const [image, other] = [imageOf(device, 'camera_raw__IMAGE'), imageOf(device, 'camera_other__IMAGE')];
  kernel.tree.set(other, 'name', 'My yard');
  all.announce('camera', 'raw', { topic: 'raw/2', name: 'Gate' });
  all.announce('camera', 'other', { topic: 'other/2', name: 'Garden' });
  await until('the change', () => {
    all.clock.advance(500);
    all.broker.publish('raw/2', JPEG);
    return contentOf(all, image) !== undefined;
  });
  t.strictSame([imageOf(device, 'camera_raw__IMAGE'), image.name, other.name], [image, 'Gate', 'My yard']);
  all.broker.publish('homeassistant/camera/raw/config', '', true);
  await until('its removal', () => {
    all.clock.advance(500);
    return !kernel.media.isReported(image);
  });
  t.strictSame([contentOf(all, image), image.data.available], [undefined, false]);
  t.equal(kernel.tree.find(image.id), image, 'as its variable, the object stays');
  await all.fixture.devices.delete(device.id);
  t.strictSame([kernel.tree.find(image.id), kernel.tree.find(other.id)], [undefined, undefined]);
});
