import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server for tests that keeps files in memory. */
export interface FileServer {
  readonly url: string;
  /** The files by path. */
  readonly files: Map<string, Buffer>;
  /** Replies with this status to all requests while it is set. */
  failWith: number | undefined;
  /** The requests, as `METHOD PATH`. */
  readonly requests: string[];
}

interface TestCase {
  teardown(close: () => Promise<void>): unknown;
}

type Respond = (
  request: IncomingMessage,
  body: Buffer,
  files: Map<string, Buffer>,
) => {
  readonly status: number;
  readonly body?: string | Buffer;
};

async function start(t: TestCase, respond: Respond): Promise<FileServer> {
  const files = new Map<string, Buffer>();
  const requests: string[] = [];
  const handle: RequestListener = (request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      requests.push(`${request.method} ${request.url}`);
      const { status, body = '' } =
        fixture.failWith === undefined
          ? respond(request, Buffer.concat(parts), files)
          : { status: fixture.failWith };
      response.writeHead(status).end(body);
    });
  };
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fixture: FileServer = { url, files, failWith: undefined, requests };
  t.teardown(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return fixture;
}

/** A WebDAV server (RFC 4918) with one user, whose folders must be made before files are put into them. */
export async function webdavServer(t: TestCase): Promise<FileServer> {
  const folders = new Set(['/dav/']);
  const parentOf = (path: string) => path.replace(/[^/]+\/?$/, '');
  const respond: Respond = (request, body, files) => {
    const { method, headers, url = '' } = request;
    const path = decodeURIComponent(url);
    if (headers.authorization !== `Basic ${Buffer.from('me:päss').toString('base64')}`)
      return { status: 401 };
    switch (method) {
      case 'MKCOL':
        if (folders.has(path)) return { status: 405 };
        if (!folders.has(parentOf(path))) return { status: 409 };
        folders.add(path);
        return { status: 201 };
      case 'PUT':
        if (!folders.has(parentOf(path))) return { status: 409 };
        files.set(path, body);
        return { status: 201 };
      case 'MOVE': {
        const content = files.get(path);
        if (content === undefined) return { status: 404 };
        files.delete(path);
        files.set(decodeURIComponent(new URL(String(headers['destination'])).pathname), content);
        return { status: 201 };
      }
      case 'GET':
        return files.has(path) ? { status: 200, body: files.get(path) ?? '' } : { status: 404 };
      case 'DELETE':
        return { status: files.delete(path) ? 204 : 404 };
      case 'PROPFIND': {
        if (!folders.has(path)) return { status: 404 };
        const inside = [path, ...files.keys(), ...folders].filter(
          (name) => name === path || parentOf(name) === path,
        );
        const entries = inside.map((name) => `<d:response><d:href>${encodeURI(name)}</d:href></d:response>`);
        return {
          status: 207,
          body: `<?xml version="1.0"?><d:multistatus xmlns:d="DAV:">${entries.join('')}</d:multistatus>`,
        };
      }
      default:
        return { status: 501 };
    }
  };
  return start(t, respond);
}

export const S3_KEYS = { accessKey: 'GATEWAY', secretKey: 'secret/key+', region: 'eu-test-1' };

/** A service with the interface of S3 and one bucket, which verifies signatures and lists two keys at a time. */
export async function s3Server(t: TestCase): Promise<FileServer> {
  const respond: Respond = (request, body, files) => {
    const problem = signatureProblem(request, body);
    if (problem !== undefined)
      return {
        status: 403,
        body: `<Error><Code>SignatureDoesNotMatch</Code><Message>${problem}</Message></Error>`,
      };
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://host');
    const path = decodeURIComponent(pathname);
    if (!path.startsWith('/bucket')) return { status: 404, body: '<Error><Code>NoSuchBucket</Code></Error>' };
    const key = path.slice('/bucket/'.length);
    if (request.method === 'PUT') {
      files.set(key, body);
      return { status: 200 };
    }
    if (request.method === 'DELETE') {
      files.delete(key);
      return { status: 204 };
    }
    if (key !== '')
      return files.has(key)
        ? { status: 200, body: files.get(key) ?? '' }
        : { status: 404, body: '<Error><Code>NoSuchKey</Code></Error>' };
    const after = searchParams.get('continuation-token') ?? '';
    const found = [...files.keys()]
      .filter((name) => name.startsWith(searchParams.get('prefix') ?? '') && name > after)
      .sort();
    const entries = found.slice(0, 2).map((name) => `<Contents><Key>${name}</Key></Contents>`);
    const next = found.length > 2 ? `<NextContinuationToken>${found[1]}</NextContinuationToken>` : '';
    return { status: 200, body: `<ListBucketResult>${entries.join('')}${next}</ListBucketResult>` };
  };
  return start(t, respond);
}

/** The difference of clocks that S3 allows, ms. */
const SKEW_MS = 15 * 60 * 1000;

/** Signature Version 4, written for the test from its specification; undefined if the signature is valid. */
function signatureProblem({ method, url = '', headers }: IncomingMessage, body: Buffer): string | undefined {
  const given =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    );
  if (given === null) return 'no authorization';
  const [, accessKey, date = '', region = '', names = '', signature] = given;
  const digest = createHash('sha256').update(body).digest('hex');
  if (headers['x-amz-content-sha256'] !== digest) return 'wrong digest of the content';
  const time = String(headers['x-amz-date']);
  if (accessKey !== S3_KEYS.accessKey || region !== S3_KEYS.region || !time.startsWith(date))
    return 'wrong scope';
  const ms = Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (!(Math.abs(Date.now() - ms) < SKEW_MS)) return 'wrong time';
  const [path, query = ''] = url.split('?');
  const lines = names.split(';').map((name) => `${name}:${String(headers[name])}`);
  const request = [method, path, query.split('&').sort().join('&'), ...lines, '', names, digest].join('\n');
  const hash = createHash('sha256').update(request).digest('hex');
  let key = Buffer.from(`AWS4${S3_KEYS.secretKey}`);
  for (const part of [date, region, 's3', 'aws4_request'])
    key = createHmac('sha256', key).update(part).digest();
  const text = `AWS4-HMAC-SHA256\n${time}\n${date}/${region}/s3/aws4_request\n${hash}`;
  return createHmac('sha256', key).update(text).digest('hex') === signature ? undefined : 'wrong signature';
}
