/**
 * One emulated arm64 machine: stock Debian kernel, systemd, a GPIO controller whose pins the test drives, two
 * UARTs, a USB port, and no network. It boots cold or continues from a frozen state, and ends when it is
 * disposed of, when this process exits, or when the test cuts its power.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { withinPatience, until } from '../../tools/until.js';
import { GuestAgent } from './agent.js';
import { READY, STICK_BYTES } from '../paths.js';
import { Pins } from './pins.js';
import { Qmp } from './qmp.js';
import { connect } from './wire.js';

/** A cold boot to the agent takes 15 to 40 s on two idle cores; those of CI are not idle. */
const BOOT_LIMIT_MS = 240_000;
const POWER_OFF_LIMIT_MS = 240_000;
/** The console prints one of these if the guest has died. */
const DEAD_GUEST = /lab-init: .*|Kernel panic.*|Internal error: .*|Unable to mount root.*/;
/** Writes go to the disk and, in the same order, to the log. */
const LOGGED = 'driver=blklogwrites,node-name=logged,file=disk';
/** The end of the console, for an error text. */
const CONSOLE_TAIL = 2_000;

/** The emulated board, and the node of its device tree. */
const BOARD = 'virt,gic-version=3';
const BUILT_IN = '-cpu cortex-a53 -m 768 -smp 2 -nodefaults -display none';
const DEVICE_TREE = 'machine.dtb';

const run = promisify(execFile);

/** Options for starting a machine. */
export interface MachineOptions {
  /** A qcow2 file of this machine alone, which is written to. */
  disk: string;
  /** The frozen state in `disk` to continue from; without it the machine boots cold. */
  frozen?: string;
  /** A file that records all writes of the machine to its disk from now on (block-log.ts). */
  writeLog?: string;
  /** A file that the guest sees as the read-only disk /dev/vdb (a memory stick with the bundle). */
  stick?: string;
  /** Source of a device tree with additional devices; such a machine boots cold. */
  devices?: string;
}

/** The serial lines of the machine; their peers are sockets of this process. */
export type SerialLine = 'uart0' | 'uart1' | 'usb';

/** An emulated machine. Use with `await using`. */
export class Machine implements AsyncDisposable {
  readonly #qemu: ChildProcess;
  readonly #folder: string;
  readonly #exited: Promise<unknown>;
  readonly #killOnExit: () => void;
  #qmp: Qmp | undefined;
  #agent: GuestAgent | undefined;
  #pins: Pins | undefined;

  private constructor(options: MachineOptions, folder: string) {
    this.#folder = folder;
    // setpriv: qemu must not outlive a test that is killed.
    const command = ['--pdeathsig', 'KILL', 'qemu-system-aarch64', ...qemuArguments(options, folder)];
    this.#qemu = spawn('setpriv', command, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#killOnExit = () => this.#qemu.kill('SIGKILL');
    process.on('exit', this.#killOnExit);
    this.#exited = once(this.#qemu, 'exit').catch((cause: unknown) =>
      console.error('qemu does not start:', cause),
    );
    this.#watchConsole();
  }

  /** Starts a machine and waits until its agent replies. */
  static async start(options: MachineOptions): Promise<Machine> {
    const folder = await mkdtemp(join(tmpdir(), 'stellwerk-lab-'));
    if (options.devices !== undefined) await writeDeviceTree(options.devices, folder);
    const machine = new Machine(options, folder);
    try {
      machine.#qmp = await Qmp.open(machine.#path('qmp'));
      const agent = GuestAgent.open(machine.#path('agent'), BOOT_LIMIT_MS);
      const ended = machine.#exited.then(() => Promise.reject(new Error('qemu exited')));
      if (options.frozen !== undefined) await machine.#load(options.frozen);
      machine.#agent = await Promise.race([agent, ended]);
      return machine;
    } catch (error) {
      await machine[Symbol.asyncDispose]();
      throw error;
    }
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }

  /** Detects a guest that has died: rejects what waits for it, and prints the console to stderr. */
  #watchConsole(): void {
    let tail = '';
    this.#qemu.stdout?.on('data', (data: Buffer) => {
      tail = (tail + data.toString('latin1')).slice(-CONSOLE_TAIL);
      if (!DEAD_GUEST.test(tail)) return;
      console.error(`the guest died:\n${tail}`);
      this.#qemu.kill('SIGKILL');
    });
  }

  get agent(): GuestAgent {
    if (!this.#agent) throw new Error('the machine to start');
    return this.#agent;
  }

  get qmp(): Qmp {
    if (!this.#qmp) throw new Error('the machine to start');
    return this.#qmp;
  }

  /** The GPIO pins; the first call connects to them. */
  async pins(): Promise<Pins> {
    this.#pins ??= await Pins.open(this.#path('qtest'), this.qmp);
    return this.#pins;
  }

  /** The peer of a serial line. For `usb`, see {@link plugUsbSerial}. */
  line(name: SerialLine): Promise<Socket> {
    return connect(this.#path(name));
  }

  /** The port that the relay in the guest uses. */
  relayPort(): Promise<Socket> {
    return connect(this.#path('relay'));
  }

  /**
   * Plugs in a USB serial adapter (an FTDI) and returns the peer of its line. Destroying that socket unplugs
   * the adapter; another call plugs in the same one.
   */
  async plugUsbSerial(): Promise<Socket> {
    const id = 'adapter';
    const bus = (await this.qmp.execute('qom-list', { path: '/machine/peripheral' })) as { name: string }[];
    if (!bus.some(({ name }) => name === id)) {
      await this.qmp.execute('device_add', {
        driver: 'usb-serial',
        id,
        bus: 'xhci.0',
        chardev: 'usb',
        serial: 'LAB1',
      });
    }
    return this.line('usb');
  }

  /**
   * Continues from a frozen state. (-loadvm would do so at the start, but rejects a disk whose writes are
   * recorded.)
   */
  async #load(tag: string): Promise<void> {
    const job = 'load';
    await this.qmp.execute('snapshot-load', { 'job-id': job, tag, vmstate: 'disk', devices: ['disk'] });
    const { error } = await until(
      `the frozen machine ${tag}`,
      async () => {
        const jobs = (await this.qmp.execute('query-jobs')) as {
          id: string;
          status: string;
          error?: string;
        }[];
        return jobs.find(({ id, status }) => id === job && status === 'concluded');
      },
      BOOT_LIMIT_MS,
    );
    if (error !== undefined) throw new Error(`${tag}: ${error}`);
    await this.qmp.execute('cont');
  }

  /** Freezes the running machine into its disk file under a name. */
  async freeze(name: string): Promise<void> {
    await this.qmp.monitor(`savevm ${name}`);
  }

  /** Cuts the power without a notice to the guest. What its disk has accepted is kept. */
  async cut(): Promise<void> {
    this.#qemu.kill('SIGKILL');
    await this.#exited;
  }

  /** Shuts the guest down cleanly. */
  async powerOff(): Promise<void> {
    await this.agent.start('systemctl poweroff');
    await this.off();
  }

  /** Waits until the machine has powered off. */
  async off(): Promise<void> {
    await withinPatience('the machine to power off', this.#exited, POWER_OFF_LIMIT_MS);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    process.off('exit', this.#killOnExit);
    for (const part of [this.#pins, this.#agent, this.#qmp]) part?.[Symbol.dispose]();
    await this.cut();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** Writes the device tree that qemu would provide, with these devices added, for {@link qemuArguments}. */
async function writeDeviceTree(devices: string, folder: string): Promise<void> {
  const [own, all] = [join(folder, 'own.dtb'), join(folder, 'all.dts')];
  await run('qemu-system-aarch64', `-M ${BOARD},dumpdtb=${own} ${BUILT_IN}`.split(' '));
  const { stdout } = await run('dtc', ['-q', '-I', 'dtb', '-O', 'dts', own]);
  writeFileSync(all, stdout + readFileSync(devices, 'utf8'));
  await run('dtc', ['-q', '-I', 'dts', '-O', 'dtb', '-o', join(folder, DEVICE_TREE), all]);
}

/**
 * The machine's hardware, as options of qemu. A frozen machine only continues on exactly the same hardware.
 */
function qemuArguments(options: MachineOptions, folder: string): string[] {
  const { disk, writeLog, stick, frozen, devices } = options;
  if (/[ ,]/.test(READY.kernel + folder)) throw new Error('the lab needs paths without spaces and commas');
  const socket = (id: string): string =>
    `-chardev socket,id=${id},path=${join(folder, id)},server=on,wait=off`;
  const words = [
    `-M ${BOARD} ${BUILT_IN} -accel tcg,thread=multi,tb-size=512 -no-reboot`,
    devices === undefined ? '' : `-dtb ${join(folder, DEVICE_TREE)}`,
    `-kernel ${READY.kernel} -initrd ${READY.initramfs}`,
    '-chardev stdio,id=console,signal=off -serial chardev:console',
    `-qmp unix:${join(folder, 'qmp')},server=on,wait=off`,
    `-qtest unix:${join(folder, 'qtest')},server=on,wait=off -qtest-log /dev/null`,
    `-blockdev driver=qcow2,node-name=disk,discard=unmap,file.driver=file,file.filename=${disk}`,
    writeLog === undefined ? '' : `-blockdev ${LOGGED},log.driver=file,log.filename=${writeLog}`,
    `-device virtio-blk-pci,drive=${writeLog === undefined ? 'disk' : 'logged'}`,
    `-drive file=${stick ?? emptyStick(folder)},if=none,id=stick,format=raw,readonly=on`,
    '-device virtio-blk-pci,drive=stick',
    '-device virtio-serial-pci -device virtio-rng-pci -device qemu-xhci,id=xhci',
    `${socket('agent')} -device virtserialport,chardev=agent,name=org.qemu.guest_agent.0`,
    `${socket('relay')} -device virtserialport,chardev=relay,name=stellwerk.lab.relay`,
    // Two cards with one port each: qemu's card with two ports can't be frozen.
    `${socket('uart0')} -device pci-serial,chardev=uart0`,
    `${socket('uart1')} -device pci-serial,chardev=uart1`,
    socket('usb'),
    frozen === undefined ? '' : '-S',
  ].flatMap((option) => option.split(' ').filter((word) => word !== ''));
  return [...words, '-append', 'console=ttyAMA0 root=/dev/vda panic=-1 quiet systemd.show_status=0'];
}

/** A file for the drive, which always exists and always has the same size. */
function emptyStick(folder: string): string {
  const path = join(folder, 'stick.raw');
  writeFileSync(path, '');
  truncateSync(path, STICK_BYTES);
  return path;
}
