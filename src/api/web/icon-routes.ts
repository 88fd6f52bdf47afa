import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Fault } from '../../base/fault.js';
import { isOwner, isResident, type SessionRouteContext } from './session-routes.js';
import { METHODS, sendChallenge, sendPlainText } from './web-files.js';

/** An icon loads nothing and runs nothing; an icon of the owner may style itself. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
/** A page shows the same icons many times; a replaced one appears after this time at the latest. */
const CACHING = 'private, max-age=300';

export interface IconRouteContext extends SessionRouteContext {
  readonly icons: {
    /** The SVG file of an icon, built-in or the owner's. Throws `ICON_MISSING`, `TEXT_TOO_LONG`. */
    content(name: string): Promise<Buffer>;
  };
}

/**
 * The icons, as SVG: `/wfc/<configurator>/icon/<name>` for the users of a configurator, and
 * `/console/icon/<name>` for the owner.
 */
export function routeIcons(app: FastifyInstance, context: IconRouteContext): void {
  app.route<{ Params: { id: string; name: string } }>({
    method: [...METHODS],
    url: '/wfc/:id/icon/:name',
    handler: async (request, reply) => {
      const { id, name } = request.params;
      const configurator = /^\d{1,9}$/.test(id) ? Number(id) : -1;
      if (!(await isResident(context, request, configurator)))
        return sendChallenge(reply, 'stellwerk fronts');
      return sendIcon(context, name, { request, reply });
    },
  });
  app.route<{ Params: { name: string } }>({
    method: [...METHODS],
    url: '/console/icon/:name',
    handler: async (request, reply) => {
      if (!(await isOwner(context, request))) return sendChallenge(reply, 'stellwerk');
      return sendIcon(context, request.params.name, { request, reply });
    },
  });
}

async function sendIcon(
  { icons }: IconRouteContext,
  name: string,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): Promise<FastifyReply> {
  const svg = await icons.content(name).catch((thrown: unknown) => {
    if (thrown instanceof Fault) return undefined;
    throw thrown;
  });
  if (svg === undefined) return sendPlainText(reply, 404, 'Not found\n');
  const tag = `"${createHash('sha256').update(svg).digest('base64url').slice(0, 22)}"`;
  reply.headers({ ETag: tag, 'Cache-Control': CACHING, 'Content-Security-Policy': POLICY });
  if (request.headers['if-none-match'] === tag) return reply.code(304).send();
  return reply.type('image/svg+xml').send(svg);
}
