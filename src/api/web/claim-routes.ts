import { coded } from '../../base/codes/coded-text.js';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../base/clock.js';
import { fault } from '../../base/fault.js';
import { PASSWORD_LENGTH } from '../../base/credentials/password-hash.js';
import { WEBFRONT } from '../access/accounts.js';
import type { Account, Authenticator } from '../access/authenticator.js';
import { remoteOf } from '../http/exchange.js';
import { uploadOf } from '../http/upload.js';
import { checkOwnPage, readTexts, sendError } from './session-routes.js';

/** The owner's credentials, as somebody with the claim code sets them. */
export interface ClaimedAccess {
  readonly username: string;
  readonly password: string;
  /** Further settings by their keys in a set-up file, as typed. */
  readonly settings: Readonly<Partial<Record<string, string>>>;
  readonly remote: string;
}

/** What the first page shows to somebody with the claim code: the present settings, and the network. */
interface ClaimFacts {
  readonly settings: Readonly<Record<string, string | undefined>>;
  /** The name of the machine in the network. */
  readonly hostName: string;
  readonly addresses: readonly string[];
}

/** What somebody with the claim code restores instead: an entry of `backup.targets` as JSON, and its key. */
export interface ClaimedRestore {
  readonly target: string;
  readonly key: string;
  readonly remote: string;
}

/** A gateway without an owner's password; implemented by the composition. */
export interface OwnerClaim {
  /** The code that the machine's console shows; undefined once the owner has a password. */
  code(): string | undefined;
  /** The settings as they are, and the network. */
  facts(): Promise<ClaimFacts>;
  /** Sets the owner's credentials. Throws `NOT_FOUND` if there are some by now, `CONFIGURATION_INVALID`. */
  set(access: ClaimedAccess): Promise<void>;
  /** Fetches the newest backup of a target, which the next start restores. Throws as the fetch does. */
  restore(given: ClaimedRestore): Promise<void>;
  /** Stores and verifies a backup's file, which the next start restores. Throws `INVALID_REQUEST`. */
  receive(content: Readable, remote: string): Promise<void>;
  /** Ends the gateway, so that it restores the backup at its next start. */
  restart(): void;
}

interface ClaimRouteContext {
  readonly access: Authenticator;
  readonly claim?: OwnerClaim;
  readonly clock: Pick<Clock, 'after'>;
}

/** The user name of the throttled login whose password is the code. */
const CLAIM = 'claim';
/** The header with the code, where the body is a file. */
const CODE_HEADER = 'stellwerk-claim';
/** What a user name may be: HTTP's Basic credentials cannot express a colon. */
const USERNAME = /^[^:\p{Cc}]{1,64}$/u;
/** The settings that can be given with the first password. */
const SETTINGS = ['hostname', 'language', 'timezone', 'latitude', 'longitude'] as const;

/**
 * `/console/claim`: GET is 204 while the owner has no password, and POST with the code sets the first one.
 * POST to `/console/claim/facts` with the code returns the settings and the network, and to
 * `/console/claim/restore` restores a backup of another box. PUT to `/console/claim/backup` restores the file
 * of one. All are 404 afterwards. Guessing is throttled as for a login.
 */
export function routeClaim(app: FastifyInstance, { access, claim, clock }: ClaimRouteContext): void {
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
  app.post('/console/claim/facts', async (request, reply) => {
    try {
      await readClaimed(request.raw, { access, code: codeNow() }, []);
      return await reply.header('Cache-Control', 'no-store').send(await claim?.facts());
    } catch (thrown) {
      return sendError({ request: request.raw, reply }, thrown);
    }
  });
  app.put('/console/claim/backup', async (request, reply) => {
    try {
      const { raw } = request;
      checkOwnPage(raw);
      const given = raw.headers[CODE_HEADER];
      await checkCode(raw, { access, code: codeNow() }, typeof given === 'string' ? given : '');
      await claim?.receive(uploadOf(raw, clock), remoteOf(raw.socket));
      restartAfter(reply, claim);
      return await reply.header('Cache-Control', 'no-store').code(204).send();
    } catch (thrown) {
      // What is left of a rejected upload is not read.
      reply.header('Connection', 'close');
      return sendError({ request: request.raw, reply }, thrown);
    }
  });
  app.post('/console/claim/restore', async (request, reply) => {
    try {
      const { raw } = request;
      const { target = '', key = '' } = await readClaimed(raw, { access, code: codeNow() }, [
        'target',
        'key',
      ]);
      await claim?.restore({ target, key, remote: remoteOf(raw.socket) });
      restartAfter(reply, claim);
      return await reply.header('Cache-Control', 'no-store').code(204).send();
    } catch (thrown) {
      return sendError({ request: request.raw, reply }, thrown);
    }
  });
}

/** Restarts after the reply, or if its connection is gone: a phone does not wait for minutes until a backup is here. */
function restartAfter({ raw }: FastifyReply, claim: OwnerClaim | undefined): void {
  if (raw.destroyed) claim?.restart();
  else raw.once('close', () => claim?.restart());
}

/** Reads the texts of a request and verifies its code. Throws `UNAUTHORIZED`. */
async function readClaimed<K extends string>(
  request: FastifyRequest['raw'],
  { access, code }: { readonly access: Authenticator; readonly code: string },
  names: readonly K[],
): Promise<Partial<Record<K, string>>> {
  checkOwnPage(request);
  const given = await readTexts<K | 'code'>(request, ['code', ...names]);
  await checkCode(request, { access, code }, given.code ?? '');
  return given;
}

/** Verifies a code as somebody typed it. Throws `UNAUTHORIZED`. */
async function checkCode(
  request: FastifyRequest['raw'],
  { access, code }: { readonly access: Authenticator; readonly code: string },
  given: string,
): Promise<void> {
  const account: Account = { name: CLAIM, username: CLAIM, secret: { password: code } };
  // As people copy it: in groups, in small letters.
  const typed = given.replace(/[\s-]/g, '').toUpperCase();
  const login = { username: CLAIM, password: typed };
  const from = { remote: remoteOf(request.socket), socket: request.socket };
  if (!(await access.verify(account, login, from))) throw fault('UNAUTHORIZED');
}

async function claimedBy(
  request: FastifyRequest['raw'],
  access: Authenticator,
  code: string,
): Promise<ClaimedAccess> {
  const given = await readClaimed(request, { access, code }, ['username', 'password', ...SETTINGS]);
  const { username = '', password = '', ...settings } = given;
  if (!USERNAME.test(username) || username === WEBFRONT)
    throw fault(
      'INVALID_REQUEST',
      coded`USER_NAME_RULES: username must be 1 to 64 characters, without a colon, and not webfront`,
    );
  if (password.length < PASSWORD_LENGTH)
    throw fault(
      'INVALID_REQUEST',
      coded`PASSWORD_TOO_SHORT: password must have at least ${PASSWORD_LENGTH} characters`,
    );
  return { username, password, settings, remote: remoteOf(request.socket) };
}
