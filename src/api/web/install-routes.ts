import type { FastifyInstance } from 'fastify';
import { METHODS, sendFile } from './web-files.js';
import type { Pages } from './web-server.js';

interface InstallRouteContext {
  readonly pages: Pick<Pages, 'manifest' | 'assets'>;
  /** The title of a configurator; undefined if there is none with this ID. */
  readonly titleOf: (id: string | undefined, remote: string) => Promise<string | undefined>;
}

/**
 * What makes the pages installable: the web manifest and the service worker, both next to the page, because
 * a worker controls nothing above itself. They need no credentials: browsers send none with a manifest.
 */
export function routeInstall(app: FastifyInstance, { pages, titleOf }: InstallRouteContext): void {
  const programs = [
    { url: '/wfc/:id/', program: 'resident', title: titleOf },
    { url: '/console/', program: 'console', title: async () => 'stellwerk' },
  ] as const;
  for (const { url, program, title } of programs) {
    app.route<{ Params: { id?: string } }>({
      method: [...METHODS],
      url: `${url}manifest.webmanifest`,
      handler: async (request, reply) => {
        const name = await title(request.params.id, request.ip);
        if (name === undefined) return reply.callNotFound();
        const base = url.replace(':id', request.params.id ?? '');
        const manifest = JSON.stringify(pages.manifest({ title: name, base }));
        return reply.header('Cache-Control', 'no-cache').type('application/manifest+json').send(manifest);
      },
    });
    app.route<{ Params: { id?: string } }>({
      method: [...METHODS],
      url: `${url}worker.js`,
      handler: async (request, reply) => {
        if ((await title(request.params.id, request.ip)) === undefined) return reply.callNotFound();
        return sendFile(request, reply, {
          directory: pages.assets,
          path: `/worker-${program}.js`,
          isUnversioned: true,
        });
      },
    });
  }
}
