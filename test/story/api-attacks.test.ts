import t from 'tap';
import { OWNER, ownerLine, startWorld } from '../tools/api-world.js';
import { call, short } from '../tools/exchange.js';
import { RawConnection, basicLine, rawPost } from '../tools/raw-http.js';

t.test('a pipelined wrong login is never answered as the owner', async (t) => {
  const world = await startWorld(t);
  const said = (line: string) =>
    rawPost({ port: world.port, headers: [line], body: call('Echo', ['inside']) });
  const right = said(ownerLine);
  const wrong = said(basicLine(OWNER.username, 'wrong'));
  for (const order of [
    [right, wrong],
    [wrong, right],
    [right, wrong, right, wrong],
  ]) {
    await using connection = await RawConnection.open(world.port);
    connection.write(Buffer.concat(order));
    for (const one of order)
      t.equal(short(await connection.response()), one === right ? 'inside' : 401, 'in one go');
    for (const one of [wrong, right, wrong]) {
      connection.write(one);
      t.equal(short(await connection.response()), one === right ? 'inside' : 401, 'by itself');
    }
  }
});

t.test('what pages may read an answer follows from the request that was answered', async (t) => {
  const world = await startWorld(t, { allowedOrigins: ['https://panel.example'] });
  await using connection = await RawConnection.open(world.port);
  const said = (method: string, ...headers: string[]) =>
    rawPost({ port: world.port, headers: [ownerLine, ...headers], body: call(method, []) });
  connection.write(said('Echo'));
  await connection.response();
  connection.write(
    Buffer.concat([said('Late', 'Origin: https://panel.example'), said('Echo'), said('Late')]),
  );
  const allowed = [];
  for (let n = 0; n < 3; n++)
    allowed.push((await connection.response()).headers['access-control-allow-origin']);
  t.strictSame(allowed, ['https://panel.example', undefined, undefined]);
  connection.write(said('Echo', 'Origin: https://panel.example'));
  await connection.response();
  connection.write(`PUT /api/ HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  t.equal((await connection.response()).headers['access-control-allow-origin'], undefined);
});
