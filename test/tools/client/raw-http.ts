import { type Socket, connect } from 'node:net';
import { withinPatience } from '../until.js';

/** An HTTP response as received. Header names are in lower case; repeated ones are joined by ", ". */
export interface RawResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/**
 * A TCP connection that sends exactly the bytes of a test: partial requests, slow bodies, headers that no
 * client would send. Errors of the connection (a reset, a broken pipe) count as its end.
 */
export class RawConnection implements AsyncDisposable {
  readonly socket: Socket;
  /** Resolves when the peer has closed the connection. */
  readonly closed: Promise<void>;
  #received: Buffer[] = [];
  #length = 0;
  #over = false;
  #changed = Promise.withResolvers<void>();

  private constructor(socket: Socket) {
    this.socket = socket;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    const over = () => {
      this.#over = true;
      this.#wake();
      resolve();
    };
    socket.on('data', (data: Buffer) => {
      this.#received.push(data);
      this.#length += data.length;
      this.#wake();
    });
    socket.on('error', over);
    socket.on('end', over);
    socket.on('close', over);
  }

  /** `from` is the local address: any of 127.0.0.0/8, so that a test can be many clients. */
  static async open(port: number, from?: string): Promise<RawConnection> {
    // A chosen address is bound first, and the kernel finds a free port for that slowly.
    const local = from === undefined ? {} : { localAddress: from };
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true, ...local });
    await withinPatience(
      'a connection',
      new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject)),
    );
    return new RawConnection(socket);
  }

  write(bytes: string | Buffer): void {
    if (this.socket.writable) this.socket.write(bytes);
  }

  /** Closes the sending direction, and continues to receive. */
  end(): void {
    this.socket.end();
  }

  /** True when the peer has closed the connection and all received data has been read. */
  get isFinished(): boolean {
    return this.#over && this.#length === 0;
  }

  /** The next `length` bytes, or fewer if the peer closed before. */
  async bytes(length: number): Promise<Buffer> {
    return this.#take(() => (this.#length >= length ? length : undefined));
  }

  /** The next HTTP response. Rejects if the peer closes before it is complete. */
  async response(): Promise<RawResponse> {
    const head = (await this.#through('\r\n\r\n')).toString('latin1');
    const [first = '', ...lines] = head.trimEnd().split('\r\n');
    const status = /^HTTP\/1\.1 (\d{3})/.exec(first)?.[1];
    if (status === undefined) throw new Error(`Not an HTTP answer: ${JSON.stringify(head)}`);
    const headers: Record<string, string> = {};
    for (const line of lines) {
      const colon = line.indexOf(':');
      const name = line.slice(0, colon).toLowerCase();
      const value = line.slice(colon + 1).trim();
      headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
    }
    return { status: Number(status), headers, body: (await this.#body(Number(status), headers)).toString() };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.socket.destroy();
    await this.closed;
  }

  async #body(status: number, headers: Record<string, string>): Promise<Buffer> {
    if (status < 200 || status === 204 || status === 304) return Buffer.alloc(0);
    if (headers['transfer-encoding'] === 'chunked') return this.#chunks();
    const length = headers['content-length'];
    return length === undefined ? this.#take(() => undefined) : this.bytes(Number(length));
  }

  async #chunks(): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (;;) {
      const length = parseInt((await this.#through('\r\n')).toString(), 16);
      parts.push(await this.bytes(length));
      await this.#through('\r\n');
      if (length === 0) return Buffer.concat(parts);
    }
  }

  async #through(mark: string): Promise<Buffer> {
    const bytes = await this.#take(() => {
      const at = this.#joined().indexOf(mark);
      return at < 0 ? undefined : at + mark.length;
    });
    if (!bytes.includes(mark)) throw new Error(`Closed after ${JSON.stringify(bytes.toString('latin1'))}`);
    return bytes;
  }

  /** Takes the number of bytes that `enough` returns, once it does; the rest when the peer closes first. */
  async #take(enough: () => number | undefined): Promise<Buffer> {
    for (;;) {
      const length = enough() ?? (this.#over ? this.#length : undefined);
      if (length !== undefined) {
        const received = this.#joined();
        const taken = received.subarray(0, length);
        this.#received = [received.subarray(length)];
        this.#length = received.length - taken.length;
        return taken;
      }
      await withinPatience('more bytes', this.#changed.promise);
    }
  }

  /** What has been received, joined only here: a body of megabytes comes in hundreds of parts. */
  #joined(): Buffer {
    const joined = this.#received.length === 1 ? this.#received[0] : undefined;
    const buffer = joined ?? Buffer.concat(this.#received);
    this.#received = [buffer];
    return buffer;
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

/** The text of a POST to `path` with these header lines; missing `Host` and `Content-Length` are added. */
export function rawPost(options: {
  path?: string;
  headers?: readonly string[];
  body: string | Buffer;
  port: number;
}): Buffer {
  const headers = [...(options.headers ?? [])];
  const has = (name: string) => headers.some((line) => line.toLowerCase().startsWith(`${name}:`));
  if (!has('host')) headers.push(`Host: 127.0.0.1:${options.port}`);
  if (!has('content-length') && !has('transfer-encoding')) {
    headers.push(`Content-Length: ${Buffer.byteLength(options.body)}`);
  }
  const head = [`POST ${options.path ?? '/api/'} HTTP/1.1`, ...headers, '', ''].join('\r\n');
  return Buffer.concat([Buffer.from(head), Buffer.from(options.body)]);
}

/** `Authorization` line of HTTP basic authentication. */
export function basicLine(username: string, password: string): string {
  return `Authorization: Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
