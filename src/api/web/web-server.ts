import { join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../base/clock.js';
import { Fault, fault } from '../../base/fault.js';
import type { Account } from '../access/authenticator.js';
import type { Configurators } from '../access/accounts.js';
import { normalAddress } from '../../base/addresses.js';
import { anonymous, type Dispatcher } from '../rpc/dispatcher.js';
import { routeBackups, type BackupFiles } from './backup-routes.js';
import { routeClaim, type OwnerClaim } from './claim-routes.js';
import { routeAssets } from './assets.js';
import { routeIcons, type IconRouteContext } from './icon-routes.js';
import { routeInstall } from './install-routes.js';
import { routeMedia, type FrontMediaContext } from './front-media.js';
import { routeMonitoring, type MetricsAccess, type Monitoring } from './monitoring-routes.js';
import { routePush } from './push-routes.js';
import { routeTrust, type ListenerTrust } from './trust-routes.js';
import { routeSessions } from './session-routes.js';
import type { WebPush } from '../push/web-push.js';
import type { WebHandler } from '../http/listener.js';
import { errorResponse } from '../http/error-response.js';
import {
  sendChallenge,
  isSignedIn,
  METHODS,
  sendPage,
  sendPlainText,
  sendFile,
  type Page,
} from './web-files.js';
import { PACKAGE_ROOT } from '../../base/package-root.js';

/** One entry of `WFC_GetConfigurators` (interface, decision 1), as the pages show it. */
interface ConfiguratorCard {
  readonly ID: number;
  readonly Title: string;
  readonly Icon: string;
  readonly PasswordRequired: boolean;
}

/** Where a page was requested, as its policy names it. */
interface PageAddress {
  readonly host: string;
  readonly isTls: boolean;
}

/** The pages of the web front, from `front/`. */
export interface Pages {
  /** Links to the fronts and the console. */
  start(configurators: readonly ConfiguratorCard[], languages: string): Page;
  /** The owner's console; for a gateway without an owner's password, the page that sets it. */
  console(isUnclaimed: boolean, address: PageAddress): Promise<Page>;
  /** The front of a configurator. */
  front(configurator: ConfiguratorCard, address: PageAddress): Promise<Page>;
  /** How a device trusts the gateway. */
  trust(
    facts: Pick<ListenerTrust, 'authority'> & { readonly secureUrl: string | undefined },
    reader: { readonly languages: string; readonly agent: string },
  ): Promise<Page>;
  /** Why a host name is not allowed. */
  rejectedHost(
    facts: { readonly name: string; readonly address: string },
    reader: { readonly languages: string },
  ): Promise<Page>;
  /** What a device needs to install a page. */
  manifest(page: { readonly title: string; readonly base: string }): object;
  /** The directory of the programs for browsers. */
  readonly assets: string;
}

/** What a web server serves in addition to the API. */
export type ServedContent = 'front' | { readonly directory: string };

export interface WebContext extends FrontMediaContext, IconRouteContext {
  readonly dispatcher: Dispatcher;
  readonly pages: Pages;
  readonly trust: () => ListenerTrust;
  readonly push: WebPush;
  readonly claim?: OwnerClaim;
  readonly backups?: BackupFiles;
  readonly clock: Pick<Clock, 'after'>;
  readonly monitoring?: Monitoring;
  readonly metricsAccess: () => MetricsAccess | undefined;
}

interface WebOptions {
  /** Undefined: only what every listener has. */
  readonly serve: ServedContent | undefined;
  /** Rule 6: for the `user` folder where the front is served, for everything otherwise; never for the API. */
  readonly basicAuth: Account | undefined;
}

/** The client package, as built. */
const CLIENT = `${PACKAGE_ROOT}dist/client`;
/** The folder of the data directory that is shared by all who use the front. */
const USER = 'user';

/**
 * Creates the handler of one web server for everything except the API. Fastify is loaded by the first call:
 * a gateway without pages does not load it.
 */
export async function openWeb(context: WebContext, { serve, basicAuth }: WebOptions): Promise<WebHandler> {
  const { fastify } = await import('fastify');
  const app = fastify({ logger: false, forceCloseConnections: false, exposeHeadRoutes: false });
  // Fastify would buffer 1 MiB of each body before it replies that there is no such page.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _body, done) => done(null));
  // Where there are no pages, programs expect the API's reply.
  const missing = errorResponse(fault('NOT_FOUND')).body;
  app.setNotFoundHandler((_request, reply) =>
    serve === undefined
      ? reply.code(404).type('application/json').send(missing)
      : sendPlainText(reply, 404, 'Not found\n'),
  );
  app.setErrorHandler((thrown, _request, reply) => fail(reply, thrown));
  app.addHook('onSend', async (_request, reply) => {
    reply.header('X-Content-Type-Options', 'nosniff').header('Referrer-Policy', 'no-referrer');
  });
  routeSessions(app, context);
  routeClaim(app, context);
  routeBackups(app, context);
  routeTrust(app, context);
  routePush(app, context);
  routeMonitoring(app, context);
  if (typeof serve !== 'object') {
    routeMedia(app, context);
    routeIcons(app, context);
    routePages(app, context);
    routeAssets(app, context.pages.assets);
  }
  if (serve === 'front') {
    routeClient(app);
    routeFiles(app, { context, basicAuth, prefix: `/${USER}`, directory: join(context.directory, USER) });
  } else if (serve !== undefined) {
    routeFiles(app, { context, basicAuth, prefix: '', directory: serve.directory });
  }
  await app.ready();
  return (request, response) => app.routing(request, response);
}

function routePages(app: FastifyInstance, { dispatcher, configurators, pages, claim }: WebContext): void {
  const isUnclaimed = () => claim?.code() !== undefined;
  const cards = async (remote: string) =>
    (await dispatcher.call('WFC_GetConfigurators', [], anonymous(remote))) as ConfiguratorCard[];
  const cardOf = async (id: string | undefined, remote: string) =>
    (await cards(remote)).find(({ ID }) => String(ID) === id);
  routeInstall(app, { pages, titleOf: async (id, remote) => (await cardOf(id, remote))?.Title });
  app.route({
    method: [...METHODS],
    url: '/',
    handler: async (request, reply) => {
      const configuratorId = autostart(configurators, request.ip);
      if (configuratorId !== undefined) return reply.redirect(`/wfc/${configuratorId}/`, 302);
      if (isUnclaimed()) return reply.redirect('/console/', 302);
      return sendPage(reply, pages.start(await cards(request.ip), request.headers['accept-language'] ?? ''));
    },
  });
  app.route<{ Params: { id: string } }>({
    method: [...METHODS],
    url: '/wfc/:id/',
    handler: async (request, reply) => {
      const card = await cardOf(request.params.id, request.ip);
      if (card === undefined) return reply.callNotFound();
      return sendPage(reply, await pages.front(card, addressOf(request)));
    },
  });
  app.route({
    method: [...METHODS],
    url: '/console/',
    handler: async (request, reply) =>
      sendPage(reply, await pages.console(isUnclaimed(), addressOf(request))),
  });
}

function addressOf({ headers, protocol }: FastifyRequest): PageAddress {
  return { host: headers.host ?? 'localhost', isTls: protocol === 'https' };
}

/** The typed client as one file, for pages of users (`import { Client } from '/client.js'`). */
function routeClient(app: FastifyInstance): void {
  app.route({
    method: [...METHODS],
    url: '/client.js',
    handler: (request, reply) =>
      sendFile(request, reply, { directory: CLIENT, path: '/client.js', isUnversioned: true }),
  });
}

/** The configurator that browsers at this address go straight to. */
function autostart(configurators: Configurators, remote: string): number | undefined {
  const address = normalAddress(remote);
  for (const { id, autostart: addresses } of configurators.all())
    if (addresses.some((one) => normalAddress(one) === address)) return id;
  return undefined;
}

interface Files {
  readonly context: WebContext;
  readonly basicAuth: Account | undefined;
  readonly prefix: string;
  readonly directory: string;
}

function routeFiles(app: FastifyInstance, { context, basicAuth, prefix, directory }: Files): void {
  app.route<{ Params: { '*': string } }>({
    method: [...METHODS],
    url: `${prefix}/*`,
    handler: async (request, reply) => {
      if (basicAuth !== undefined && !(await isSignedIn(context.access, basicAuth, request)))
        return sendChallenge(reply, 'stellwerk files');
      // One slash at the front: `//host` in a redirect would be another host.
      const path = (request.raw.url ?? '').replace(/\?.*$/s, '').slice(prefix.length).replace(/^\/+/, '/');
      return sendFile(request, reply, { directory, path, prefix });
    },
  });
}

/** Sends the status of a fault; other errors are not shown to the client. */
function fail(reply: FastifyReply, thrown: unknown): FastifyReply {
  const status = thrown instanceof Fault ? errorResponse(thrown).status : 404;
  return sendPlainText(reply, status, thrown instanceof Fault ? `${thrown.message}\n` : 'Not found\n');
}
