import type { Duplex, Readable, Writable } from 'node:stream';
import { coded } from '../../base/codes/coded-text.js';
import { fault } from '../../base/fault.js';
import { FILE_BYTES } from './backup-target.js';

/** SSH File Transfer Protocol, version 3 (draft-ietf-secsh-filexfer-02). */
const VERSION = 3;
const type = {
  init: 1,
  version: 2,
  open: 3,
  close: 4,
  read: 5,
  write: 6,
  opendir: 11,
  readdir: 12,
  remove: 13,
  mkdir: 14,
  status: 101,
  handle: 102,
  data: 103,
  name: 104,
  extended: 200,
} as const;
const ok = 0;
const endOfFile = 1;
const noSuchFile = 2;
const failure = 4;
/** SSH_FXF_READ, and WRITE | CREAT | TRUNC. */
const toRead = 0x01;
const toWrite = 0x02 | 0x08 | 0x10;
/** Every server accepts 32 KiB of data in a packet (§3). */
const DATA_BYTES = 32 * 1024;
/** Maximum number of bytes of a packet: a list of names is the largest. */
const PACKET_BYTES = 1024 * 1024;
/** Requests that are sent ahead, so that a slow connection stays busy. */
const IN_FLIGHT = 16;

interface Packet {
  readonly type: number;
  readonly body: Buffer;
}

interface Waiting {
  readonly resolve: (packet: Packet) => void;
  readonly reject: (why: Error) => void;
}

/** A server rejected a request. */
class SftpStatus extends Error {
  readonly code: number;
  constructor(code: number, text: string) {
    super(text === '' ? `status ${code}` : text);
    this.code = code;
  }
}

/** A client of a server that speaks SFTP on a pair of streams, such as those of `ssh -s HOST sftp`. */
export class SftpClient {
  readonly #output: Writable;
  readonly #waiting = new Map<number, Waiting>();
  #received = Buffer.alloc(0);
  #lastId = 0;
  #failure: Error | undefined;
  #onVersion: Waiting | undefined;

  constructor({
    input,
    output,
  }:
    | { readonly input: Readable; readonly output: Writable }
    | { readonly input: Duplex; readonly output: Duplex }) {
    this.#output = output;
    input.on('data', (part: Buffer) => this.#receive(part));
    input.on('error', (thrown: Error) => this.fail(thrown));
    // What the process reports is more than the broken pipe says.
    output.on('error', () => undefined);
  }

  /** Exchanges the versions. Rejects if the server has another protocol. */
  async begin(): Promise<void> {
    const version = new Promise<Packet>((resolve, reject) => (this.#onVersion = { resolve, reject }));
    if (this.#failure !== undefined) throw this.#failure;
    this.#send(type.init, uint32(VERSION));
    const packet = await version;
    if (packet.type !== type.version || packet.body.readUInt32BE(0) < VERSION)
      throw fault('BACKUP_TARGET_FAILED', coded`SFTP_VERSION: the server does not support SFTP version 3`);
  }

  /** Ends all requests with this failure. */
  fail(why: Error): void {
    this.#failure ??= why;
    this.#onVersion?.reject(this.#failure);
    for (const { reject } of this.#waiting.values()) reject(this.#failure);
    this.#waiting.clear();
  }

  /** Writes a file, which replaces one that exists. */
  async write(path: string, content: Uint8Array): Promise<void> {
    const handle = await this.#open(path, toWrite);
    const parts = Math.ceil(content.length / DATA_BYTES);
    await inFlight(parts, async (i) => {
      const at = i * DATA_BYTES;
      const part = Buffer.from(content.subarray(at, at + DATA_BYTES));
      await this.#status(type.write, text(handle), uint64(at), text(part));
    });
    await this.#status(type.close, text(handle));
  }

  /** The content of a file; undefined if it does not exist. */
  async read(path: string): Promise<Buffer | undefined> {
    const handle = await unlessMissing(this.#open(path, toRead));
    if (handle === undefined) return undefined;
    const parts: Buffer[] = [];
    for (let at = 0; ;) {
      const { type: kind, body } = await this.#request(
        type.read,
        text(handle),
        uint64(at),
        uint32(DATA_BYTES),
      );
      if (kind === type.status && body.readUInt32BE(0) === endOfFile) break;
      if (kind !== type.data) throw statusOf(body);
      const part = textAt(body, 0);
      at += part.length;
      parts.push(part);
      if (at > FILE_BYTES)
        throw fault('BACKUP_TARGET_FAILED', coded`TARGET_FILE_LARGE: ${path} is too large`);
    }
    await this.#status(type.close, text(handle));
    return Buffer.concat(parts);
  }

  /** The names in a folder; none if it does not exist. */
  async list(folder: string): Promise<string[]> {
    const opened = await this.#request(type.opendir, text(folder));
    if (opened.type !== type.handle) {
      const status = statusOf(opened.body);
      if (status.code === noSuchFile) return [];
      throw status;
    }
    const handle = textAt(opened.body, 0);
    const names: string[] = [];
    for (;;) {
      const { type: kind, body } = await this.#request(type.readdir, text(handle));
      if (kind !== type.name) {
        const status = statusOf(body);
        if (status.code === endOfFile) break;
        throw status;
      }
      names.push(...namesIn(body));
    }
    await this.#status(type.close, text(handle));
    return names.filter((name) => name !== '.' && name !== '..');
  }

  /** Removes a file; one that does not exist is no failure. */
  async remove(path: string): Promise<void> {
    await unlessMissing(this.#status(type.remove, text(path)));
  }

  /** Makes a folder; one that exists is no failure. */
  async makeFolder(path: string): Promise<void> {
    try {
      await this.#status(type.mkdir, text(path), uint32(0));
    } catch (thrown) {
      // Version 3 has no status for a folder that exists.
      if (!(thrown instanceof SftpStatus) || thrown.code !== failure) throw thrown;
    }
  }

  /** Renames a file, and replaces one that has the new name. */
  async rename(from: string, to: string): Promise<void> {
    await this.#status(type.extended, text('posix-rename@openssh.com'), text(from), text(to));
  }

  async #open(path: string, how: number): Promise<Buffer> {
    const reply = await this.#request(type.open, text(path), uint32(how), uint32(0));
    if (reply.type !== type.handle) throw statusOf(reply.body);
    return textAt(reply.body, 0);
  }

  async #status(kind: number, ...parts: readonly Buffer[]): Promise<void> {
    const { type: replied, body } = await this.#request(kind, ...parts);
    if (replied !== type.status || body.readUInt32BE(0) !== ok) throw statusOf(body);
  }

  #request(kind: number, ...parts: readonly Buffer[]): Promise<Packet> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const id = (this.#lastId = (this.#lastId + 1) >>> 0);
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#send(kind, uint32(id), ...parts);
    });
  }

  #send(kind: number, ...parts: readonly Buffer[]): void {
    const length = parts.reduce((sum, part) => sum + part.length, 1);
    this.#output.write(Buffer.concat([uint32(length), Buffer.from([kind]), ...parts]));
  }

  #receive(part: Buffer): void {
    this.#received = Buffer.concat([this.#received, part]);
    while (this.#received.length >= 5) {
      const length = this.#received.readUInt32BE(0);
      if (length < 1 || length > PACKET_BYTES)
        return this.fail(fault('BACKUP_TARGET_FAILED', coded`SFTP_PACKET: the server does not speak SFTP`));
      if (this.#received.length < 4 + length) return;
      const packet = { type: this.#received[4] ?? 0, body: this.#received.subarray(5, 4 + length) };
      this.#received = this.#received.subarray(4 + length);
      this.#dispatch(packet);
    }
  }

  #dispatch({ type: kind, body }: Packet): void {
    if (kind === type.version) return this.#onVersion?.resolve({ type: kind, body });
    const id = body.length < 4 ? -1 : body.readUInt32BE(0);
    this.#waiting.get(id)?.resolve({ type: kind, body: body.subarray(4) });
    this.#waiting.delete(id);
  }
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function uint64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

function text(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([uint32(bytes.length), bytes]);
}

function textAt(body: Buffer, at: number): Buffer {
  if (body.length < at + 4) return Buffer.alloc(0);
  return body.subarray(at + 4, at + 4 + body.readUInt32BE(at));
}

/** SSH_FXP_NAME: for each file its name, a long name, and its attributes. */
function namesIn(body: Buffer): string[] {
  const names: string[] = [];
  let at = 4;
  for (let left = body.readUInt32BE(0); left > 0 && at < body.length; left--) {
    const name = textAt(body, at);
    names.push(name.toString('utf8'));
    at += 4 + name.length;
    at += 4 + textAt(body, at).length;
    at = afterAttributes(body, at);
  }
  return names;
}

/** §5: the flags say which fields follow. */
function afterAttributes(body: Buffer, at: number): number {
  const flags = body.readUInt32BE(at);
  let next = at + 4 + (flags & 1 ? 8 : 0) + (flags & 2 ? 8 : 0) + (flags & 4 ? 4 : 0) + (flags & 8 ? 8 : 0);
  if ((flags & 0x80_00_00_00) === 0) return next;
  const count = body.readUInt32BE(next);
  next += 4;
  for (let i = 0; i < 2 * count; i++) next += 4 + textAt(body, next).length;
  return next;
}

function statusOf(body: Buffer): SftpStatus {
  return new SftpStatus(body.length < 4 ? failure : body.readUInt32BE(0), textAt(body, 4).toString('utf8'));
}

async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (thrown) {
    if (thrown instanceof SftpStatus && thrown.code === noSuchFile) return undefined;
    throw thrown;
  }
}

/** Does `count` pieces of work in order, several at a time. */
async function inFlight(count: number, work: (i: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: Math.min(IN_FLIGHT, count) }, lane));
}
