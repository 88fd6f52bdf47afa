import t from 'tap';
import { callText, idOf, post, resultOrStatus, rpc } from '../../tools/client/json-rpc.js';
import { basicLine } from '../../tools/client/raw-http.js';
import { startCookbookPage } from '../../tools/gateway/cookbook-gateway.js';
import { CABINET_TILES } from '../../tools/gateway/meter-cabinet.js';

interface SnapshotEntry {
  readonly hidden: boolean;
  readonly data: { readonly role?: string };
}

/** Readings of all devices arrive within this time, and are not stale until the end of the test. */
const FIRST_READINGS_S = 15;

t.test('the devices of a meter cabinet have a tile with its value, unit and role', async (t) => {
  const cabinet = await startCookbookPage(t, 'meter-cabinet.md', '2026-06-15T10:02:00Z');
  const { gateway } = cabinet;
  await cabinet.pass(FIRST_READINGS_S);
  const front = await idOf(gateway, 'front');
  const snapshot = resultOrStatus(
    await post(gateway, callText('WFC_GetSnapshot', [front]), [basicLine('webfront', 'tulip')]),
  ) as { objects: Record<string, SnapshotEntry> };
  const archive = await idOf(gateway, 'stellwerk/AC');
  for (const [path, text, isCounter = false] of CABINET_TILES) {
    const id = await idOf(gateway, `house/${path}`);
    await cabinet.passUntilGood(`house/${path}`, FIRST_READINGS_S);
    t.match(await rpc(gateway, 'GetValueFormatted', id), text, path);
    t.match(snapshot.objects[`ID${id}`], { hidden: false, data: { role: 'main' } }, `${path} has a tile`);
    const isLogged = (await rpc(gateway, 'AC_GetLoggingStatus', archive, id)) === true;
    if (isLogged) t.equal(await rpc(gateway, 'AC_GetAggregationType', archive, id), isCounter ? 1 : 0, path);
  }
});
