import { realpath } from 'node:fs/promises';
import { sep } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Account, Authenticator } from '../access/authenticator.js';
import { readAuthorization, TOKEN } from '../access/credentials.js';
import { isFromScript } from '../http/error-response.js';

/** The methods for pages and files. */
export const METHODS = ['GET', 'HEAD'] as const;

/** The file to send. */
interface FileRequest {
  /** Nothing outside this directory is served, even through `..` or symbolic links. */
  readonly directory: string;
  /** The path in the directory as it appears in a URL: `/plan.txt`. */
  readonly path: string;
  /** The URL prefix of the directory; if undefined, only files are served, no directory index. */
  readonly prefix?: string;
  /** Replace the headers of a file that is sent. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * A file of the program, without a hash in its name. All versions have the same modification time, so that
   * neither it nor the entity tag (size and time) shows whether the file has changed.
   */
  readonly isUnversioned?: boolean;
}

/**
 * Replies with a file (ranges and conditional requests are supported) or with 404.
 */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { directory, path, prefix, headers = {}, isUnversioned = false }: FileRequest,
): Promise<FastifyReply> {
  const { send } = await import('@fastify/send');
  // An unreadable directory has no files.
  const root = await realpath(directory).catch(() => undefined);
  if (root === undefined) return sendPlainText(reply, 404, 'Not found\n');
  const sent = await send(request.raw, path, {
    root,
    dotfiles: 'ignore',
    index: prefix === undefined ? false : 'index.html',
    cacheControl: false,
    etag: !isUnversioned,
    lastModified: !isUnversioned,
    onFile: async (file, stat) => {
      // A symbolic link may point anywhere, and reading a pipe would block a thread indefinitely.
      if (!stat.isFile() || !(await realpath(file)).startsWith(root + sep))
        throw new Error('not a file of the directory');
    },
  });
  if (sent.type === 'directory' && prefix !== undefined) return reply.redirect(`${prefix}${path}/`, 301);
  if (sent.type !== 'file')
    return sendPlainText(reply, sent.type === 'error' ? sent.statusCode : 404, 'Not found\n');
  return reply
    .code(sent.statusCode)
    .headers(sent.headers)
    .header('Cache-Control', 'no-cache')
    .headers(headers)
    .send(sent.stream);
}

/**
 * Verifies the login in the headers, or a temporary token in the URL, because a page cannot send other
 * credentials with its images.
 */
export async function isSignedIn(
  access: Authenticator,
  account: Account,
  request: FastifyRequest,
): Promise<boolean> {
  const { headers, ip: remote, query } = request;
  const { token } = query as { readonly token?: unknown };
  const login =
    typeof token === 'string'
      ? { username: TOKEN, password: token }
      : readAuthorization(headers.authorization);
  return login !== undefined && access.verify(account, login, { remote, socket: request.raw.socket });
}

/** Makes a browser prompt for a name and a password, unless one of its scripts sent the request. */
export function sendChallenge(reply: FastifyReply, realm: string): FastifyReply {
  if (!isFromScript(reply.request.headers))
    reply.header('WWW-Authenticate', `Basic realm="${realm}", charset="UTF-8"`);
  return sendPlainText(reply, 401, 'A user name and a password are required\n');
}

/** A page with the policy it needs (Content-Security-Policy). */
export interface Page {
  readonly html: string;
  readonly policy: string;
}

/** Replies with a page. */
export function sendPage(reply: FastifyReply, { html, policy }: Page): FastifyReply {
  return reply
    .header('Content-Security-Policy', policy)
    .header('Cache-Control', 'no-cache')
    .type('text/html; charset=utf-8')
    .send(html);
}

/** Replies with a line of text. */
export function sendPlainText(reply: FastifyReply, status: number, text: string): FastifyReply {
  return reply.code(status).type('text/plain; charset=utf-8').send(text);
}
