import { healthy, type HealthFinding } from '../base/health-check.js';
import { manualPage } from '../base/manual-page.js';
import { referenceKind, type ReferenceKind } from '../device/module.js';
import type { BoardFacts } from '../device/module-registry.js';
import type { Reference } from '../device/property-references.js';
import type { DeviceNode, Machine, User, ConfiguredPort } from './machine-facts.js';

/** An instance, as it is configured. */
export interface ConfiguredInstance {
  readonly name: string;
  readonly properties: Readonly<Record<string, unknown>>;
  /** What its properties refer to. */
  readonly references: readonly Pick<Reference, 'refers' | 'value'>[];
}

/** What the configuration requires of a machine. */
export interface MachineRequirements {
  readonly instances: readonly ConfiguredInstance[];
  readonly board: BoardFacts;
}

/** Under this the daily backup may not fit, and under that the next change may not. */
const LOW_BYTES = 200e6;
const CRITICAL_BYTES = 20e6;
const LOW_SHARE = 0.05;
/** Tenths of a card's life: the last but one has begun. */
const WORN_TENTHS = 9;
const BEYOND_TENTHS = 11;

/**
 * The checks of a machine by their names, for `GW_GetHealth` and for `stellwerk doctor`. What does not
 * concern it is left out: a PC has no overlays, and where no port is configured none is missing.
 */
export function diagnose(machine: Machine, purpose: MachineRequirements): ReadonlyMap<string, HealthFinding> {
  const checks = {
    board: boardCheck(machine, purpose),
    rights: rightsCheck(machine, purpose),
    lines: linesCheck(machine, purpose),
    ports: portsCheck(machine, purpose),
    pwm: pwmCheck(machine, purpose),
    outputs: outputsCheck(machine),
    space: spaceCheck(machine),
    card: cardCheck(machine),
  };
  return new Map(
    Object.entries(checks).filter((pair): pair is [string, HealthFinding] => pair[1] !== undefined),
  );
}

/** The kinds of references that the checks compare with the results of a hardware search. */
const SEARCHED = [referenceKind.line, referenceKind.serialPort, referenceKind.channel];

/** The kinds of hardware to search for: only what an instance uses. */
export function searchedKinds(instances: readonly ConfiguredInstance[]): ReferenceKind[] {
  return SEARCHED.filter((kind) => instances.some((one) => namesOf(one, kind).length > 0));
}

/** Paths of ports that instances are configured for. */
export function portsOf(instances: readonly ConfiguredInstance[]): string[] {
  return [...new Set(instances.flatMap((one) => namesOf(one, referenceKind.serialPort)))];
}

/**
 * The hardware of one kind that an instance is configured for. A line that is an offset is named with its
 * chip, as in a search; a port only has a path if it is not selected by the identity of its adapter.
 */
function namesOf({ properties, references }: ConfiguredInstance, kind: ReferenceKind): string[] {
  const names = references.flatMap(({ refers, value }) => (refers === kind ? [String(value)] : []));
  if (kind === referenceKind.serialPort) return names.filter((name) => name.startsWith('/'));
  const { Chip } = properties;
  const isOnChip = kind === referenceKind.line && typeof Chip === 'string' && Chip !== '';
  return isOnChip ? names.map((name) => (/^\d+$/.test(name) ? `${Chip}/${name}` : name)) : names;
}

const warning = (text: string, whatToDo: string): HealthFinding => ({ state: 'warning', text, whatToDo });

function boardCheck({ compatible }: Machine, { board }: MachineRequirements): HealthFinding | undefined {
  const [machine] = compatible;
  if (machine === undefined) return undefined;
  if (!board.isUnknown) return healthy(`${board.name}, the machine says ${machine}`);
  return warning(
    `no board file knows this machine (${machine}), so its lines have no names`,
    `name the board in gateway.yaml, or describe it (${manualPage('hardware/boards.md')})`,
  );
}

/** Whether who runs the gateway may open what it needs. */
function rightsCheck(
  { user, chips, ports }: Machine,
  { instances, board }: MachineRequirements,
): HealthFinding | undefined {
  const needsLines =
    board.name !== 'simulated' &&
    (board.name !== 'generic' || instances.some((one) => namesOf(one, referenceKind.line).length > 0));
  const needed = [...(needsLines ? chips : []), ...ports.flatMap(({ node }) => node ?? [])];
  if (needed.length === 0) return undefined;
  const denied = needed.filter((node) => !mayUse(user, node));
  if (denied.length === 0) return healthy(`${user.name} may open ${listed(needed.map(({ path }) => path))}`);
  const text = `${user.name} may not open ${listed(denied.map(({ path, group }) => `${path} (group ${group})`))}`;
  return { state: 'failed', text, whatToDo: rightsAdvice(user, denied) };
}

function rightsAdvice({ name }: User, denied: readonly DeviceNode[]): string {
  if (denied.some(({ isOpen }) => isOpen !== undefined)) return 'sudo stellwerk doctor shows how to fix it';
  const open = denied.filter(({ mode, gid }) => (mode & 0o060) === 0o060 && gid !== 0);
  const groups = [...new Set(open.map(({ group }) => group))];
  if (groups.length > 0)
    return `${groups.map((group) => `sudo usermod -aG ${group} ${name}`).join(' && ')}, then restart the gateway`;
  return 'give it to a group by a udev rule (systemd/60-stellwerk.rules has those for GPIO), then sudo udevadm trigger';
}

/** As the kernel decides it (path_resolution(7)). */
function mayUse({ uid, gids }: User, node: DeviceNode): boolean {
  if (node.isOpen !== undefined) return node.isOpen;
  if (uid === 0) return true;
  const shift = node.uid === uid ? 6 : gids.includes(node.gid) ? 3 : 0;
  return ((node.mode >> shift) & 6) === 6;
}

/**
 * What to do about a line that a kernel driver uses; the driver is recognised by its consumer name.
 */
const overlays: readonly (readonly [consumer: RegExp, setting: string])[] = [
  [/^spi\d/i, 'dtparam=spi=on'],
  [/^i2c|^fe\w+\.i2c/i, 'dtparam=i2c_arm=on'],
  [/^(w1|onewire)/i, 'dtoverlay=w1-gpio'],
  [/^(gpio-?fan|fan)/i, 'dtoverlay=gpio-fan'],
];

/** Configured lines that another program or driver uses. */
function linesCheck({ found, boot }: Machine, { instances }: MachineRequirements): HealthFinding | undefined {
  const all = found.filter(({ kind }) => kind === 'line');
  const lines = new Map(
    all.flatMap((line) => [line.name, line.id.replace(/^line /, '')].map((name) => [name, line])),
  );
  const wanted = instances.flatMap((instance) =>
    namesOf(instance, referenceKind.line).map((name) => ({ instance, name })),
  );
  const known = wanted.filter(({ name }) => lines.has(name));
  if (known.length === 0) return undefined;
  const foreign = known.flatMap(({ instance, name }) => {
    const usedBy = lines.get(name)?.usedBy ?? '';
    return usedBy === '' || usedBy.startsWith('stellwerk') ? [] : [{ name, usedBy, instance: instance.name }];
  });
  if (foreign.length === 0)
    return healthy(`all ${known.length} that are configured are free for the gateway`);
  const advice = foreign.map(({ usedBy }) => {
    const setting = overlays.find(([consumer]) => consumer.test(usedBy))?.[1];
    return setting !== undefined && boot !== undefined
      ? `take ${setting} out of ${boot.path} and reboot`
      : `stop what uses it as ${usedBy}, or take another line`;
  });
  return warning(
    foreign.map(({ name, usedBy, instance }) => `${name} of ${instance} is in use by ${usedBy}`).join('; '),
    [...new Set(advice)].join('; '),
  );
}

/** A port of the machine itself, rather than of an adapter. */
const UART = /^\/dev\/(serial\d|tty(S|AMA)\d+)$/;
/** A name that another adapter can have after a restart. */
const UNSTABLE = /^\/dev\/tty(USB|ACM)\d+$/;

/** Configured ports: they must exist, have stable names, and not be kernel consoles. */
function portsCheck(machine: Machine, { instances }: MachineRequirements): HealthFinding | undefined {
  const { ports, consoles, found } = machine;
  if (ports.length === 0) return undefined;
  const nameOf = (path: string) =>
    instances.find((one) => namesOf(one, referenceKind.serialPort).includes(path))?.name ?? path;
  const problems = ports.flatMap(({ path, node }: ConfiguredPort): [text: string, advice: string][] => {
    const who = nameOf(path);
    if (node === undefined) return [[`${path} of ${who} is not there`, missingAdvice(path, machine)]];
    const tty = node.path.replace('/dev/', '');
    if (consoles.includes(tty))
      return [
        [
          `the kernel talks on ${path} of ${who}`,
          `take console=… of that port out of the kernel's command line (raspi-config: Serial Port; else cmdline.txt), then sudo systemctl disable --now serial-getty@${tty}`,
        ],
      ];
    const stable = found.find(({ kind, name }) => kind === 'port' && name === path)?.id.replace(/^port /, '');
    if (UNSTABLE.test(path) && stable !== undefined && stable !== path)
      return [
        [
          `${path} of ${who} is another adapter's when they are plugged in in another order`,
          `set Port to ${stable}`,
        ],
      ];
    return [];
  });
  if (problems.length === 0) return healthy(`all ${ports.length} that are configured are there`);
  return warning(
    problems.map(([text]) => text).join('; '),
    [...new Set(problems.map(([, advice]) => advice))].join('; '),
  );
}

function missingAdvice(path: string, { found, off, boot, compatible }: Machine): string {
  const there = found.filter(({ kind }) => kind === 'port').map(({ id }) => id.replace(/^port /, ''));
  const other = there.length === 0 ? 'there is no other port' : `there is ${listed(there)}`;
  if (!UART.test(path)) return `plug it in, or name one that is there (${other})`;
  const buses = off.filter((name) => name.startsWith('serial'));
  const why = buses.length === 0 ? '' : `${listed(buses)} is switched off in the device tree; `;
  if (boot === undefined) return `${why}switch it on in the device tree, or name another (${other})`;
  const setting = compatible.some((word) => word.startsWith('raspberrypi,5'))
    ? 'dtparam=uart0=on'
    : 'enable_uart=1';
  return boot.settings.includes(setting)
    ? `${why}${setting} is in ${boot.path}, but not active: reboot`
    : `${why}add ${setting} to ${boot.path} and reboot`;
}

/** Configured PWM channels: a Raspberry Pi has none until an overlay assigns pins. */
function pwmCheck({ found, boot }: Machine, { instances }: MachineRequirements): HealthFinding | undefined {
  const wanted = instances.filter((one) => namesOf(one, referenceKind.channel).length > 0);
  if (wanted.length === 0) return undefined;
  if (found.some(({ kind }) => kind === 'pwm')) return healthy('there are PWM channels');
  const text = `${listed(wanted.map(({ name }) => name))} needs a PWM channel, and this machine shows none`;
  if (boot === undefined)
    return warning(text, `switch the PWM chip on in the device tree (${manualPage('hardware/pwm.md')})`);
  const overlay = boot.settings.find((setting) => setting.startsWith('dtoverlay=pwm'));
  return warning(
    text,
    overlay === undefined
      ? `add dtoverlay=pwm-2chan to ${boot.path} (${manualPage('hardware/pwm.md')}) and reboot`
      : `${overlay} is in ${boot.path}, but not active: reboot`,
  );
}

/** Of a gateway that can't be asked; a running one has a check of that name that knows more. */
function outputsCheck({ hasKeeper }: Machine): HealthFinding | undefined {
  if (hasKeeper === undefined) return undefined;
  if (hasKeeper) return healthy('the line keeper is there to guard them');
  return warning(
    'the line keeper does not run: outputs are not guarded when the gateway ends',
    'sudo systemctl start stellwerk-keeper; journalctl -u stellwerk-keeper says why it ended',
  );
}

function spaceCheck({ space }: Machine): HealthFinding | undefined {
  if (space === undefined) return undefined;
  const text = `${sizeOf(space.free)} of ${sizeOf(space.bytes)} free where the data is`;
  if (space.free >= LOW_BYTES && space.free >= space.bytes * LOW_SHARE) return healthy(text);
  return {
    state: space.free < CRITICAL_BYTES ? 'failed' : 'warning',
    text,
    whatToDo:
      'free some space (sudo du -xh / | sort -h | tail shows the largest folders), or take a larger card',
  };
}

function cardCheck({ wear }: Machine): HealthFinding | undefined {
  if (wear === undefined) return undefined;
  const { device, tenths, spare } = wear;
  const used =
    tenths >= BEYOND_TENTHS ? 'more than its life' : `${(tenths - 1) * 10} to ${tenths * 10} % of its life`;
  const text = `${device} says that ${used} is used up${spare > 1 ? ', and most of its spare blocks' : ''}`;
  if (tenths < WORN_TENTHS && spare < 2) return healthy(text);
  const state = tenths >= BEYOND_TENTHS || spare > 2 ? 'failed' : 'warning';
  return { state, text, whatToDo: 'make a backup (stellwerk backup) and replace it' };
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

function sizeOf(bytes: number): string {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const number = bytes / 1000 ** step;
  return `${number.toFixed(number < 10 && step > 0 ? 1 : 0)} ${UNITS[step] ?? ''}`;
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
