import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createSecureServer, TLSSocket } from 'node:tls';

/** A mail that the server accepted. */
interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly data: string;
  readonly isEncrypted: boolean;
  readonly user: string | undefined;
}

/** How the server behaves. */
interface MailServerOptions {
  readonly tls?: { readonly certificate: string; readonly key: string };
  /** Whether TLS begins with the connection, not with STARTTLS. */
  readonly isImplicit?: boolean;
  /** `user:password` that it demands. */
  readonly login?: string;
  /** Replies to recipients, by address, and to `AUTH` and `STARTTLS`; by default they are accepted. */
  readonly replies?: Readonly<Record<string, string>>;
}

/** An SMTP server (RFC 5321) with STARTTLS (RFC 3207) and AUTH PLAIN (RFC 4954), as far as a client needs it. */
export class MailServer implements AsyncDisposable {
  readonly received: ReceivedMail[] = [];
  /** Each command as it was received. */
  readonly commands: string[] = [];
  readonly #options: MailServerOptions;
  readonly #server;
  readonly #sockets = new Set<Socket>();

  private constructor(options: MailServerOptions) {
    this.#options = options;
    const { tls, isImplicit } = options;
    this.#server =
      tls !== undefined && isImplicit === true
        ? createSecureServer({ cert: tls.certificate, key: tls.key }, (socket) => this.#greet(socket, true))
        : createServer((socket) => this.#greet(socket, false));
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => socket.destroy());
    });
  }

  static async start(options: MailServerOptions = {}): Promise<MailServer> {
    const server = new MailServer(options);
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get url(): string {
    const scheme = this.#options.isImplicit === true ? 'smtps' : 'smtp';
    return `${scheme}://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #greet(socket: Socket, isEncrypted: boolean): void {
    socket.write('220 test ESMTP\r\n');
    this.#serve(socket, isEncrypted);
  }

  #serve(socket: Socket, isEncrypted: boolean): void {
    let user: string | undefined;
    let from = '';
    let to: string[] = [];
    let data: string[] | undefined;
    const reply = (line: string) => void socket.write(`${line}\r\n`);
    const commands: Readonly<Record<string, (rest: string) => void>> = {
      EHLO: () => {
        const { tls, login } = this.#options;
        const extensions = [
          ...(tls !== undefined && !isEncrypted ? ['STARTTLS'] : []),
          ...(login === undefined ? [] : ['AUTH PLAIN']),
        ];
        for (const one of extensions) reply(`250-${one}`);
        reply('250 8BITMIME');
      },
      STARTTLS: () => {
        if (this.#options.tls === undefined) return reply('502 not implemented');
        const answer = this.#options.replies?.['STARTTLS'];
        if (answer !== undefined) return reply(answer);
        const { certificate, key } = this.#options.tls;
        reply('220 go ahead');
        socket.removeAllListeners('data');
        const secure = new TLSSocket(socket, { isServer: true, cert: certificate, key });
        secure.on('error', () => secure.destroy());
        this.#serve(secure, true);
      },
      AUTH: (rest) => {
        const answer = this.#options.replies?.['AUTH'];
        if (answer !== undefined) return reply(answer);
        const [, , name = '', password = ''] =
          /^PLAIN (.*)$/.exec(rest) === null
            ? []
            : ['', ...Buffer.from(rest.slice(6), 'base64').toString().split('\0')];
        if (`${name}:${password}` !== this.#options.login) return reply('535 authentication failed');
        user = name;
        reply('235 accepted');
      },
      MAIL: (rest) => {
        if (this.#options.login !== undefined && user === undefined) return reply('530 login required');
        from = addressIn(rest);
        to = [];
        reply('250 ok');
      },
      RCPT: (rest) => {
        const answer = this.#options.replies?.[addressIn(rest)] ?? '250 ok';
        if (answer.startsWith('250')) to.push(addressIn(rest));
        reply(answer);
      },
      DATA: () => {
        data = [];
        reply('354 end with a dot');
      },
      RSET: () => reply('250 ok'),
      QUIT: () => {
        reply('221 bye');
        socket.end();
      },
    };
    let rest = '';
    socket.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString('latin1')).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (data === undefined) {
          this.commands.push(line);
          const [, verb = '', argument = ''] = /^(\w+) ?(.*)$/.exec(line) ?? [];
          (commands[verb.toUpperCase()] ?? (() => reply('500 unknown command')))(argument);
        } else if (line === '.') {
          this.received.push({ from, to, data: data.join('\n'), isEncrypted, user });
          data = undefined;
          reply('250 queued');
        } else data.push(line);
      }
    });
  }
}

const addressIn = (text: string): string => /<([^>]*)>/.exec(text)?.[1] ?? '';
