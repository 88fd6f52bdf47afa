import { createHash, createHmac } from 'node:crypto';

/** The keys of an account, and the region that its requests are signed for. */
export interface S3Credentials {
  readonly accessKey: string;
  readonly secretKey: string;
  readonly region: string;
}

/** A request to sign. */
interface S3Request {
  readonly method: string;
  readonly url: URL;
  readonly body: Uint8Array;
}

/**
 * The headers that authenticate a request with AWS Signature Version 4, with the digest of its body. The
 * path of the URL must be encoded as {@link encodeS3} does.
 */
export function signS3(
  { method, url, body }: S3Request,
  { accessKey, secretKey, region }: S3Credentials,
  nowMs: number,
): Record<string, string> {
  const time = `${new Date(nowMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
  const digest = sha256(body);
  const signed = { host: url.host, 'x-amz-content-sha256': digest, 'x-amz-date': time };
  const names = Object.keys(signed).join(';');
  const query = [...url.searchParams]
    .map(([name, value]) => `${encodeS3(name)}=${encodeS3(value)}`)
    .sort()
    .join('&');
  const headers = Object.entries(signed).map(([name, value]) => `${name}:${value}\n`);
  const canonical = [method, url.pathname, query, headers.join(''), names, digest].join('\n');
  const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
  const key = scope.split('/').reduce<Buffer | string>(hmac, `AWS4${secretKey}`);
  const signature = hmac(key, text).toString('hex');
  return {
    ...signed,
    Authorization: `AWS4-HMAC-SHA256 Credential=${accessKey}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

/** Encodes a segment of a path, or a part of a query, as the signature requires (RFC 3986, unreserved characters). */
export const encodeS3 = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');
const hmac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest();
