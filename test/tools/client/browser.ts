import { RawConnection, type RawResponse } from './raw-http.js';
import { RawWebSocket } from './raw-websocket.js';

/** A browser, as far as a gateway sees one: it has cookies, and says which page sent a request. */
export class Browser {
  readonly #port: number;
  /** Name → value and attributes, as the gateway set them. */
  readonly cookies = new Map<string, { readonly value: string; readonly attributes: string }>();

  constructor(port: number) {
    this.#port = port;
  }

  get #origin(): string {
    return `Origin: http://127.0.0.1:${this.#port}`;
  }

  /** The line of the `Cookie` header for a path; none if no cookie matches. */
  cookieHeaders(path: string): string[] {
    const pairs = [...this.cookies]
      .filter(([, { attributes }]) => path.startsWith(/Path=([^;]*)/.exec(attributes)?.[1] ?? '/'))
      .map(([name, { value }]) => `${name}=${value}`);
    return pairs.length === 0 ? [] : [`Cookie: ${pairs.join('; ')}`];
  }

  /**
   * Sends a request as a script of the gateway's own page does; `headers` replaces its `Origin`, to act as
   * another page.
   */
  async send(
    [method, path]: readonly [string, string],
    { body, headers }: { readonly body?: object | string; readonly headers?: readonly string[] } = {},
  ): Promise<RawResponse> {
    const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
    const lines = [
      `${method} ${path} HTTP/1.1`,
      `Host: 127.0.0.1:${this.#port}`,
      ...(headers ?? (method === 'GET' ? [] : [this.#origin])),
      ...this.cookieHeaders(path),
      ...(method === 'GET'
        ? []
        : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`]),
    ];
    await using connection = await RawConnection.open(this.#port);
    connection.write(`${lines.join('\r\n')}\r\n\r\n${text}`);
    const response = await connection.response();
    this.#keep(response.headers['set-cookie']);
    return response;
  }

  /** Opens a WebSocket as a script of the gateway's own page. */
  async open(path: string, headers: readonly string[] = []): Promise<RawWebSocket> {
    const socket = await RawWebSocket.open({
      port: this.#port,
      path,
      headers: [this.#origin, ...this.cookieHeaders(path), ...headers],
    });
    this.#keep(socket.response.headers['set-cookie']);
    return socket;
  }

  #keep(header: string | undefined): void {
    const [, name = '', value = '', attributes = ''] = /^([^=;]+)=([^;]*); (.*)$/.exec(header ?? '') ?? [];
    if (name === '') return;
    if (/Max-Age=0(;|$)/.test(attributes)) this.cookies.delete(name);
    else this.cookies.set(name, { value, attributes });
  }
}
