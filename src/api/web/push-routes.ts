import type { FastifyInstance } from 'fastify';
import { fault } from '../../base/fault.js';
import { sessionOf } from '../access/session-cookies.js';
import type { WebPush } from '../push/web-push.js';
import { checkOwnPage, readTexts, sendError, type SessionRouteContext } from './session-routes.js';

interface PushRouteContext extends SessionRouteContext {
  readonly push: WebPush;
}

/**
 * `/wfc/ID/push`: GET has the public key and whether this browser is subscribed, POST subscribes it with
 * `{"endpoint", "p256dh", "auth", "language"}`, DELETE ends that. With the session of a resident only.
 */
export function routePush(app: FastifyInstance, context: PushRouteContext): void {
  const { accounts, sessions, push } = context;
  for (const method of ['GET', 'POST', 'DELETE'])
    app.route<{ Params: { id: string } }>({
      method,
      url: '/wfc/:id/push',
      handler: async (request, reply) => {
        const { raw, params } = request;
        try {
          if (method !== 'GET') checkOwnPage(raw);
          const id = /^\d{1,9}$/.test(params.id) ? Number(params.id) : -1;
          if (accounts().baseOf(id) === undefined) throw fault('NOT_FOUND');
          const session = await sessionOf(sessions, raw, accounts().configurator(id));
          if (session === undefined) throw fault('UNAUTHORIZED');
          reply.header('Cache-Control', 'no-store');
          if (method === 'GET')
            return await reply.send({ publicKey: await push.publicKey(), isSubscribed: push.has(session) });
          if (method === 'DELETE') await push.unsubscribe(session.id);
          else
            await push.subscribe(session, await readTexts(raw, ['endpoint', 'p256dh', 'auth', 'language']));
          return await reply.code(204).send();
        } catch (thrown) {
          return sendError({ request: raw, reply }, thrown);
        }
      },
    });
}
