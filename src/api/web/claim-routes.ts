import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Fault, fault } from '../../base/fault.js';
import { PASSWORD_LENGTH } from '../../base/password-hash.js';
import { WEBFRONT } from '../access/accounts.js';
import type { Account, Authenticator } from '../access/authenticator.js';
import { remoteOf } from '../http/exchange.js';
import { checkOwnPage, readTexts, sendError } from './session-routes.js';

/** The owner's credentials, as somebody with the claim code sets them. */
export interface ClaimedAccess {
  readonly username: string;
  readonly password: string;
  readonly remote: string;
}

/** A gateway without an owner's password; implemented by the composition. */
export interface OwnerClaim {
  /** The code that the machine's console shows; undefined once the owner has a password. */
  code(): string | undefined;
  /** Sets the owner's credentials. Throws `NOT_FOUND` if there are some by now, `CONFIGURATION_INVALID`. */
  set(access: ClaimedAccess): Promise<void>;
}

interface ClaimRouteContext {
  readonly access: Authenticator;
  readonly claim?: OwnerClaim;
}

/** The user name of the throttled login whose password is the code. */
const CLAIM = 'claim';
/** What a user name may be: HTTP's Basic credentials cannot express a colon. */
const USERNAME = /^[^:\p{Cc}]{1,64}$/u;

/**
 * `/console/claim`: GET is 204 while the owner has no password, and POST with the code sets the first one.
 * Both are 404 afterwards. Guessing is throttled as for a login.
 */
export function routeClaim(app: FastifyInstance, { access, claim }: ClaimRouteContext): void {
  const codeNow = () => {
    const code = claim?.code();
    if (code === undefined) throw fault('NOT_FOUND');
    return code;
  };
  for (const method of ['GET', 'POST'])
    app.route({
      method,
      url: '/console/claim',
      handler: async (request, reply) => {
        try {
          const code = codeNow();
          if (method === 'POST') await claim?.set(await claimedBy(request.raw, access, code));
          return await reply.header('Cache-Control', 'no-store').code(204).send();
        } catch (thrown) {
          return sendError({ request: request.raw, reply }, thrown);
        }
      },
    });
}

async function claimedBy(
  request: FastifyRequest['raw'],
  access: Authenticator,
  code: string,
): Promise<ClaimedAccess> {
  checkOwnPage(request);
  const given = await readTexts(request, ['code', 'username', 'password']);
  const { username = '', password = '' } = given;
  const remote = remoteOf(request.socket);
  const account: Account = { name: CLAIM, username: CLAIM, secret: { password: code } };
  // As people copy it: in groups, in small letters.
  const typed = (given.code ?? '').replace(/[\s-]/g, '').toUpperCase();
  const login = { username: CLAIM, password: typed };
  if (!(await access.verify(account, login, { remote, socket: request.socket }))) throw fault('UNAUTHORIZED');
  if (!USERNAME.test(username) || username === WEBFRONT)
    throw fault('INVALID_REQUEST', 'username must be 1 to 64 characters, without a colon, and not webfront');
  if (password.length < PASSWORD_LENGTH)
    throw new Fault('INVALID_REQUEST', `password must have at least ${PASSWORD_LENGTH} characters`);
  return { username, password, remote };
}
