import { call, callAll, startGateway, type Server } from '../gateway.js';
import { Callers, shot } from '../load.js';
import { idle, residentMiB, writtenBytes, type Cores } from '../machine.js';

export const MINUTE_MS = 60_000;
export const YEAR_MINUTES = 365 * 24 * 60;
/** Records per call, and changes per request. */
const ADDED = 10_000;
const BATCH = 1000;
const ARCHIVE = '{43192F0B-135B-4CE7-A0A7-1475603F3060}';

/** Resident memory of a process, MiB: before and after garbage collection. */
export interface Resident {
  readonly all: number;
  readonly held: number;
}

/** A gateway with variables that are recorded. */
export class RecordingGateway implements AsyncDisposable {
  readonly server: Server;
  readonly archive: number;

  private constructor(server: Server, archive: number) {
    this.server = server;
    this.archive = archive;
  }

  static async start(directory: string, { server: core }: Cores): Promise<RecordingGateway> {
    const server = await startGateway({ directory, core, config: { board: undefined } });
    const [archive = 0] = (await call(server.port, 'SVC_GetInstanceListByModuleID', ARCHIVE)) as number[];
    return new RecordingGateway(server, archive);
  }

  get pid(): number {
    return this.server.pid;
  }

  get port(): number {
    return this.server.port;
  }

  /** Bytes written to the disk. */
  get written(): number {
    return writtenBytes(this.pid);
  }

  /** Creates recorded variables of numbers. */
  async log(count: number): Promise<number[]> {
    const ids: number[] = [];
    while (ids.length < count) {
      const some = Math.min(BATCH, count - ids.length);
      const made = await callAll(
        this.port,
        Array.from({ length: some }, () => ['SVC_CreateVariable', 2]),
      );
      await callAll(
        this.port,
        made.map((id) => ['AC_SetLoggingStatus', this.archive, id, true]),
      );
      ids.push(...made.map(Number));
    }
    return ids;
  }

  /** Number of stored records; waiting ones are written first. */
  async stored(): Promise<number> {
    const all = (await call(this.port, 'AC_GetAggregationVariables', this.archive, true)) as {
      RecordCount: number;
    }[];
    return all.reduce((sum, { RecordCount }) => sum + RecordCount, 0);
  }

  /** Resident memory of the idle gateway, MiB, before and after garbage collection. */
  async resident(): Promise<Resident> {
    await idle(this.pid);
    const all = residentMiB(this.pid);
    await call(this.port, 'SVC_TrimKernel');
    return { all, held: residentMiB(this.pid) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
  }
}

/** One value per minute, ending now. */
export class Adding {
  readonly #to: RecordingGateway;
  readonly #variable: number;
  readonly fromMs = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - 10 * YEAR_MINUTES * MINUTE_MS;
  #count = 0;

  constructor(to: RecordingGateway, variable: number) {
    this.#to = to;
    this.#variable = variable;
  }

  async add(count: number): Promise<void> {
    for (const end = this.#count + count; this.#count < end; this.#count += ADDED) {
      const values = Array.from({ length: ADDED }, (_, n) => ({
        TimeStamp: (this.fromMs + (this.#count + n) * MINUTE_MS) / 1000,
        Value: 20 + (n % 100) / 10,
      }));
      await call(this.#to.port, 'AC_AddLoggedValues', this.#to.archive, this.#variable, values);
    }
  }
}

/** Changes of all its variables, one after the other. */
export class Changing implements Disposable {
  readonly #of: RecordingGateway;
  readonly #ids: readonly number[];
  #callers: Callers | undefined;
  #value = 0;

  constructor(of: RecordingGateway, ids: readonly number[]) {
    this.#of = of;
    this.#ids = ids;
  }

  async change(count: number): Promise<void> {
    // Not before: a connection that is silent for ten seconds after it was opened is closed.
    const callers = (this.#callers ??= await Callers.open(this.#of.server, 1));
    for (let done = 0; done < count; done += BATCH) {
      const from = done % this.#ids.length;
      if (from === 0) this.#value++;
      const calls = this.#ids.slice(from, from + BATCH).map((id) => ({
        jsonrpc: '2.0',
        id: 1,
        method: 'SetValue',
        params: [id, 20 + (this.#value % 100) / 10],
      }));
      const replies = calls.map(() => ({ jsonrpc: '2.0', id: 1, result: true }));
      const { wrong } = await callers.run([shot(calls, replies)], 0);
      if (wrong > 0) throw new Error('changes had wrong replies');
    }
    await this.#of.stored();
  }

  [Symbol.dispose](): void {
    this.#callers?.[Symbol.dispose]();
  }
}
