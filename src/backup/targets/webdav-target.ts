import { basename } from 'node:path/posix';
import { exchangeHttp, httpFailure, xmlTexts, type HttpResponse } from './http-exchange.js';
import type { BackupTarget } from './backup-target.js';

/** Where and how a WebDAV server is reached. */
export interface WebdavOptions {
  /** The folder of the backups. */
  readonly url: string;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly ca?: string | undefined;
}

const CREATED = new Set([200, 201, 204]);
const NO_SUCH_FILE = 404;
/** RFC 4918 §9.3: the folder exists already. */
const EXISTS = 405;
const MULTI_STATUS = 207;
/** RFC 4918 §9.7: a folder above does not exist. */
const CONFLICT = 409;
/** What servers reply to a file in a folder that does not exist. */
const MISSING = new Set([NO_SUCH_FILE, CONFLICT]);
const NO_FOLDER = 'the folder of the URL must exist';

/** A folder on a WebDAV server (RFC 4918), such as Nextcloud or a NAS. */
export class WebdavTarget implements BackupTarget {
  readonly #options: WebdavOptions;
  readonly #signal: AbortSignal;
  readonly #base: URL;
  /** The folders that exist. */
  readonly #folders = new Set<string>();

  constructor(options: WebdavOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
    this.#base = new URL(options.url.endsWith('/') ? options.url : `${options.url}/`);
  }

  async put(path: string, content: Uint8Array): Promise<void> {
    await this.#makeFolders(path);
    // Servers replace a file only when it is complete; a temporary name makes this independent of the server.
    const { status } = await this.#send('PUT', `${path}.new`, { body: content });
    if (!CREATED.has(status)) throw this.#failure('PUT', status, MISSING.has(status) ? NO_FOLDER : '');
    const moved = await this.#send('MOVE', `${path}.new`, {
      headers: { Destination: new URL(path, this.#base).href, Overwrite: 'T' },
    });
    if (!CREATED.has(moved.status)) throw this.#failure('MOVE', moved.status);
  }

  async get(path: string): Promise<Buffer | undefined> {
    const { status, body } = await this.#send('GET', path);
    if (status === NO_SUCH_FILE) return undefined;
    if (status !== 200) throw this.#failure('GET', status);
    return body;
  }

  async list(folder: string): Promise<readonly string[]> {
    const { status, body } = await this.#send('PROPFIND', `${folder}/`, {
      headers: { Depth: '1', 'Content-Type': 'application/xml' },
      body: Buffer.from(
        '<?xml version="1.0"?><propfind xmlns="DAV:"><prop><resourcetype/></prop></propfind>',
      ),
    });
    if (status === NO_SUCH_FILE) return [];
    if (status !== MULTI_STATUS) throw this.#failure('PROPFIND', status);
    const own = new URL(`${folder}/`, this.#base).pathname;
    return xmlTexts(body.toString('utf8'), 'href')
      .map((href) => new URL(href, this.#base).pathname)
      .filter((path) => path.startsWith(own) && path !== own)
      .map((path) => decodeURIComponent(basename(path)));
  }

  async delete(path: string): Promise<void> {
    const { status } = await this.#send('DELETE', path);
    if (!CREATED.has(status) && status !== NO_SUCH_FILE) throw this.#failure('DELETE', status);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Each request has a connection of its own.
  }

  async #makeFolders(path: string): Promise<void> {
    const parts = path.split('/').slice(0, -1);
    for (let depth = 1; depth <= parts.length; depth++) {
      const folder = parts.slice(0, depth).join('/');
      if (this.#folders.has(folder)) continue;
      const { status } = await this.#send('MKCOL', `${folder}/`);
      if (!CREATED.has(status) && status !== EXISTS)
        throw this.#failure('MKCOL', status, status === CONFLICT ? NO_FOLDER : '');
      this.#folders.add(folder);
    }
  }

  #send(
    method: string,
    path: string,
    { headers = {}, body }: { headers?: Readonly<Record<string, string>>; body?: Uint8Array } = {},
  ): Promise<HttpResponse> {
    const { username, password = '', ca } = this.#options;
    const basic = Buffer.from(`${username ?? ''}:${password}`).toString('base64');
    return exchangeHttp({
      method,
      url: new URL(path, this.#base),
      headers: { ...(username !== undefined && { Authorization: `Basic ${basic}` }), ...headers },
      ...(body && { body }),
      ca,
      signal: this.#signal,
    });
  }

  #failure(what: string, status: number, detail = '') {
    return httpFailure(this.#base, what, { status, detail });
  }
}
