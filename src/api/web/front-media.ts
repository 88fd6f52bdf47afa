import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Area } from '../../kernel/area.js';
import { imageTypeOf } from '../../kernel/image-type.js';
import type { Kernel } from '../../kernel/kernel.js';
import { mediaType, type Media } from '../../kernel/media.js';
import { objectType } from '../../kernel/object.js';
import type { Configurators } from '../access/accounts.js';
import { isResident, type SessionRouteContext } from './session-routes.js';
import { sendChallenge, METHODS, sendPlainText, sendFile } from './web-files.js';

/** The types whose files are served; charts and dashboards name objects, and a stream is not a file. */
const SERVED_TYPES: ReadonlySet<number> = new Set([mediaType.image, mediaType.sound, mediaType.document]);

/** A picture or a document may be a page with scripts, which must not act on behalf of the viewer. */
const POLICY = "script-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'";

export interface FrontMediaContext extends SessionRouteContext {
  readonly configurators: Configurators;
  readonly kernel: Pick<Kernel, 'tree' | 'media'>;
  /** The data directory. */
  readonly directory: string;
}

/**
 * Pictures, sounds and documents of a configurator's area at `/wfc/<configurator>/media/<media>`, for its
 * users. What is outside the area is reported as not found (interface, decision 14).
 */
export function routeMedia(app: FastifyInstance, context: FrontMediaContext): void {
  const { directory } = context;
  app.route<{ Params: { id: string; media: string } }>({
    method: [...METHODS],
    url: '/wfc/:id/media/:media',
    handler: async (request, reply) => {
      const [id, media] = [idFrom(request.params.id), idFrom(request.params.media)];
      if (!(await isResident(context, request, id))) return sendChallenge(reply, 'stellwerk fronts');
      const found = find(context, id, media);
      const image = found && context.kernel.media.reportedContent(found);
      if (found !== undefined && image !== undefined) return sendImage(request, reply, [found, image]);
      const [folder = '', ...path] = found?.data.file.split('/') ?? [];
      if (path.length === 0) return sendPlainText(reply, 404, 'Not found\n');
      reply.header('Content-Security-Policy', POLICY);
      return sendFile(request, reply, {
        directory: join(directory, folder),
        path: `/${path.map(encodeURIComponent).join('/')}`,
      });
    },
  });
}

/** Sends an image that a device has reported. Its type is that of its bytes, whatever the device calls it. */
function sendImage(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  [{ data }, content]: readonly [Media, Uint8Array],
): FastifyReply {
  const tag = `"${data.crc}-${data.updated}"`;
  reply.header('ETag', tag).header('Cache-Control', 'no-cache').header('Content-Security-Policy', POLICY);
  if (headers['if-none-match'] === tag) return reply.code(304).send();
  return reply.type(imageTypeOf(content) ?? 'application/octet-stream').send(content);
}

/** A media object, if this configurator's users may read it. */
function find({ configurators, kernel: { tree } }: FrontMediaContext, id: number, mediaId: number) {
  const configurator = configurators.get(id);
  const media = tree.find(mediaId);
  if (configurator === undefined || !media?.is(objectType.media) || !SERVED_TYPES.has(media.data.type))
    return undefined;
  return new Area(tree, configurator.base, id).contains(mediaId) ? media : undefined;
}

/** The id in a URL; −1, which no object has, if it is not a valid id. */
const idFrom = (text: string): number => (/^\d{1,9}$/.test(text) ? Number(text) : -1);
