import { createDecipheriv, createECDH, hkdfSync, randomBytes, type ECDH } from 'node:crypto';
import { createServer, type Server } from 'node:https';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';
import { testCertificate } from '../test-certificate.js';

/** A request as the service received it. */
interface ReceivedPush {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A push service on loopback, with a certificate that `ca` verifies. */
export class PushService {
  readonly ca: string;
  readonly received: ReceivedPush[] = [];
  /** The responses to the next requests; afterwards 201. */
  readonly responses: { readonly status: number; readonly headers?: Record<string, string> }[] = [];
  readonly #server: Server;

  private constructor(server: Server, ca: string) {
    this.#server = server;
    this.ca = ca;
    server.on('request', (request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => void parts.push(part));
      request.on('end', () => {
        const { status, headers } = this.responses.shift() ?? { status: 201 };
        response.writeHead(status, headers).end();
        this.received.push({
          path: request.url ?? '',
          headers: request.headers,
          body: Buffer.concat(parts),
        });
      });
    });
  }

  static async start(t: Test): Promise<PushService> {
    const { certificate, key } = testCertificate('127.0.0.1');
    const server = createServer({ cert: certificate, key });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.teardown(() => {
      server.closeAllConnections();
      server.close();
    });
    return new PushService(server, certificate);
  }

  endpoint(path: string): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`;
  }
}

/** A browser that can read what is pushed to it (RFC 8291). */
export class PushReceiver {
  readonly #ecdh: ECDH = createECDH('prime256v1');
  readonly #auth = randomBytes(16);

  constructor() {
    this.#ecdh.generateKeys();
  }

  get keys(): { readonly p256dh: string; readonly auth: string } {
    const auth = this.#auth.toString('base64url');
    return { p256dh: this.#ecdh.getPublicKey('base64url'), auth };
  }

  /** The decrypted message. Throws if it is for another browser. */
  read(body: Buffer): unknown {
    const salt = body.subarray(0, 16);
    const length = body[20] ?? 0;
    const sender = body.subarray(21, 21 + length);
    const record = body.subarray(21 + length);
    const derive = (secret: Buffer, from: Buffer, [info, size]: readonly [Buffer, number]) =>
      Buffer.from(hkdfSync('sha256', secret, from, info, size));
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), this.#ecdh.getPublicKey(), sender]);
    const secret = derive(this.#ecdh.computeSecret(sender), this.#auth, [info, 32]);
    const key = derive(secret, salt, [Buffer.from('Content-Encoding: aes128gcm\0'), 16]);
    const nonce = derive(secret, salt, [Buffer.from('Content-Encoding: nonce\0'), 12]);
    const decipher = createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(record.subarray(-16));
    const plain = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
    return JSON.parse(plain.subarray(0, plain.lastIndexOf(2)).toString());
  }
}
