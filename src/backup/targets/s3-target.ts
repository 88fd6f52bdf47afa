import { basename } from 'node:path/posix';
import { exchangeHttp, httpFailure, xmlTexts, type HttpResponse } from './http-exchange.js';
import { encodeS3, signS3, type S3Credentials } from './s3-signature.js';
import type { BackupTarget } from './backup-target.js';

/** Where and how a bucket is reached. */
export interface S3Options extends S3Credentials {
  readonly endpoint: string;
  readonly bucket: string;
  /** The beginning of all keys. */
  readonly prefix?: string | undefined;
  readonly ca?: string | undefined;
}

const NO_SUCH_KEY = 404;

/** A bucket of a service with the interface of S3, addressed by path. */
export class S3Target implements BackupTarget {
  readonly #options: S3Options;
  readonly #signal: AbortSignal;
  readonly #nowMs: () => number;

  constructor(options: S3Options, signal: AbortSignal, nowMs: () => number) {
    this.#options = options;
    this.#signal = signal;
    this.#nowMs = nowMs;
  }

  async put(path: string, content: Uint8Array): Promise<void> {
    const response = await this.#send('PUT', this.#keyOf(path), { body: content });
    if (response.status !== 200) throw this.#failure('PUT', response);
  }

  async get(path: string): Promise<Buffer | undefined> {
    const response = await this.#send('GET', this.#keyOf(path));
    if (response.status === NO_SUCH_KEY && xmlTexts(response.body.toString(), 'Code')[0] !== 'NoSuchBucket')
      return undefined;
    if (response.status !== 200) throw this.#failure('GET', response);
    return response.body;
  }

  async list(folder: string): Promise<readonly string[]> {
    const prefix = this.#keyOf(`${folder}/`);
    const names: string[] = [];
    let token: string | undefined;
    do {
      const query = { 'list-type': '2', prefix, ...(token !== undefined && { 'continuation-token': token }) };
      const response = await this.#send('GET', '', { query });
      if (response.status !== 200) throw this.#failure('GET', response);
      const document = response.body.toString('utf8');
      for (const key of xmlTexts(document, 'Key')) if (key.startsWith(prefix)) names.push(basename(key));
      token = xmlTexts(document, 'NextContinuationToken')[0];
    } while (token !== undefined);
    return names;
  }

  async delete(path: string): Promise<void> {
    const response = await this.#send('DELETE', this.#keyOf(path));
    if (![200, 204, NO_SUCH_KEY].includes(response.status)) throw this.#failure('DELETE', response);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Each request has a connection of its own.
  }

  #keyOf(path: string): string {
    const { prefix = '' } = this.#options;
    return prefix === '' ? path : `${prefix.replace(/\/+$/, '')}/${path}`;
  }

  #send(
    method: string,
    key: string,
    { query = {}, body = Buffer.alloc(0) }: { query?: Record<string, string>; body?: Uint8Array } = {},
  ): Promise<HttpResponse> {
    const { endpoint, bucket, ca } = this.#options;
    const url = new URL(endpoint);
    const parts = [...url.pathname.split('/'), bucket, ...key.split('/')].filter((part) => part !== '');
    url.pathname = `/${parts.map(encodeS3).join('/')}`;
    url.search = Object.entries(query)
      .map(([name, value]) => `${encodeS3(name)}=${encodeS3(value)}`)
      .join('&');
    const headers = signS3({ method, url, body }, this.#options, this.#nowMs());
    return exchangeHttp({ method, url, headers, body, ca, signal: this.#signal });
  }

  #failure(what: string, { status, body }: HttpResponse) {
    const [code = '', text = ''] = ['Code', 'Message'].map((name) => xmlTexts(body.toString(), name)[0]);
    return httpFailure(new URL(this.#options.endpoint), what, {
      status,
      detail: [code, text].filter(Boolean).join(': '),
    });
  }
}
