/**
 * A box with the gateway as a user has it: under its unit, with a configuration from the test, reached over
 * real sockets. The pins, serial lines and the power switch belong to the machine (`machine.ts`).
 */
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../../src/base/fault.js';
import { type AnyFunction, type ChangeRecord, Client, type Value } from '../../../src/client/index.js';
import { message } from '../../../src/kernel/messages.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { until } from '../../tools/until.js';
import { Machine } from './machine.js';
import { FROZEN, READY } from '../paths.js';
import { Relay } from './relay.js';

const CONFIG = '/etc/stellwerk/gateway.yaml';
const API_PORT = 3777;
const OWNER = { username: 'owner', password: 'lab-password' } as const;
/** The gateway under its unit, with another machine on the same processors. */
const START_LIMIT_MS = 300_000;
/**
 * A reload is finished when the gateway logs it: the frozen box has never been reloaded, and a failure has
 * another text. Follows the journal, because a look at it costs more than the reload.
 */
const RELOAD = `systemctl reload stellwerk
timeout 240 grep -qm1 'configuration reloaded' <(exec journalctl -o cat -u stellwerk --no-tail -f 2>/dev/null) && exit
journalctl -n 30 -o cat -u stellwerk; exit 1`;
/** The box is about ten times slower than a real one: a wait that times out here means "never". */
export const PATIENCE_MS = 180_000;

/** A disk of the test, as the installation left it; deleted after the test. */
export async function ownDisk(t: { teardown(end: () => Promise<void>): void }): Promise<string> {
  const disk = join(await tempDirectory(t), 'disk.qcow2');
  await copyFile(READY.disk, disk);
  return disk;
}

/** A box with the gateway on it. Use with `await using`; disposing of it stops its machine. */
export class Box implements AsyncDisposable {
  readonly machine: Machine;
  readonly #relay: Relay;
  readonly #client: Client<AnyFunction>;

  private constructor(machine: Machine, relay: Relay, port: number) {
    this.machine = machine;
    this.#relay = relay;
    this.#client = new Client(`http://${OWNER.username}:${OWNER.password}@127.0.0.1:${port}/api/`);
  }

  /**
   * The frozen box on a disk of the test; its running gateway is reloaded with a configuration (its `tree`,
   * as YAML).
   */
  static async taken(t: { teardown(end: () => Promise<void>): void }, tree: string): Promise<Box> {
    const machine = await Machine.start({ disk: await ownDisk(t), frozen: FROZEN.installed });
    try {
      const box = await Box.on(machine);
      await box.#write(tree);
      await machine.agent.run(RELOAD, START_LIMIT_MS);
      await box.answers();
      return box;
    } catch (error) {
      await machine[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** The gateway in a machine that the caller has started; disposing of the box then stops the machine. */
  static async on(machine: Machine): Promise<Box> {
    const relay = await Relay.open(machine);
    return new Box(machine, relay, await relay.forward(API_PORT));
  }

  /** Writes the configuration (its `tree`, as YAML) and restarts the gateway; resolves when it replies. */
  async configure(tree: string): Promise<void> {
    await this.#write(tree);
    await this.restart();
  }

  /**
   * Writes the configuration and makes the gateway, whose owner login is unchanged, reload it; resolves when
   * it has.
   */
  async reload(tree: string): Promise<void> {
    await this.#write(tree);
    const { Problems } = (await this.call('GW_ReloadConfiguration')) as { Problems: string[] };
    if (Problems.length > 0) throw new Error(`not applied: ${Problems.join('; ')}`);
  }

  async #write(tree: string): Promise<void> {
    const { username, password } = OWNER;
    const yaml = [
      `api: { host: 127.0.0.1, port: ${API_PORT} }`,
      `remoteAccess: { username: ${username}, password: ${password} }`,
      'tree:',
      tree.replace(/^/gm, '  '),
      '',
    ].join('\n');
    await this.machine.agent.put(CONFIG, yaml);
  }

  /** Restarts the gateway through systemd, and waits until it replies. */
  async restart(): Promise<void> {
    // systemctl returns after the gateway's ready notification.
    await this.machine.agent.run(
      'systemctl restart stellwerk || { journalctl -n 30 -u stellwerk; false; }',
      START_LIMIT_MS,
    );
    await this.answers();
  }

  /** Resets the machine hard, and waits for `isOff` and then until it is up again and its gateway replies. */
  async powerCut(isOff: () => Promise<unknown>, withinMs: number): Promise<void> {
    const { qmp, agent } = this.machine;
    await qmp.execute('system_reset');
    await isOff();
    await agent.again(withinMs);
    const opened = 'ls -l /proc/$(systemctl show lab-relay -p MainPID --value)/fd | grep -q /dev/vport';
    await agent.run(`until ${opened}; do sleep 0.5; done`);
    this.#relay.again();
    await this.answers(withinMs);
  }

  /** Waits until the gateway replies to a call of its owner. */
  async answers(withinMs = PATIENCE_MS): Promise<void> {
    const requests = () =>
      this.call('SVC_GetKernelVersion').then(
        () => true,
        () => false,
      );
    await until('a reply of the gateway', requests, withinMs).catch(async (late: unknown) => {
      throw new Error(`${messageOf(late)}\n${await this.journal()}`);
    });
  }

  /** Calls a function as the owner; rejects with `RpcError` if the gateway rejects it. */
  call(method: string, ...params: unknown[]): Promise<unknown> {
    return this.#client.call(method, ...params);
  }

  /** The id of the object at a path of idents (`button/STATE`). */
  async id(path: string): Promise<number> {
    let id = 0;
    for (const ident of path.split('/'))
      id = (await this.call('SVC_GetObjectIDByIdent', ident, id)) as number;
    return id;
  }

  /** The value of the variable at a path of idents. */
  async value(path: string): Promise<Value> {
    return (await this.call('GetValue', await this.id(path))) as Value;
  }

  /** Waits until the variable at a path has a value; the error names both. */
  async becomes(path: string, value: Value, withinMs = PATIENCE_MS): Promise<void> {
    const id = await this.id(path);
    const isThere = async () => (await this.call('GetValue', id)) === value;
    await until(`${path} is ${value}`, isThere, withinMs);
  }

  /** The changes from now on, as received from the WebSocket on `/api/`; resolves when it is subscribed. */
  async frames(): Promise<Frames> {
    const [newest] = (await this.call('SVC_GetSnapshotChanges', 0)) as ChangeRecord[];
    if (newest === undefined) throw new Error('the gateway did not send its newest counter');
    return new Frames(this.#client, newest.TimeStamp);
  }

  /** Makes another TCP port of the box reachable, and returns its port on 127.0.0.1. */
  forward(boxPort: number): Promise<number> {
    return this.#relay.forward(boxPort);
  }

  /** The gateway's part of the journal. */
  journal(): Promise<string> {
    return this.machine.agent.run('journalctl --no-pager -o cat -u stellwerk');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#relay[Symbol.asyncDispose]();
    await this.machine[Symbol.asyncDispose]();
  }
}

/** The messages that one client receives over its WebSocket. */
export class Frames implements Disposable {
  /** All messages so far. */
  readonly all: ChangeRecord[] = [];
  readonly #stop = new AbortController();
  #failed: unknown;
  #taken = 0;

  constructor(client: Client<AnyFunction>, since: number) {
    this.#listen(client, since).catch((thrown: unknown) => (this.#failed = thrown));
  }

  async #listen(client: Client<AnyFunction>, since: number): Promise<void> {
    for await (const item of client.changes({ since, signal: this.#stop.signal })) {
      if (item.kind === 'lost') throw new Error(`changes before ${item.since} were lost`);
      this.all.push(item.record);
    }
  }

  /** The updates of a variable so far, in order: the value, and whether it changed. */
  updates(id: number): { value: unknown; changed: unknown }[] {
    return this.all
      .filter(({ SenderID, Message }) => SenderID === id && Message === message.VM_UPDATE)
      .map(({ Data: [value, changed] }) => ({ value, changed }));
  }

  /**
   * Waits for an update of a variable to a value after the last one waited for, and consumes all up to it.
   */
  async update(id: number, value: Value, withinMs = PATIENCE_MS): Promise<ChangeRecord> {
    const fits = ({ SenderID, Message, Data }: ChangeRecord): boolean =>
      SenderID === id && Message === message.VM_UPDATE && Data[0] === value;
    const at = await until(
      `a frame: #${id} is ${value}`,
      () => {
        if (this.#failed !== undefined) throw this.#failed as Error;
        const found = this.all.findIndex((record, n) => n >= this.#taken && fits(record));
        return found < 0 ? undefined : { found };
      },
      withinMs,
    );
    this.#taken = at.found + 1;
    return this.all[at.found] as ChangeRecord;
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
  }
}
