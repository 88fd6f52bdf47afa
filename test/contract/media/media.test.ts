import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { builtInProfiles } from '../../../src/kernel/profiles/built-in-profiles.js';
import { CACHE_BUDGET } from '../../../src/media/contents.js';
import { MEDIA_LIMIT } from '../../../src/media/media-files.js';
import { ICON_LIMIT, Icons } from '../../../src/media/icons.js';
import { completeResult } from '../../tools/client/result-schema.js';
import { FunctionFixture } from '../../tools/gateway/function-fixture.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { Replica, snapshotOf } from '../../tools/client/replica.js';
import { messageNumber } from '../../tools/client/message-numbers.js';

const [CHANGEFILE, AVAILABLE, UPDATE, CACHED] = [
  messageNumber.MM_CHANGEFILE,
  messageNumber.MM_AVAILABLE,
  messageNumber.MM_UPDATE,
  messageNumber.MM_CHANGECACHED,
];
const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64');

/** A fixture with a data directory that contains `data/user`. */
async function makeFixture(t: Test) {
  const directory = join(await tempDirectory(t), 'data');
  await mkdir(join(directory, 'user'), { recursive: true });
  const fixture = new FunctionFixture([], directory);
  t.teardown(() => fixture[Symbol.asyncDispose]());
  const make = async (type: number, file?: string) => {
    const id = (await fixture.call('SVC_CreateMedia', type)) as number;
    if (file !== undefined) await fixture.call('SVC_SetMediaFile', id, file, false);
    return id;
  };
  const content = async (id: number) =>
    Buffer.from((await fixture.call('SVC_GetMediaContent', id)) as string, 'base64').toString();
  const record = (id: number) => fixture.call('SVC_GetMedia', id);
  return { fixture, directory, make, content, record };
}

t.test('content is written, reported and read', async (t) => {
  const { fixture, directory, make, content, record } = await makeFixture(t);
  const id = await make(5);
  t.equal(await fixture.call('SVC_MediaExists', id), true);
  t.equal(await fixture.call('SVC_MediaExists', 0), false);
  const replica = new Replica(snapshotOf(fixture.kernel));
  const { counter } = fixture.kernel.changes;
  const none = { MediaFile: '', MediaCRC: '', MediaSize: 0, MediaUpdated: 0 };
  t.match(await record(id), { MediaID: id, MediaType: 5, MediaIsAvailable: false, ...none });
  await t.rejects(fixture.call('SVC_GetMediaContent', id), { code: 'FILE_MISSING' });
  const messages = await fixture.messagesOfCall('SVC_SetMediaContent', id, base64('123456789'));
  const file = join(directory, 'media', `${id}.bin`);
  const changed = Math.floor((await stat(file)).mtimeMs / 1000);
  // CBF43926 is the check value of CRC-32.
  t.strictSame(messages, [
    [id, CHANGEFILE, [`media/${id}.bin`]],
    [id, AVAILABLE, [true]],
    [id, UPDATE, ['CBF43926', 9, changed]],
  ]);
  t.strictSame(await record(id), {
    MediaID: id,
    MediaType: 5,
    MediaIsAvailable: true,
    MediaFile: `media/${id}.bin`,
    MediaCRC: 'CBF43926',
    MediaIsCached: false,
    MediaSize: 9,
    MediaUpdated: changed,
  });
  t.equal(await readFile(file, 'utf8'), '123456789');
  t.equal(await content(id), '123456789');
  t.strictSame(await fixture.messagesOfCall('SVC_SetMediaCached', id, true), [[id, CACHED, [true]]]);
  await fixture.call('SVC_SetMediaContent', id, '');
  t.match(await record(id), { MediaCRC: '00000000', MediaSize: 0, MediaIsAvailable: true });
  t.equal(await content(id), '', 'empty content is valid');
  const chart = await make(4);
  await fixture.call('SVC_SetMediaContent', chart, base64('{}'));
  t.match(await record(chart), { MediaFile: `media/${chart}.json` });
  for (const frame of fixture.kernel.changes.since(counter)) replica.apply(frame as never);
  const followed = Object.fromEntries([...replica.objects].map(([key, entry]) => [`ID${key}`, entry]));
  t.strictSame(followed, snapshotOf(fixture.kernel), 'clients that follow the changes have the same state');
  t.strictSame((await readdir(join(directory, 'media'))).sort(), [`${id}.bin`, `${chart}.json`].sort());
  t.strictSame(
    fixture.audit.filter(({ method }) => method === 'SVC_SetMediaContent').map(({ params }) => params[1]),
    ['(12 characters)', '(0 characters)', '(4 characters)'],
  );
});

t.test('media are found by type, name and file', async (t) => {
  const { fixture, directory, make } = await makeFixture(t);
  const image = await make(1, 'media/Küche 1.png');
  const sound = await make(2, 'user/sounds/bell.mp3');
  await fixture.call('SVC_SetName', image, 'Kitchen');
  t.strictSame(await fixture.call('SVC_GetMediaList'), [image, sound]);
  t.strictSame(await fixture.call('SVC_GetMediaListByType', 2), [sound]);
  t.equal(await fixture.call('SVC_GetMediaIDByName', 'Kitchen', 0), image);
  for (const path of ['media/Küche 1.png', 'Küche 1.png', join(directory, 'media/Küche 1.png')])
    t.equal(await fixture.call('SVC_GetMediaIDByFile', path), image, path);
  t.equal(await fixture.call('SVC_GetMediaIDByFile', 'user/sounds/bell.mp3'), sound);
  await t.rejects(fixture.call('SVC_GetMediaIDByFile', 'other.png'), { code: 'NAME_NOT_FOUND' });
  await t.rejects(fixture.call('SVC_GetMediaIDByName', 'Kitchen', image), { code: 'NAME_NOT_FOUND' });
  await t.rejects(fixture.call('SVC_GetMedia', 0), { message: 'Media #0 does not exist' });
});

t.test('invalid Base64, or too much, changes nothing', async (t) => {
  const { fixture, make, content } = await makeFixture(t);
  const id = await make(1);
  await fixture.call('SVC_SetMediaContent', id, base64('before'));
  const wrong = [
    'a',
    'ab',
    'abc',
    'ab=c',
    'YQ',
    'YQ=',
    'YQ==\n',
    'YR==',
    'Y Q==',
    '_-8=',
    'YQ==YQ==',
    '%',
    'ä',
  ];
  for (const text of [...wrong, 'data:image/png;base64,YQ=='])
    await t.rejects(fixture.call('SVC_SetMediaContent', id, text), { code: 'PARAMETER_TYPE' }, text);
  const large = Buffer.alloc(MEDIA_LIMIT + 1);
  await t.rejects(fixture.call('SVC_SetMediaContent', id, base64(large)), { code: 'TEXT_TOO_LONG' });
  t.equal(await content(id), 'before');
  await fixture.call('SVC_SetMediaContent', id, base64(large.subarray(1)));
  t.match(await fixture.call('SVC_GetMedia', id), { MediaSize: MEDIA_LIMIT });
  t.equal((await content(id)).length, MEDIA_LIMIT, 'as much as is accepted, and returned');
});

t.test('a file is in media or user and nowhere else', async (t) => {
  const { fixture, directory, make, record } = await makeFixture(t);
  await writeFile(join(directory, 'secret'), 'secret');
  const id = await make(5, 'media/a.txt');
  const paths = [
    '',
    '.',
    '..',
    '/',
    '/etc/passwd',
    '../secret',
    'media/',
    'media/../secret',
    'media/./a.txt',
    'media//a.txt',
    'media/../../x',
    'media/.hidden',
    'media/a\0b',
    'media/a\nb',
    'media\\a',
    'media/..\\x',
    'media/a.txt.new',
    'scripts/12345.js',
    '/stellwerk.db',
    `${directory}/secret`,
    `${directory}/../x/media/a`,
    `${directory}x/media/a`,
    `media/${'a'.repeat(102)}`,
    `media/${'a/'.repeat(8)}a`,
    'rtsp://camera/stream',
    'file:///etc/passwd',
  ];
  for (const path of paths) {
    await t.rejects(
      fixture.call('SVC_SetMediaFile', id, path, false),
      { code: 'FILE_NAME' },
      JSON.stringify(path),
    );
    await t.rejects(fixture.call('SVC_SetMediaFile', id, path, true), { code: 'FILE_NAME' });
  }
  t.match(await record(id), { MediaFile: 'media/a.txt' });
  await fixture.call('SVC_SetMediaFile', id, 'secret', false);
  t.match(
    await record(id),
    { MediaFile: 'media/secret', MediaIsAvailable: false },
    'a bare name is in media',
  );
});

t.test('links lead nowhere', async (t) => {
  const { fixture, directory, make, record } = await makeFixture(t);
  const outside = join(directory, '..', 'outside');
  await mkdir(outside);
  await writeFile(join(outside, 'secret.txt'), 'secret');
  await mkdir(join(directory, 'media'));
  await symlink(outside, join(directory, 'media', 'folder'));
  await symlink(join(outside, 'secret.txt'), join(directory, 'media', 'link.txt'));
  await symlink(join(outside, 'made.txt'), join(directory, 'media', 'made.txt'));
  await symlink(join(outside, 'passing.txt'), join(directory, 'media', 'plain.txt.new'));
  const id = await make(5);
  await t.rejects(fixture.call('SVC_SetMediaFile', id, 'media/folder/secret.txt', true), {
    code: 'FILE_NAME',
  });
  await t.rejects(fixture.call('SVC_SetMediaFile', id, 'media/link.txt', true), { code: 'FILE_MISSING' });
  for (const file of ['link.txt', 'made.txt', 'plain.txt']) {
    await fixture.call('SVC_SetMediaFile', id, file, false);
    t.match(await record(id), { MediaIsAvailable: false }, file);
    await t.rejects(fixture.call('SVC_GetMediaContent', id), { code: 'FILE_MISSING' });
    await fixture.call('SVC_SetMediaContent', id, base64('mine'));
  }
  t.strictSame(await readdir(outside), ['secret.txt']);
  t.equal(await readFile(join(outside, 'secret.txt'), 'utf8'), 'secret');
  await fixture.call('SVC_DeleteMedia', id, true);
  t.notOk(existsSync(join(directory, 'media', 'plain.txt')));
});

t.test('manual changes of the files are noticed', async (t) => {
  const { fixture, directory, make, content, record } = await makeFixture(t);
  const path = join(directory, 'user', 'plan.svg');
  await writeFile(path, '<svg/>');
  const id = await make(1);
  const messages = await fixture.messagesOfCall('SVC_SetMediaFile', id, path, true);
  t.match(messages, [
    [id, CHANGEFILE, ['user/plan.svg']],
    [id, AVAILABLE, [true]],
    [id, UPDATE, [/^[0-9A-F]{8}$/, 6]],
  ]);
  t.equal(await content(id), '<svg/>');
  await rm(path);
  t.match(await fixture.messagesOfCall('SVC_GetMedia', id), [[id, AVAILABLE, [false]]], 'it is gone');
  t.match(await record(id), { MediaIsAvailable: false, MediaSize: 6 });
  await t.rejects(fixture.call('SVC_GetMediaContent', id), { message: 'File user/plan.svg does not exist' });
  await t.rejects(fixture.call('SVC_SendMediaEvent', id), { code: 'FILE_MISSING' });
  await writeFile(path, '<svg></svg>');
  t.equal(await content(id), '<svg></svg>', 'it is back');
  t.match(await record(id), { MediaIsAvailable: true, MediaSize: 11 });
  const before = await stat(path);
  await writeFile(path, '<svg>!</svg'.slice(0, 11));
  await utimes(path, before.atime, before.mtime);
  t.strictSame(await fixture.messagesOfCall('SVC_GetMedia', id), [], 'size and time are unchanged');
  t.match(await fixture.messagesOfCall('SVC_SendMediaEvent', id), [[id, UPDATE, [String, 11]]]);
  await t.rejects(fixture.call('SVC_SetMediaFile', id, 'user/none.svg', true), { code: 'FILE_MISSING' });
  t.match(await record(id), { MediaFile: 'user/plan.svg' });
  const wide = join(directory, 'user', 'film.mp4');
  await writeFile(wide, Buffer.alloc(MEDIA_LIMIT + 1));
  await fixture.call('SVC_SetMediaFile', id, 'user/film.mp4', true);
  t.match(await record(id), { MediaIsAvailable: true, MediaSize: MEDIA_LIMIT + 1 });
  await t.rejects(fixture.call('SVC_GetMediaContent', id), { code: 'TEXT_TOO_LONG' });
});

t.test('content is cached in memory, up to a limit', async (t) => {
  const { fixture, directory, make } = await makeFixture(t);
  const size = Math.floor(CACHE_BUDGET / 2);
  const ids = [await make(1), await make(1), await make(1)];
  const first = async (id: number) =>
    Buffer.from(((await fixture.call('SVC_GetMediaContent', id)) as string).slice(0, 4), 'base64')[0];
  /** Replaces the content on disk without a change of size or time. */
  const swap = async (id: number) => {
    const path = join(directory, 'media', `${id}.bin`);
    const { atime, mtime } = await stat(path);
    await writeFile(path, Buffer.alloc(size, 2));
    await utimes(path, atime, mtime);
  };
  for (const id of ids) {
    await fixture.call('SVC_SetMediaContent', id, base64(Buffer.alloc(size, 1)));
    const path = join(directory, 'media', `${id}.bin`);
    await utimes(path, 1_700_000_000, 1_700_000_000);
    t.strictSame(await fixture.messagesOfCall('SVC_SetMediaCached', id, true), [[id, CACHED, [true]]]);
    t.equal(await first(id), 1);
    await swap(id);
  }
  t.strictSame(await Promise.all(ids.map(first)), [2, 1, 1], 'the oldest was dropped');
  const [, second = 0, third = 0] = ids;
  await fixture.call('SVC_SetMediaContent', third, base64(Buffer.alloc(size, 3)));
  t.equal(await first(third), 3, 'written content counts immediately');
  t.match(await fixture.call('SVC_GetMedia', second), { MediaIsCached: true });
  await fixture.call('SVC_SetMediaCached', second, false);
  t.equal(await first(second), 2);
});

t.test('a stream is a URL, whose password is never shown', async (t) => {
  const { fixture, make, record } = await makeFixture(t);
  const id = await make(3);
  const url = 'rtsp://viewer:tul:ip@camera.local:554/main?x=1@2';
  const shown = 'rtsp://viewer:***@camera.local:554/main?x=1@2';
  t.strictSame(await fixture.messagesOfCall('SVC_SetMediaFile', id, url, true), [
    [id, CHANGEFILE, [shown]],
    [id, AVAILABLE, [true]],
  ]);
  t.match(await record(id), { MediaFile: shown, MediaIsAvailable: true });
  t.strictSame(
    await fixture.messagesOfCall('SVC_SetMediaFile', id, shown, false),
    [],
    'writing back the masked URL keeps it',
  );
  t.equal(fixture.kernel.media.get(id).data.file, url);
  t.equal(await fixture.call('SVC_GetMediaIDByFile', url), id);
  t.equal(await fixture.call('SVC_GetMediaIDByFile', shown), id);
  t.match(await fixture.messagesOfCall('SVC_SendMediaEvent', id), [
    [id, UPDATE, ['', 0, fixture.clock.nowMs() / 1000]],
  ]);
  for (const wrong of [
    'media/a.png',
    'camera',
    'javascript://x',
    'file:///etc/passwd',
    'rtsp://a b',
    'rtsp://a\\b',
    '',
  ])
    await t.rejects(fixture.call('SVC_SetMediaFile', id, wrong, false), { code: 'FILE_NAME' }, wrong);
  await t.rejects(fixture.call('SVC_GetMediaContent', id), { code: 'NOT_SUPPORTED' });
  await t.rejects(fixture.call('SVC_SetMediaContent', id, 'YQ=='), { code: 'NOT_SUPPORTED' });
  const snapshot = JSON.stringify(await completeResult(fixture.call('SVC_GetSnapshot')));
  t.ok(snapshot.includes(shown));
  t.notMatch(snapshot + JSON.stringify(fixture.audit), /tul/);
});

t.test('a file is deleted with its last object, if requested', async (t) => {
  const { fixture, directory, make } = await makeFixture(t);
  const path = join(directory, 'media', 'a.png');
  const [one, two, three] = [await make(1, 'a.png'), await make(1, 'a.png'), await make(1, 'a.png')];
  await fixture.call('SVC_SetMediaContent', one, base64('a'));
  await fixture.call('SVC_DeleteMedia', one, true);
  t.ok(existsSync(path), 'others use it');
  await fixture.call('SVC_DeleteMedia', two, false);
  t.ok(existsSync(path));
  const below = (await fixture.call('SVC_CreateLink')) as number;
  await fixture.call('SVC_SetParent', below, three);
  await t.rejects(fixture.call('SVC_DeleteMedia', three, true), { code: 'HAS_CHILDREN' });
  t.ok(existsSync(path));
  await fixture.call('SVC_DeleteLink', below);
  await fixture.call('SVC_DeleteMedia', three, true);
  t.notOk(existsSync(path));
  await t.rejects(fixture.call('SVC_DeleteMedia', three, true), { code: 'NOT_OF_TYPE' });
});

t.test('a disk that rejects writes is reported, and the previous content stays', async (t) => {
  const { fixture, directory, make } = await makeFixture(t);
  const id = await make(5);
  await writeFile(join(directory, 'media'), 'a file instead of the directory');
  await t.rejects(fixture.call('SVC_SetMediaContent', id, 'YQ=='), { code: 'STORE_FAILED' });
  t.match(await fixture.call('SVC_GetMedia', id), { MediaFile: '', MediaIsAvailable: false });
  const lost = await make(5, 'user/none/a.txt');
  await t.rejects(fixture.call('SVC_SetMediaContent', lost, 'YQ=='), { code: 'STORE_FAILED' });
});

t.test('icons include those of the profiles; user-defined ones take precedence', async (t) => {
  const directory = join(await tempDirectory(t), 'icons');
  const icons = new Icons(directory);
  const names = await icons.names();
  const expected = builtInProfiles().flatMap(({ icon, associations }) => [
    icon,
    ...associations.map((a) => a.icon),
  ]);
  t.strictSame(
    [...new Set(expected)].filter((name) => name !== '' && !names.includes(name)),
    [],
  );
  for (const name of names)
    t.match(
      (await icons.content(name)).toString(),
      /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" viewBox="0 0 24 24"[^<>]*><path d="M[MLHVZAClhvzac\d .,-]+"\/><\/svg>\n$/,
      name,
    );
  for (const missing of ['', 'None', '../icons/Home', 'toString', '__proto__', 'home'])
    await t.rejects(icons.content(missing), { code: 'ICON_MISSING' }, missing);
  await mkdir(directory);
  await writeFile(join(directory, 'Home.svg'), '<svg>mine</svg>');
  await writeFile(join(directory, 'Küche.svg'), '<svg>kitchen</svg>');
  await writeFile(join(directory, 'Large.svg'), Buffer.alloc(ICON_LIMIT + 1));
  await writeFile(join(directory, 'notes.txt'), 'no icon');
  await writeFile(join(directory, '..', 'secret.svg'), 'secret');
  await symlink(join(directory, '..', 'secret.svg'), join(directory, 'Secret.svg'));
  t.strictSame(await icons.names(), [...names, 'Küche', 'Large'].sort());
  t.equal((await icons.content('Home')).toString(), '<svg>mine</svg>');
  t.equal((await icons.content('Küche')).toString(), '<svg>kitchen</svg>');
  await t.rejects(icons.content('Large'), { code: 'TEXT_TOO_LONG' });
  await t.rejects(icons.content('Secret'), { code: 'ICON_MISSING' });
});

t.test('the icon of an object is its own, its value’s, or its profile’s', async (t) => {
  const { fixture } = await makeFixture(t);
  const category = (await fixture.call('SVC_CreateCategory')) as number;
  const variable = (await fixture.call('SVC_CreateVariable', 1)) as number;
  await fixture.call('SVC_CreateVariableProfile', 'Mode', 1);
  await fixture.call('SVC_SetVariableProfileIcon', 'Mode', 'Gauge');
  await fixture.call('SVC_SetVariableProfileAssociation', 'Mode', 2, 'Night', 'Moon', -1);
  await fixture.call('SVC_SetVariableCustomProfile', variable, 'Mode');
  const icons = async (...ids: number[]) => fixture.call('SVC_GetIcons', ids);
  t.strictSame(await icons(variable, category), [
    { ObjectID: variable, Icon: 'Gauge' },
    { ObjectID: category, Icon: '' },
  ]);
  await fixture.call('SetValue', variable, 3);
  t.strictSame(await icons(variable), [{ ObjectID: variable, Icon: 'Moon' }]);
  await fixture.call('SVC_SetIcon', variable, 'Home');
  t.strictSame(await icons(variable), [{ ObjectID: variable, Icon: 'Home' }]);
  t.equal(((await icons()) as object[]).length, fixture.kernel.tree.size, 'none named: all');
  await t.rejects(icons(variable, 1), { code: 'OBJECT_MISSING' });
});
