import type { FastifyInstance, FastifyRequest } from 'fastify';
import { METHODS, sendFile, sendPlainText } from './web-files.js';

/** The content type of each kind of file that the build makes. */
const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  webmanifest: 'application/manifest+json',
  ts: 'text/plain; charset=utf-8',
  json: 'application/json; charset=utf-8',
};
/** The content of a name with a hash never changes: browsers may keep it. */
const HASHED = /-[A-Z0-9]{8}(?:\.(?:d|schema))?\.\w+$/;
const COMPRESSED = /\.(?:js|css|svg|webmanifest|ts|json)$/;
const IMMUTABLE = 'public, max-age=31536000, immutable';

/**
 * The files of the programs for browsers, at `/front/NAME`: from disk, compressed by the build, in an
 * encoding that the browser accepts. They need no credentials.
 */
export function routeAssets(app: FastifyInstance, directory: string): void {
  app.route<{ Params: { name: string } }>({
    method: [...METHODS],
    url: '/front/:name',
    handler: async (request, reply) => {
      const { name } = request.params;
      const type = TYPES[/\.(\w+)$/.exec(name)?.[1] ?? ''];
      if (type === undefined || !/^[\w.-]+$/.test(name)) return sendPlainText(reply, 404, 'Not found\n');
      const isCompressed = COMPRESSED.test(name);
      const encoding = isCompressed ? acceptedEncoding(request) : undefined;
      const isHashed = HASHED.test(name);
      const suffix = encoding === undefined ? '' : encoding === 'br' ? '.br' : '.gz';
      return sendFile(request, reply, {
        directory,
        path: `/${name}${suffix}`,
        isUnversioned: !isHashed,
        headers: {
          'Content-Type': type,
          'Cache-Control': isHashed ? IMMUTABLE : 'no-cache',
          ...(isCompressed && { Vary: 'Accept-Encoding' }),
          ...(encoding !== undefined && { 'Content-Encoding': encoding }),
        },
      });
    },
  });
}

/** The smaller one of the encodings that the browser accepts (RFC 9110 §12.5.3); undefined: none. */
function acceptedEncoding({ headers }: FastifyRequest): 'br' | 'gzip' | undefined {
  const accepted = new Map(
    String(headers['accept-encoding'] ?? '')
      .split(',')
      .map((part) => {
        const [coding = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
        const quality = parameters.find((text) => text.startsWith('q='))?.slice(2);
        return [coding, Number(quality ?? 1)] as const;
      }),
  );
  const isAccepted = (coding: string) => (accepted.get(coding) ?? accepted.get('*') ?? 0) > 0;
  if (isAccepted('br')) return 'br';
  return isAccepted('gzip') ? 'gzip' : undefined;
}
