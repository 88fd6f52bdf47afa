import { coded } from '../../src/base/codes/coded-text.js';
import type { Cancel } from '../../src/base/clock.js';
import { fault } from '../../src/base/fault.js';
import type { Semaphore } from '../../src/device/toolkit/semaphore.js';
import { SerialQueue } from '../../src/base/serial-queue.js';
import { type SysfsClass, sysfsFault } from '../../src/device/toolkit/sysfs-class.js';
import type { Host, OpenInstance } from '../../src/device/module.js';
import { familyOf } from './families.js';
import { listBuses, listDevices, measureAll } from './w1-files.js';
import type { KnownDevice } from './onewire-functions.js';
import type { BusProperties, OneWireContext } from './index.js';

/** A device that the bus polls periodically. */
export interface BusMember {
  /** ID of the instance. */
  readonly id: number;
  readonly address: string;
  readonly everyMs: number;
  /** Whether a poll takes as long as a measurement, during which other devices of the bus can measure too. */
  readonly isSlow: boolean;
  /** Reads the device and reports its values; rejects with a fault if it does not respond. */
  poll(): Promise<void>;
  /** Called repeatedly with whether the kernel lists the device on the bus. */
  setPresent(isThere: boolean): void;
}

interface PollSlot {
  readonly member: BusMember;
  dueMs: number;
  /** Settled by the next poll, for callers that requested one. */
  request?: PromiseWithResolvers<void> | undefined;
}

/** Opens an instance of **1-Wire Bus**. Causes no traffic on the bus. */
export async function openBus(host: Host<BusProperties>, context: OneWireContext): Promise<OpenInstance> {
  const attributes = await context.attributes();
  const name = host.properties.Bus;
  const buses = await listBuses(attributes);
  if (!buses.includes(name)) {
    const available = buses.length === 0 ? coded`NONE: it has none` : coded`HAS: it has ${buses.join(', ')}`;
    throw fault(
      'DEVICE_OFFLINE',
      coded`NO_ONE_WIRE_BUS: this machine has no 1-Wire bus ${name} (${available}); on a Raspberry Pi, add dtoverlay=w1-gpio to config.txt and reboot`,
    );
  }
  return context.holders.open(coded`THE_ONE_WIRE_BUS: the 1-Wire bus ${name}`, host, async (release) => {
    const bus = new OneWireBus(host, { attributes, slowReads: context.slowReads, release });
    await bus.probe();
    host.signal.throwIfAborted();
    return bus;
  });
}

/**
 * A 1-Wire bus. Only one operation at a time uses the bus, so a command waits for at most one measurement.
 * Thermometers that are due together measure together if the kernel supports it. The kernel searches the bus;
 * `probe` reads the result.
 */
export class OneWireBus implements OpenInstance {
  readonly provided = this;
  readonly attributes: SysfsClass;
  readonly #host: Host<BusProperties>;
  readonly #slowReads: Semaphore;
  readonly #release: () => void;
  readonly #queue = new SerialQueue();
  readonly #slots = new Map<BusMember, PollSlot>();
  #found: readonly string[] = [];
  #isClosed = false;
  #isPolling = false;
  #cancel: Cancel | undefined;

  constructor(
    host: Host<BusProperties>,
    options: { readonly attributes: SysfsClass; readonly slowReads: Semaphore; readonly release: () => void },
  ) {
    this.#host = host;
    this.attributes = options.attributes;
    this.#slowReads = options.slowReads;
    this.#release = options.release;
  }

  /**
   * Runs an operation with exclusive use of the bus; slow operations also count against the limit of the
   * gateway.
   */
  run<T>(isSlow: boolean, job: () => Promise<T>): Promise<T> {
    return this.#queue.run(() => {
      if (this.#isClosed) throw closedError(this.#host.properties.Bus);
      return isSlow ? this.#slowReads.run(job) : job();
    });
  }

  /** Polls a device, immediately for the first time, until the returned function is called. */
  join(member: BusMember): () => void {
    this.#slots.set(member, { member, dueMs: 0 });
    member.setPresent(this.#found.includes(member.address));
    this.#schedule();
    return () => {
      this.#slots.get(member)?.request?.reject(closedError(member.address));
      this.#slots.delete(member);
      this.#schedule();
    };
  }

  /** Polls a device as soon as possible, together with others that are due; settles like `poll`. */
  async requestPoll(member: BusMember): Promise<void> {
    const slot = this.#slots.get(member);
    if (slot === undefined) throw closedError(member.address);
    slot.dueMs = 0;
    slot.request ??= Promise.withResolvers();
    this.#schedule();
    await slot.request.promise;
  }

  /** Reads which devices the kernel has found; rejects with `DEVICE_OFFLINE` if the bus has disappeared. */
  async probe(): Promise<void> {
    const name = this.#host.properties.Bus;
    try {
      this.#found = await listDevices(this.attributes, name);
    } catch (thrown) {
      throw sysfsFault(coded`THE_ONE_WIRE_BUS: the 1-Wire bus ${name}`, this.attributes.root, thrown);
    }
    this.#host.report('DEVICES', this.#found.length);
    for (const { member } of this.#slots.values()) member.setPresent(this.#found.includes(member.address));
  }

  knownDevices(): readonly KnownDevice[] {
    const ids = new Map([...this.#slots.keys()].map(({ address, id }) => [address, id]));
    return this.#found.map((address) => ({
      DeviceID: address,
      DeviceFamily: parseInt(address, 16),
      Type: familyOf(address).type,
      InstanceID: ids.get(address) ?? 0,
    }));
  }

  /** Does not wait for an operation in flight: a system call cannot be interrupted. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel?.();
    for (const { member, request: pending } of this.#slots.values())
      pending?.reject(closedError(member.address));
    this.#release();
  }

  #nowMs(): number {
    return Number(this.#host.clock.monotonicNs() / 1_000_000n);
  }

  #schedule(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (this.#isClosed || this.#isPolling || this.#slots.size === 0) return;
    const dueMs = Math.min(...[...this.#slots.values()].map((slot) => slot.dueMs));
    this.#cancel = this.#host.clock.after(Math.max(0, dueMs - this.#nowMs()), () => void this.#pollDue());
  }

  async #pollDue(): Promise<void> {
    this.#isPolling = true;
    const nowMs = this.#nowMs();
    const due = [...this.#slots.values()].filter(({ dueMs }) => dueMs <= nowMs);
    for (const slot of due) slot.dueMs = nextDueMs(nowMs, slot);
    try {
      await this.#pollAll(due);
    } catch (thrown) {
      if (!this.#isClosed)
        this.#host.log.error({ instance: this.#host.id, err: thrown }, 'polling a bus failed');
    } finally {
      this.#isPolling = false;
      this.#schedule();
    }
  }

  async #pollAll(due: readonly PollSlot[]): Promise<void> {
    const slow = due.filter(({ member }) => member.isSlow).length;
    // A bulk read is only safe with thermometers alone: the kernel treats the data of other families' drivers
    // as thermometers' (trigger_bulk_read in w1_therm.c).
    const isAlike = this.#found.every((address) => familyOf(address).kind === 'thermometer');
    const haveMeasured =
      slow > 1 &&
      isAlike &&
      (await this.run(true, () => measureAll(this.attributes, this.#host.properties.Bus)));
    const remaining = new Set(due);
    for (const slot of due) {
      // One by one, all devices may take longer than a caller waits, so requested polls come first. After a
      // bulk measurement, reading is quick.
      if (!haveMeasured)
        for (const requested of [...this.#slots.values()].filter(
          ({ request: pending }) => pending !== undefined,
        )) {
          remaining.delete(requested);
          await this.#pollOne(requested);
        }
      if (remaining.delete(slot)) await this.#pollOne(slot);
    }
  }

  async #pollOne(slot: PollSlot): Promise<void> {
    const { member, request: pending } = slot;
    if (this.#slots.get(member) !== slot) return;
    slot.dueMs = nextDueMs(this.#nowMs(), slot);
    slot.request = undefined;
    // The member has reported its error; the other devices are polled anyway.
    const answer = this.run(member.isSlow, () => member.poll());
    await answer.then(pending?.resolve, pending?.reject ?? (() => undefined));
  }
}

/** The next due time: a multiple of the interval, so that devices with the same interval are due together. */
const nextDueMs = (nowMs: number, { member: { everyMs } }: PollSlot) =>
  (Math.floor(nowMs / everyMs) + 1) * everyMs;

const closedError = (what: string) => new DOMException(`${what} is closed`, 'AbortError');
