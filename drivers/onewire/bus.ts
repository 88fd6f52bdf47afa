import type { Cancel } from '../../src/base/clock.js';
import { fault } from '../../src/base/fault.js';
import type { Semaphore } from '../../src/base/semaphore.js';
import { SerialQueue } from '../../src/base/serial-queue.js';
import { type SysfsClass, sysfsFault } from '../../src/device/toolkit/sysfs-class.js';
import type { Host, OpenInstance } from '../../src/device/module.js';
import { familyOf } from './families.js';
import { listBuses, listDevices, measureAll } from './w1-files.js';
import type { KnownDevice } from './onewire-functions.js';
import type { BusProperties, OneWireContext } from './index.js';

/** A device that is asked every so often. */
export interface BusMember {
  /** Of the instance. */
  readonly id: number;
  readonly address: string;
  readonly everyMs: number;
  /** Whether asking takes as long as a measurement, and others of the bus can measure meanwhile. */
  readonly isSlow: boolean;
  /** Asks the device and reports; rejects with a fault when it does not answer. */
  poll(): Promise<void>;
  /** Whether the kernel has it on the bus; told again and again. */
  setPresent(isThere: boolean): void;
}

interface PollSlot {
  readonly member: BusMember;
  dueMs: number;
  /** Somebody waits for its next answer. */
  request?: PromiseWithResolvers<void> | undefined;
}

/** Opens an instance of the module. Sends nothing over the wire. */
export async function openBus(host: Host<BusProperties>, around: OneWireContext): Promise<OpenInstance> {
  const attributes = await around.attributes();
  const name = host.properties.Bus;
  const buses = await listBuses(attributes);
  if (!buses.includes(name)) {
    const there = buses.length === 0 ? 'there is none' : `there is ${buses.join(', ')}`;
    throw fault(
      'DEVICE_OFFLINE',
      `this machine has no 1-Wire bus ${name} (${there}); on a Raspberry Pi it takes dtoverlay=w1-gpio in config.txt, and a restart`,
    );
  }
  const release = around.holders.claim(`the 1-Wire bus ${name}`, host);
  try {
    const bus = new OneWireBus(host, { attributes, slowReads: around.slowReads, release });
    await bus.probe();
    host.signal.throwIfAborted();
    return bus;
  } catch (thrown) {
    release();
    throw thrown;
  }
}

/**
 * One bus. One job at a time is on its wire, so a wish waits for one measurement at most; those who are due together measure together
 * where the kernel can have them do so. It is the kernel that searches the wire; what it has found is looked at by `probe`.
 */
export class OneWireBus implements OpenInstance {
  readonly provided = this;
  readonly attributes: SysfsClass;
  readonly #host: Host<BusProperties>;
  readonly #slowReads: Semaphore;
  readonly #release: () => void;
  readonly #turn = new SerialQueue();
  readonly #places = new Map<BusMember, PollSlot>();
  #found: readonly string[] = [];
  #isClosed = false;
  #isAsking = false;
  #cancel: Cancel | undefined;

  constructor(
    host: Host<BusProperties>,
    parts: { readonly attributes: SysfsClass; readonly slowReads: Semaphore; readonly release: () => void },
  ) {
    this.#host = host;
    this.attributes = parts.attributes;
    this.#slowReads = parts.slowReads;
    this.#release = parts.release;
  }

  /** Lets a device do something on the wire: alone, and one that is slow within the gateway's limit. */
  run<T>(isSlow: boolean, job: () => Promise<T>): Promise<T> {
    return this.#turn.run(() => {
      if (this.#isClosed) throw closedError(this.#host.properties.Bus);
      return isSlow ? this.#slowReads.run(job) : job();
    });
  }

  /** Asks it from now on, at once for the first time, until what is returned is called. */
  join(member: BusMember): () => void {
    this.#places.set(member, { member, dueMs: 0 });
    member.setPresent(this.#found.includes(member.address));
    this.#arm();
    return () => {
      this.#places.get(member)?.request?.reject(closedError(member.address));
      this.#places.delete(member);
      this.#arm();
    };
  }

  /** Has it asked as soon as can be, together with those who are asked too; resolves and rejects as `poll` does. */
  async requestPoll(member: BusMember): Promise<void> {
    const place = this.#places.get(member);
    if (place === undefined) throw closedError(member.address);
    place.dueMs = 0;
    place.request ??= Promise.withResolvers();
    this.#arm();
    await place.request.promise;
  }

  /** Looks what the kernel has found; rejects with `DEVICE_OFFLINE` when the bus is gone. */
  async probe(): Promise<void> {
    const name = this.#host.properties.Bus;
    try {
      this.#found = await listDevices(this.attributes, name);
    } catch (thrown) {
      throw sysfsFault(`the 1-Wire bus ${name}`, this.attributes.root, thrown);
    }
    this.#host.report('DEVICES', this.#found.length);
    for (const { member } of this.#places.values()) member.setPresent(this.#found.includes(member.address));
  }

  knownDevices(): readonly KnownDevice[] {
    const ids = new Map([...this.#places.keys()].map(({ address, id }) => [address, id]));
    return this.#found.map((address) => ({
      DeviceID: address,
      DeviceFamily: parseInt(address, 16),
      Type: familyOf(address).type,
      InstanceID: ids.get(address) ?? 0,
    }));
  }

  /** Doesn't wait for what is under way: nobody can call the kernel back. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel?.();
    for (const { member, request: asked } of this.#places.values())
      asked?.reject(closedError(member.address));
    this.#release();
  }

  #nowMs(): number {
    return Number(this.#host.clock.monotonicNs() / 1_000_000n);
  }

  #arm(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (this.#isClosed || this.#isAsking || this.#places.size === 0) return;
    const dueMs = Math.min(...[...this.#places.values()].map((place) => place.dueMs));
    this.#cancel = this.#host.clock.after(Math.max(0, dueMs - this.#nowMs()), () => void this.#ask());
  }

  async #ask(): Promise<void> {
    this.#isAsking = true;
    const nowMs = this.#nowMs();
    const due = [...this.#places.values()].filter(({ dueMs }) => dueMs <= nowMs);
    for (const place of due) place.dueMs = nextDueMs(nowMs, place);
    try {
      await this.#askAll(due);
    } catch (thrown) {
      if (!this.#isClosed)
        this.#host.log.error({ instance: this.#host.id, err: thrown }, 'asking a bus failed');
    } finally {
      this.#isAsking = false;
      this.#arm();
    }
  }

  async #askAll(due: readonly PollSlot[]): Promise<void> {
    const slow = due.filter(({ member }) => member.isSlow).length;
    // The kernel takes the data of other families' drivers for its thermometers' (trigger_bulk_read in w1_therm.c).
    const isAlike = this.#found.every((address) => familyOf(address).kind === 'thermometer');
    const haveMeasured =
      slow > 1 &&
      isAlike &&
      (await this.run(true, () => measureAll(this.attributes, this.#host.properties.Bus)));
    const left = new Set(due);
    for (const place of due) {
      // One by one they may take longer than anybody waits. Those that have measured are read soon, and then all that are asked measure.
      if (!haveMeasured)
        for (const wanted of [...this.#places.values()].filter(({ request: asked }) => asked !== undefined)) {
          left.delete(wanted);
          await this.#askOne(wanted);
        }
      if (left.delete(place)) await this.#askOne(place);
    }
  }

  async #askOne(place: PollSlot): Promise<void> {
    const { member, request: asked } = place;
    if (this.#places.get(member) !== place) return;
    place.dueMs = nextDueMs(this.#nowMs(), place);
    place.request = undefined;
    // What it rejects with it has told; the others are asked all the same.
    const answer = this.run(member.isSlow, () => member.poll());
    await answer.then(asked?.resolve, asked?.reject ?? (() => undefined));
  }
}

/** When it is due again: at whole multiples, so that those who are asked as often are due together. */
const nextDueMs = (nowMs: number, { member: { everyMs } }: PollSlot) =>
  (Math.floor(nowMs / everyMs) + 1) * everyMs;

const closedError = (what: string) => new DOMException(`${what} is closed`, 'AbortError');
