import { coded } from '../../../src/base/codes/coded-text.js';
import type { Host, OpenInstance, Value } from '../../../src/device/module.js';
import { peerName, type ByteStream, type Peer } from '../../../src/device/byte-stream.js';
import { fault } from '../../../src/base/fault.js';
import type { MapBlock } from '../maps/register-map.js';
import type { ServerProperties } from './modbus-server.js';
import { ReplyEchoFilter } from './reply-echo.js';
import {
  RtuRequestParser,
  TcpRequestParser,
  type ReceivedRequest,
  type RequestParser,
} from './request-frames.js';
import { ServedTables } from './served-tables.js';

/**
 * Clients whose partial requests are kept; a Server Socket limits connections as well. Over UDP, no client leaves:
 * for a new one, the one that was silent for longest is dropped, if none of its requests waits.
 */
const MAX_CLIENTS = 256;
/** Requests of a client that wait for their replies; more are dropped. */
const MAX_PENDING = 16;

/** A client, and the end of its last reply. */
interface Client {
  readonly who: Peer | undefined;
  readonly parser: RequestParser;
  /** For a line that only this client uses. */
  readonly echo: ReplyEchoFilter | undefined;
  /** Aborted when the client has disconnected, or the server is closed: what waits is not performed. */
  readonly ended: AbortController;
  pending: number;
  replies: Promise<void>;
}

/** Answers the requests of Modbus clients from the values of the tree. */
export class ServerInstance implements OpenInstance {
  readonly #host: Host<ServerProperties>;
  readonly #stream: ByteStream;
  readonly #tables: ServedTables;
  readonly #clients = new Map<string, Client>();
  readonly #unsubscribe: readonly (() => void)[];
  /** Variables by path; empty until they are needed, and after the tree has changed. */
  #ids = new Map<string, { readonly id: number; readonly hasAction: boolean }>();
  readonly #paths: readonly string[];

  constructor(host: Host<ServerProperties>, stream: ByteStream, blocks: readonly MapBlock[]) {
    this.#host = host;
    this.#stream = stream;
    this.#paths = [...new Set(blocks.flatMap(({ values }) => values.map(({ variable }) => variable)))];
    this.#tables = new ServedTables(
      { id: '', name: '', kind: 'server', limit: 0, identify: [], blocks },
      this,
    );
    const unsubscribe = [
      stream.onData((bytes, from) => this.#receive(bytes, from)),
      stream.onLeave?.((who) => this.#end(peerName(who))),
      stream.onBreak?.(() => this.#endAll()),
      host.tree.watch({ onValue: () => undefined, onStructure: () => this.#ids.clear() }),
    ];
    this.#unsubscribe = unsubscribe.filter((one) => one !== undefined);
    this.#reportMissing();
  }

  read(path: string): Value | undefined {
    const found = this.#find(path);
    if (found === undefined) return undefined;
    const { value, isAvailable } = this.#host.tree.valueOf(found.id);
    return isAvailable ? value : undefined;
  }

  async write(path: string, value: Value): Promise<void> {
    const found = this.#find(path);
    if (found === undefined || !found.hasAction) throw fault('READ_ONLY', path);
    await this.#host.tree.request(found.id, value);
  }

  async close(): Promise<void> {
    for (const end of this.#unsubscribe) end();
    this.#endAll();
    await Promise.resolve();
  }

  #end(sender: string): void {
    this.#clients.get(sender)?.ended.abort();
    this.#clients.delete(sender);
  }

  #endAll(): void {
    for (const sender of this.#clients.keys()) this.#end(sender);
  }

  #find(path: string): { readonly id: number; readonly hasAction: boolean } | undefined {
    if (this.#ids.size === 0) {
      const variables = this.#host.tree.groupsBelow(this.#paths).flatMap((group) => group.variables);
      this.#ids = new Map(variables.map(({ path: at, id, hasAction }) => [at, { id, hasAction }]));
    }
    return this.#ids.get(path);
  }

  #reportMissing(): void {
    const missing = this.#host.tree.missing(this.#paths);
    const text = coded`SERVED_MISSING: the map names variables that do not exist: ${missing.join(', ')}`;
    this.#host.setProblem(
      'MISSING',
      missing.length === 0 ? undefined : text,
      coded`SERVED_SOME_MISSING: the map names variables that do not exist`,
    );
  }

  #receive(bytes: Uint8Array, from: Peer | undefined): void {
    const sender = from === undefined ? '' : peerName(from);
    this.#host.debug('received', bytes, sender);
    const { Protocol, UnitID } = this.#host.properties;
    const known = this.#clients.get(sender);
    if (known === undefined && this.#clients.size >= MAX_CLIENTS) {
      const [silent] = this.#clients.entries().find(([, { pending }]) => pending === 0) ?? [];
      if (silent === undefined) return;
      this.#end(silent);
    }
    const parser = Protocol === 'TCP' ? new TcpRequestParser() : new RtuRequestParser(UnitID);
    const client = known ?? {
      who: from,
      parser,
      echo: this.#echo(),
      ended: new AbortController(),
      pending: 0,
      replies: Promise.resolve(),
    };
    // It moves to the end, so that the first has been silent for longest.
    this.#clients.delete(sender);
    this.#clients.set(sender, client);
    client.echo?.learn(bytes);
    for (const request of client.parser.push(bytes)) {
      if (client.echo?.isEcho(request.frame(request.pdu)) === true) continue;
      if (UnitID === 0 || request.unit === UnitID) this.#answer(client, request);
    }
  }

  #echo(): ReplyEchoFilter | undefined {
    const { baudRate, sendTo } = this.#stream;
    return this.#host.properties.Protocol === 'RTU' && sendTo === undefined
      ? new ReplyEchoFilter(this.#host.clock, baudRate)
      : undefined;
  }

  /** The requests of a client are answered in their order. */
  #answer(client: Client, request: ReceivedRequest): void {
    if (client.pending >= MAX_PENDING) return;
    client.pending += 1;
    client.replies = client.replies.then(() => this.#reply(client, request));
  }

  async #reply(client: Client, { pdu, frame }: ReceivedRequest): Promise<void> {
    const { signal } = client.ended;
    try {
      signal.throwIfAborted();
      const reply = frame(await this.#tables.reply(pdu, signal));
      signal.throwIfAborted();
      this.#host.debug('sent', reply, client.who && peerName(client.who));
      // Before sending: the echo may be received before that has ended.
      client.echo?.expect(reply, frame(pdu));
      const { sendTo } = this.#stream;
      await (sendTo === undefined || client.who === undefined
        ? this.#stream.send(reply)
        : sendTo(reply, client.who));
    } catch {
      // The client is gone; its connection reports it.
    } finally {
      client.pending -= 1;
    }
  }
}
