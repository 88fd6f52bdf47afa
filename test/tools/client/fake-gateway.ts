import { type IncomingHttpHeaders, type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

/** The content of one HTTP request. */
export interface ReceivedRequest {
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** The reply: a status and a text, or nothing (the connection is closed). */
export type FakeResponse =
  { status?: number; headers?: Record<string, string>; body: string } | 'cut' | 'silence';

/**
 * A server that behaves like no correct gateway: invalid replies, silence, closed connections. Story tests
 * use a real gateway with the client.
 */
export class FakeGateway implements AsyncDisposable {
  readonly #http: Server;
  readonly #sockets: WebSocketServer;
  /** All requests so far, the newest last. */
  readonly requests: ReceivedRequest[] = [];
  /** Upgrade requests so far: address and offered subprotocol. */
  readonly upgrades: { url: string; protocol: string | undefined }[] = [];
  /** Creates the reply to each POST. */
  answer: (received: ReceivedRequest) => FakeResponse = () => ({ status: 404, body: 'not found' });
  /** Called for each opened socket. */
  onSocket: (socket: WebSocket, url: string) => void = () => undefined;
  /** If false, upgrades are rejected with 401. */
  acceptsUpgrades = true;

  private constructor() {
    this.#sockets = new WebSocketServer({ noServer: true, handleProtocols: ([first]) => first ?? false });
    this.#http = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.on('end', () => {
        const received = { url: request.url ?? '', headers: request.headers, body };
        this.requests.push(received);
        const said = this.answer(received);
        if (said === 'cut') request.socket.destroy();
        else if (said !== 'silence') {
          response
            .writeHead(said.status ?? 200, { 'Content-Type': 'application/json', ...said.headers })
            .end(said.body);
        }
      });
    });
    this.#http.on('upgrade', (request, socket, head) => {
      const url = request.url ?? '';
      this.upgrades.push({ url, protocol: request.headers['sec-websocket-protocol'] });
      if (!this.acceptsUpgrades)
        return void socket.end('HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n');
      this.#sockets.handleUpgrade(request, socket, head, (open) => this.onSocket(open, url));
    });
  }

  /** Starts a server on a free port of 127.0.0.1, or on a given one. */
  static async listen(port = 0): Promise<FakeGateway> {
    const fake = new FakeGateway();
    await new Promise<void>((resolve) => fake.#http.listen(port, '127.0.0.1', resolve));
    return fake;
  }

  get port(): number {
    return (this.#http.address() as AddressInfo).port;
  }

  /**
   * Replies to every call with the entry of its method in `results`; functions are called with the
   * parameters.
   */
  answerCalls(results: Record<string, unknown>): void {
    this.answer = ({ body }) => {
      const requested = JSON.parse(body) as Call | Call[];
      return {
        body: JSON.stringify(
          Array.isArray(requested)
            ? requested.map((call) => reply(call, results))
            : reply(requested, results),
        ),
      };
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets.clients) socket.terminate();
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }
}

interface Call {
  id: unknown;
  method: string;
  params: unknown[];
}

function reply({ id, method, params }: Call, results: Record<string, unknown>): object {
  const result = results[method];
  if (result === undefined)
    return { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } };
  return {
    jsonrpc: '2.0',
    id,
    result: typeof result === 'function' ? (result as (...params: unknown[]) => unknown)(...params) : result,
  };
}
