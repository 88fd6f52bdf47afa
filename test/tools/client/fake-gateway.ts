import { type IncomingHttpHeaders, type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

/** What arrived in one HTTP request. */
export interface ReceivedRequest {
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** What to answer: a status and a text, or nothing at all (the connection is cut). */
export type FakeResponse =
  { status?: number; headers?: Record<string, string>; body: string } | 'cut' | 'silence';

/**
 * A server at the far end of a client, for what a sound gateway never does: nonsense, silence, cut
 * connections. Whether a client works with a sound one is shown by the stories.
 */
export class FakeGateway implements AsyncDisposable {
  readonly #http: Server;
  readonly #sockets: WebSocketServer;
  /** All requests so far, the newest last. */
  readonly requests: ReceivedRequest[] = [];
  /** Upgrade requests so far: address and offered sub-protocol. */
  readonly upgrades: { url: string; protocol: string | undefined }[] = [];
  /** The answer to each POST. */
  answer: (received: ReceivedRequest) => FakeResponse = () => ({ status: 404, body: 'not found' });
  /** What happens to a socket that has just opened. */
  onSocket: (socket: WebSocket, url: string) => void = () => undefined;
  /** While false, upgrades are refused by a 401. */
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

  /** Starts one on a free port of 127.0.0.1, or on a known one again. */
  static async listen(port = 0): Promise<FakeGateway> {
    const fake = new FakeGateway();
    await new Promise<void>((resolve) => fake.#http.listen(port, '127.0.0.1', resolve));
    return fake;
  }

  get port(): number {
    return (this.#http.address() as AddressInfo).port;
  }

  /**
   * Answers every call by what `results` holds under its method, a function being called with the parameters.
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
