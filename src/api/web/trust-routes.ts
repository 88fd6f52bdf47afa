import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fault } from '../../base/fault.js';
import type { AuthorityCertificate } from '../http/certificate-authority.js';
import { sendError } from './session-routes.js';
import { METHODS, sendPage } from './web-files.js';
import type { Pages } from './web-server.js';

/** How the listeners are certified now. */
export interface ListenerTrust {
  /** The gateway's own authority; undefined as long as no listener uses it. */
  readonly authority: AuthorityCertificate | undefined;
  /** The port of a listener with TLS that other machines reach; undefined without one. */
  readonly port: number | undefined;
}

interface TrustRouteContext {
  readonly pages: Pick<Pages, 'trust'>;
  readonly trust: () => ListenerTrust;
}

/**
 * `/tls`: how a device trusts the gateway, and the certificate of its authority: `/tls/ca.crt` for devices
 * (DER), `/tls/ca.pem` for programs. Readable without credentials.
 */
export function routeTrust(app: FastifyInstance, { pages, trust }: TrustRouteContext): void {
  app.route({
    method: [...METHODS],
    url: '/tls',
    handler: async (request, reply) => {
      const { 'accept-language': languages = '', 'user-agent': agent = '' } = request.headers;
      const { authority, port } = trust();
      const facts = { authority, secureUrl: secureUrl(request, port) };
      return sendPage(reply, await pages.trust(facts, { languages, agent }));
    },
  });
  const file = (url: string, type: string, content: (one: AuthorityCertificate) => string | Buffer) =>
    app.route({
      method: [...METHODS],
      url,
      handler: async (request, reply): Promise<FastifyReply> => {
        const { authority } = trust();
        if (authority === undefined) return sendError({ request: request.raw, reply }, fault('NOT_FOUND'));
        return reply.header('Cache-Control', 'no-cache').type(type).send(content(authority));
      },
    });
  // iOS and Android install a certificate of this type; without a file name, so that iOS does not store it.
  file('/tls/ca.crt', 'application/x-x509-ca-cert', ({ der }) => der);
  file('/tls/ca.pem', 'application/x-pem-file', ({ pem }) => pem);
}

/**
 * The https URL of the host that the page was requested from: at this listener if it uses TLS, otherwise at
 * another.
 */
function secureUrl({ headers, protocol }: FastifyRequest, port: number | undefined): string | undefined {
  const { host = 'localhost' } = headers;
  if (protocol === 'https') return `https://${host}/`;
  return port === undefined ? undefined : `https://${host.replace(/:\d*$/, '')}:${port}/`;
}
