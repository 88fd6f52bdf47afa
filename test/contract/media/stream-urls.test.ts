import t, { type Test } from 'tap';
import { FunctionFixture } from '../../tools/gateway/function-fixture.js';
import { tempDirectory } from '../../tools/temp-directory.js';

/** A fixture with a stream. */
async function makeFixture(t: Test) {
  const fixture = new FunctionFixture([], await tempDirectory(t));
  t.teardown(() => fixture[Symbol.asyncDispose]());
  const id = (await fixture.call('SVC_CreateMedia', 3)) as number;
  const setUrl = (url: string) => fixture.call('SVC_SetMediaFile', id, url, false);
  return { setUrl, stored: () => fixture.kernel.media.get(id).data.file };
}

t.test('an edited URL that still hides the password does not replace the stored one', async (t) => {
  const { setUrl, stored } = await makeFixture(t);
  await t.rejects(setUrl('rtsp://viewer:***@camera/main'), { code: 'FILE_NAME' }, 'there is none to keep');
  t.equal(stored(), '');
  const url = 'rtsp://viewer:tulip@camera/main';
  await setUrl(url);
  await setUrl('rtsp://viewer:***@camera/main');
  t.equal(stored(), url);
  await t.rejects(setUrl('rtsp://viewer:***@camera/sub'), {
    code: 'FILE_NAME',
    message: /give its password/,
  });
  t.equal(stored(), url);
  await setUrl('rtsp://viewer:rose@camera/sub');
  t.equal(stored(), 'rtsp://viewer:rose@camera/sub');
});

t.test('the URL that an export has keeps the stored one', async (t) => {
  const { setUrl, stored } = await makeFixture(t);
  const url = 'http://camera/stream?x=1&token=tulip';
  await setUrl(url);
  await setUrl('http://camera/stream?x=1&token=***');
  t.equal(stored(), url);
});
