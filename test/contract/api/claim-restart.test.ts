import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { fastify } from 'fastify';
import t from 'tap';
import type { Authenticator } from '../../../src/api/access/authenticator.js';
import { routeClaim } from '../../../src/api/web/claim-routes.js';
import { systemClock } from '../../../src/base/clock.js';
import { withinPatience } from '../../tools/until.js';

const BODIES = [
  ['POST', 'restore', '{"code":"A"}'],
  ['PUT', 'backup', 'x'],
] as const;

for (const [method, path, body] of BODIES)
  for (const isGone of [true, false])
    t.test(
      `${path}: restarts once, ${isGone ? 'though the connection is gone' : 'after the reply'}`,
      async (t) => {
        const [begun, released, restarted] = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
        let restarts = 0;
        const wait = async () => {
          begun?.resolve();
          await released?.promise;
        };
        const claim = {
          code: () => 'A',
          facts: () => Promise.reject(new Error('not called')),
          set: async () => undefined,
          restore: wait,
          receive: wait,
          restart: () => {
            restarts += 1;
            restarted?.resolve();
          },
        };
        const access = { verify: async () => true } as unknown as Authenticator; // only this is called
        const app = fastify();
        t.teardown(() => app.close());
        app.removeAllContentTypeParsers();
        app.addContentTypeParser('*', (_request, _body, done) => done(null));
        routeClaim(app, { access, claim, clock: systemClock() });
        await app.listen({ host: '127.0.0.1', port: 0 });
        const accepted = once(app.server, 'connection') as Promise<[Socket]>;
        const { port } = app.server.address() as AddressInfo;
        const client = connect(port, '127.0.0.1');
        t.teardown(() => client.destroy());
        const host = `127.0.0.1:${port}`;
        const head = [`Host: ${host}`, `Origin: http://${host}`, 'Stellwerk-Claim: A'];
        client.write(
          [
            `${method} /console/claim/${path} HTTP/1.1`,
            ...head,
            `Content-Length: ${body.length}`,
            '',
            body,
          ].join('\r\n'),
        );
        const [socket] = await accepted;
        await begun?.promise;
        if (isGone) {
          const closed = once(socket, 'close');
          client.destroy();
          await closed;
          t.equal(restarts, 0, 'not before the backup is there');
          released?.resolve();
        } else {
          const replied = once(client, 'data') as Promise<[Buffer]>;
          released?.resolve();
          t.match(String((await replied)[0]), /^HTTP\/1\.1 204 /);
        }
        await withinPatience('the restart', restarted?.promise ?? Promise.reject(new Error('no promise')));
        client.destroy();
        await app.close();
        t.equal(restarts, 1);
      },
    );
