import type { FastifyInstance } from 'fastify';
import type { Authenticator } from '../access/authenticator.js';
import type { Secret } from '../access/credentials.js';
import { TOKEN, readAuthorization } from '../access/credentials.js';
import { isDirectLocalRequest } from '../http/origin-policy.js';
import { METHODS, sendPlainText } from './web-files.js';

/** Who may read the metrics: `metrics` in the configuration. */
export interface MetricsAccess {
  readonly secret: Secret | undefined;
  /** Whether requests of this machine need no password. */
  readonly isOpenLocally: boolean;
}

/** Whether the gateway is ready, and its checks by name. */
export interface Readiness {
  readonly isReady: boolean;
  readonly checks: readonly { readonly name: string; readonly state: 'ok' | 'warning' | 'failed' }[];
}

export interface Monitoring {
  readonly readiness: () => Readiness;
  /** The metrics as text, with its content type. */
  readonly metrics: () => { readonly text: string; readonly type: string };
}

interface MonitoringContext {
  readonly access: Authenticator;
  readonly monitoring?: Monitoring;
  /** Undefined: there are no metrics. */
  readonly metricsAccess: () => MetricsAccess | undefined;
}

/** The user name of a program that reads the metrics with Basic authentication. */
const METRICS_USER = 'metrics';
const STATES = { ok: 'pass', warning: 'warn', failed: 'fail' } as const;

/** `/metrics`, and `/health/ready` (draft-inadarei-api-health-check-06). */
export function routeMonitoring(app: FastifyInstance, context: MonitoringContext): void {
  const { monitoring } = context;
  if (monitoring === undefined) return;
  app.route({
    method: [...METHODS],
    url: '/health/ready',
    handler: async (_request, reply) => {
      const { isReady, checks } = monitoring.readiness();
      const isWell = checks.every(({ state }) => state === 'ok');
      const body = {
        status: !isReady ? 'fail' : isWell ? 'pass' : 'warn',
        checks: Object.fromEntries(checks.map(({ name, state }) => [name, [{ status: STATES[state] }]])),
      };
      return reply
        .code(isReady ? 200 : 503)
        .header('Cache-Control', 'no-store')
        .type('application/health+json')
        .send(JSON.stringify(body));
    },
  });
  app.route({
    method: [...METHODS],
    url: '/metrics',
    handler: async (request, reply) => {
      const allowed = context.metricsAccess();
      if (allowed === undefined) return reply.callNotFound();
      if (!allowed.isOpenLocally || !isDirectLocalRequest(request.raw)) {
        const login = readAuthorization(request.headers.authorization);
        const account = { name: METRICS_USER, username: METRICS_USER, secret: allowed.secret };
        const given =
          login?.username === TOKEN ? { username: METRICS_USER, password: login.password } : login;
        const origin = { remote: request.ip, socket: request.raw.socket };
        if (given === undefined || !(await context.access.verify(account, given, origin)))
          return sendPlainText(
            reply.header('WWW-Authenticate', 'Bearer realm="stellwerk metrics"'),
            401,
            'The password of metrics is required, as a bearer token\n',
          );
      }
      const { text, type } = monitoring.metrics();
      return reply.header('Cache-Control', 'no-store').type(type).send(text);
    },
  });
}
