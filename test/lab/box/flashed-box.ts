/**
 * An emulated board that starts the flashable image as a real one does: its firmware is U-Boot (Debian's
 * u-boot-qemu), which finds boot script, slots and kernel on the card. With BOARD=generic-x64 it is a PC with a
 * SATA disk, whose BIOS (or UEFI, with PC_FIRMWARE=uefi) starts the GRUB that is on the disk. The test talks to the guest agent,
 * which the lab adds to the slots, and reads the serial console; there is no network.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until, withinPatience } from '../../tools/until.js';
import { GuestAgent, type CommandResult } from '../machine/agent.js';
import { Pins } from '../machine/pins.js';
import { Qmp } from '../machine/qmp.js';
import { BOARD, PREPARED } from './paths.js';

/** A start takes about 40 s on two idle cores; those of a shared machine are not idle. */
const START_LIMIT_MS = 1_800_000;
/** 640 MB, each block of which is checked. */
const INSTALL_LIMIT_MS = 1_800_000;
const POWER_OFF_LIMIT_MS = 180_000;
const CARD_BYTES = '4G';
const USB_BYTES = '256M';
/** Debian's package u-boot-qemu. */
export const UBOOT = '/usr/lib/u-boot/qemu_arm64/u-boot.bin';
/** Debian's package ovmf. */
const UEFI = '/usr/share/ovmf/OVMF.fd';
/** The end of the console, for an error text. */
const CONSOLE_TAIL = 2_000;
/** A network of qemu that leads nowhere; qemu chooses the port of this machine. */
const NETWORK = '-nic user,restrict=on,model=virtio-net-pci,hostfwd=tcp:127.0.0.1:0-:443';
const FORWARDED = /HOST_FORWARD\]\s+\d+\s+127\.0\.0\.1\s+(\d+)\s/;
/** U-Boot prints this line at each start. */
const CHOSEN = /box: slot ([AB]), order [^\r\n]*/g;

const run = promisify(execFile);

/**
 * A card of the test, as it is after the image was written to it, and, if it is given, `box-setup.txt` to its
 * first partition. Returns its file.
 */
export async function writeCard(directory: string, setup?: string): Promise<string> {
  const card = join(directory, 'card.qcow2');
  let image: string = PREPARED.disk;
  if (setup !== undefined) {
    image = join(directory, 'image');
    const file = join(directory, 'box-setup.txt');
    await writeFile(file, setup);
    await run('cp', ['--sparse=always', PREPARED.disk, image]);
    await run('mcopy', ['-i', `${image}@@4M`, file, '::']);
  }
  await run('qemu-img', ['create', '-q', '-f', 'qcow2', '-F', 'raw', '-b', image, card, CARD_BYTES]);
  return card;
}

/** An empty memory stick, as it is sold. Returns its file. */
export async function makeUsbStick(directory: string): Promise<string> {
  const stick = join(directory, 'usb');
  await run('truncate', ['-s', USB_BYTES, stick]);
  await run('/usr/sbin/mkfs.vfat', ['-F', '32', '-n', 'BACKUP', stick]);
  return stick;
}

/** Mounts the stick with the updates (`/run/stick/NAME.raucb`). */
export async function mountStick(agent: GuestAgent): Promise<void> {
  // The card of the PC is a SATA disk, that of the other board the first virtio disk.
  const stick = BOARD === 'generic-x64' ? '/dev/vda' : '/dev/vdb';
  await agent.run(`mkdir -p /run/stick && (mountpoint -q /run/stick || mount -o ro ${stick} /run/stick)`);
}

/** Installs an update of the stick to its end. */
export async function installUpdate(agent: GuestAgent, name: string): Promise<CommandResult> {
  await mountStick(agent);
  return agent.try(`stellwerk update install /run/stick/${name}.raucb`, INSTALL_LIMIT_MS);
}

/** What a box starts with, other than its card. */
interface SwitchOnOptions {
  /** The file of a memory stick in a USB port. */
  readonly usb?: string | undefined;
  /** A snapshot in the card that {@link FlashedBox.freeze} has made, from which the box continues. */
  readonly frozen?: string;
  /** The test reaches the box's web server, and the box reaches nothing; wires are at its GPIO pins. */
  readonly isConnected?: boolean;
}

/** A running box. Use with `await using`. */
export class FlashedBox implements AsyncDisposable {
  readonly #folder: string;
  readonly #qemu: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #killOnExit = () => this.#qemu.kill('SIGKILL');
  #agent: GuestAgent | undefined;

  private constructor(card: string, folder: string, options: SwitchOnOptions) {
    this.#folder = folder;
    // setpriv: qemu must not outlive a test that is killed.
    const program = BOARD === 'generic-x64' ? 'qemu-system-x86_64' : 'qemu-system-aarch64';
    const command = ['--pdeathsig', 'KILL', program, ...qemuArguments(card, folder, options)];
    this.#qemu = spawn('setpriv', command, { stdio: ['ignore', 'inherit', 'inherit'] });
    process.on('exit', this.#killOnExit);
    this.#exited = once(this.#qemu, 'exit');
  }

  /** Switches a box with this card on; does not wait for anything. */
  static async switchOn(card: string, options: SwitchOnOptions = {}): Promise<FlashedBox> {
    return new FlashedBox(card, await mkdtemp(join(tmpdir(), 'stellwerk-box-')), options);
  }

  /**
   * Keeps the state of the running box, with its memory, in its card under a name. Returns what the console has
   * printed until then.
   */
  async freeze(name: string): Promise<string> {
    using qmp = await this.control();
    await qmp.execute('stop');
    await qmp.monitor(`savevm ${name}`);
    const printed = this.console();
    await qmp.execute('cont');
    return printed;
  }

  /** The port of this machine that leads to the web server of a connected box. */
  async webPort(): Promise<number> {
    using qmp = await this.control();
    const command = { 'command-line': 'info usernet' };
    const text = String(await qmp.execute('human-monitor-command', command));
    const [, port] = FORWARDED.exec(text) ?? [];
    if (port === undefined) throw new Error(`no forwarded port in: ${text}`);
    return Number(port);
  }

  /** The wires at the GPIO pins of a connected box. */
  async pins(): Promise<Pins> {
    using qmp = await this.control();
    return await Pins.open(join(this.#folder, 'qtest'), qmp);
  }

  /** A connection to qemu's control protocol. */
  control(): Promise<Qmp> {
    return Qmp.open(join(this.#folder, 'qmp'));
  }

  /** The guest agent; see {@link up}. */
  get agent(): GuestAgent {
    if (!this.#agent) throw new Error('the box is not up');
    return this.#agent;
  }

  /** The slots that U-Boot has chosen since the box was switched on. */
  get chosenSlots(): string[] {
    return [...this.console().matchAll(CHOSEN)].map(([, slot = '']) => slot);
  }

  /** What the serial console has printed since the box was switched on. */
  console(): string {
    try {
      return readFileSync(join(this.#folder, 'console'), 'latin1');
    } catch {
      return '';
    }
  }

  /** Waits until the console has printed something. */
  async printed(pattern: RegExp): Promise<RegExpExecArray> {
    return this.#withConsole(
      until(`on the console: ${pattern}`, () => pattern.exec(this.console()), START_LIMIT_MS),
    );
  }

  /** Waits until the system is up. */
  async up(): Promise<void> {
    this.#agent?.[Symbol.dispose]();
    this.#agent = await this.#withConsole(GuestAgent.open(join(this.#folder, 'agent'), START_LIMIT_MS));
  }

  /** Waits until box-confirm.service has decided about the slot; returns its verdict. */
  async verdict(): Promise<string> {
    return this.#withConsole(
      this.agent.run('until [ -e /run/box/verdict ]; do sleep 1; done; cat /run/box/verdict', START_LIMIT_MS),
    );
  }

  /** Makes the box restart, and waits until U-Boot has chosen a slot `times` times; returns these slots. */
  async restart(times = 1): Promise<string[]> {
    const before = this.chosenSlots.length;
    await this.agent.start('systemctl --no-block reboot');
    await this.#withConsole(
      until('U-Boot', () => this.chosenSlots.length >= before + times, START_LIMIT_MS * times),
    );
    return this.chosenSlots.slice(before);
  }

  /** Shuts the box down cleanly. */
  async powerOff(): Promise<void> {
    await this.agent.start('systemctl poweroff');
    await withinPatience('the box to power off', this.#exited, POWER_OFF_LIMIT_MS);
  }

  /** Cuts the power. */
  async cut(): Promise<void> {
    process.off('exit', this.#killOnExit);
    this.#agent?.[Symbol.dispose]();
    this.#qemu.kill('SIGKILL');
    await this.#exited;
  }

  /** Cuts the power, and deletes what the console has printed. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.cut();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #withConsole<T>(waiting: Promise<T>): Promise<T> {
    try {
      return await waiting;
    } catch (thrown) {
      throw new Error(`the console ends with:\n${this.console().slice(-CONSOLE_TAIL)}`, { cause: thrown });
    }
  }
}

/** The board, as options of qemu. A reset starts U-Boot again; the watchdog resets. */
function qemuArguments(
  card: string,
  folder: string,
  { usb, frozen, isConnected = false }: SwitchOnOptions,
): string[] {
  const wires = `${NETWORK} -qtest unix:${join(folder, 'qtest')},server=on,wait=off -qtest-log /dev/null`;
  const stick = `-device qemu-xhci -drive file=${usb},if=none,id=usb,format=raw -device usb-storage,drive=usb`;
  return [
    ...(BOARD === 'generic-x64' ? pc(card) : arm64Board(card)),
    '-accel tcg,thread=multi,tb-size=512 -m 768 -smp 2 -nodefaults -display none',
    `-chardev file,id=console,path=${join(folder, 'console')} -serial chardev:console`,
    `-drive file=${PREPARED.stick},if=none,id=stick,format=raw,readonly=on -device virtio-blk-pci,drive=stick`,
    `-device virtio-serial-pci -chardev socket,id=agent,path=${join(folder, 'agent')},server=on,wait=off`,
    '-device virtserialport,chardev=agent,name=org.qemu.guest_agent.0',
    '-device virtio-rng-pci -device i6300esb -action watchdog=reset',
    `-qmp unix:${join(folder, 'qmp')},server=on,wait=off`,
    ...(usb === undefined ? [] : [stick]),
    ...(frozen === undefined ? [] : [`-loadvm ${frozen}`]),
    ...(isConnected ? [wires] : []),
  ].flatMap((options) => options.split(' '));
}

function arm64Board(card: string): string[] {
  return [
    `-M virt,gic-version=3,acpi=off -cpu cortex-a53 -bios ${UBOOT}`,
    `-drive file=${card},if=none,id=card,format=qcow2,discard=unmap -device virtio-blk-pci,drive=card,bootindex=0`,
  ];
}

function pc(card: string): string[] {
  return [
    '-M q35 -cpu Nehalem',
    ...(process.env['PC_FIRMWARE'] === 'uefi' ? [`-bios ${UEFI}`] : []),
    `-drive file=${card},if=none,id=card,format=qcow2,discard=unmap -device ide-hd,drive=card,bootindex=0`,
  ];
}
