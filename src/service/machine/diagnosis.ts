import { coded, joined, type CodedText, type Text } from '../../base/codes/coded-text.js';
import { healthy, type HealthFinding } from '../../base/health-check.js';
import { manualPage } from '../../base/manual-page.js';
import { referenceKind, type ReferenceKind } from '../../device/module.js';
import type { BoardFacts } from '../../device/module-registry.js';
import type { Reference } from '../../device/property-references.js';
import {
  ROLLBACK_NOTE,
  type DeviceNode,
  type Machine,
  type User,
  type ConfiguredPort,
} from './machine-facts.js';
import { sensorsCheck } from './sensor-check.js';

/** A configured instance. */
export interface ConfiguredInstance {
  readonly name: string;
  readonly properties: Readonly<Record<string, unknown>>;
  /** The hardware that its properties refer to. */
  readonly references: readonly Pick<Reference, 'refers' | 'value'>[];
}

/** What the configuration requires of a machine. */
export interface MachineRequirements {
  readonly instances: readonly ConfiguredInstance[];
  readonly board: BoardFacts;
}

/** Free space below which the daily backup may fail, and below which the next change may fail. */
const LOW_BYTES = 200e6;
const CRITICAL_BYTES = 20e6;
const LOW_SHARE = 0.05;
/** Used tenths of a card's life that are a warning; the value beyond its life is a failure. */
const WORN_TENTHS = 9;
const EXCEEDED_TENTHS = 11;
/** From this distance to the temperature of an emergency shutdown, or from this temperature, °C. */
const NEAR_CRITICAL = 10;
const HOT = 85;

/**
 * Runs the checks of a machine, for `GW_GetHealth` and for `stellwerk doctor`; returns the findings by name.
 * Omits checks that do not apply: there is no finding for ports if none is configured.
 */
export function diagnose(machine: Machine, purpose: MachineRequirements): ReadonlyMap<string, HealthFinding> {
  const checks = {
    board: boardCheck(machine, purpose),
    rights: rightsCheck(machine, purpose),
    lines: linesCheck(machine, purpose),
    ports: portsCheck(machine, purpose),
    pwm: pwmCheck(machine, purpose),
    sensors: sensorsCheck(machine, sensorsOf(purpose)),
    outputs: outputsCheck(machine),
    update: updateCheck(machine),
    space: spaceCheck(machine),
    card: cardCheck(machine),
    temperature: temperatureCheck(machine),
    power: powerCheck(machine),
  };
  return new Map(
    Object.entries(checks).filter((pair): pair is [string, HealthFinding] => pair[1] !== undefined),
  );
}

/** The kinds of references that the checks compare with the results of a hardware search. */
const SEARCHED = [referenceKind.line, referenceKind.serialPort, referenceKind.channel, referenceKind.sensor];

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

const warning = (text: Text, whatToDo: Text): HealthFinding => ({ state: 'warning', text, whatToDo });

function boardCheck({ compatible }: Machine, { board }: MachineRequirements): HealthFinding | undefined {
  const [machine] = compatible;
  if (machine === undefined) return undefined;
  if (!board.isUnknown) return healthy(coded`BOARD_NAMED: ${board.name}; the device tree names ${machine}`);
  return warning(
    coded`NO_BOARD_FILE_MATCHES_MACHINE: no board file matches this machine (${machine}), so its lines have no names`,
    coded`SET_BOARD_GATEWAY_YAML: set the board in gateway.yaml, or write a board file (${manualPage('hardware/boards.md')})`,
  );
}

/** Whether the gateway's user may open the device nodes that the gateway needs. */
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
  if (denied.length === 0)
    return healthy(coded`USER_MAY_OPEN: ${user.name} may open ${needed.map(({ path }) => path)}`);
  const text = coded`USER_MAY_NOT_OPEN: ${user.name} may not open ${denied.map(
    ({ path, group }) => coded`NODE_OF_GROUP: ${path} (group ${group})`,
  )}`;
  return { state: 'failed', text, whatToDo: rightsAdvice(user, denied) };
}

function rightsAdvice({ name }: User, denied: readonly DeviceNode[]): CodedText {
  if (denied.some(({ isOpen }) => isOpen !== undefined))
    return coded`DOCTOR_SHOWS_FIX: sudo stellwerk doctor shows how to fix it`;
  const open = denied.filter(({ mode, gid }) => (mode & 0o060) === 0o060 && gid !== 0);
  const groups = [...new Set(open.map(({ group }) => group))];
  if (groups.length > 0)
    return coded`RUN_THEN_RESTART: ${groups.map((group) => `sudo usermod -aG ${group} ${name}`).join(' && ')}, then restart the gateway`;
  return coded`ASSIGN_GROUP: assign the device to a group with a udev rule (see systemd/60-stellwerk.rules for GPIO), then sudo udevadm trigger`;
}

/** Applies the kernel's permission rules (path_resolution(7)). */
function mayUse({ uid, gids }: User, node: DeviceNode): boolean {
  if (node.isOpen !== undefined) return node.isOpen;
  if (uid === 0) return true;
  const shift = node.uid === uid ? 6 : gids.includes(node.gid) ? 3 : 0;
  return ((node.mode >> shift) & 6) === 6;
}

/**
 * Settings that make a kernel driver use lines, by the driver's consumer name.
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
  const required = instances.flatMap((instance) =>
    namesOf(instance, referenceKind.line).map((name) => ({ instance, name })),
  );
  const known = required.filter(({ name }) => lines.has(name));
  if (known.length === 0) return undefined;
  const foreign = known.flatMap(({ instance, name }) => {
    const usedBy = lines.get(name)?.usedBy ?? '';
    return usedBy === '' || usedBy.startsWith('stellwerk') ? [] : [{ name, usedBy, instance: instance.name }];
  });
  if (foreign.length === 0)
    return healthy(coded`ALL_CONFIGURED_LINES_AVAILABLE: all ${known.length} configured lines are available`);
  const advice = foreign.map(({ usedBy }) => {
    const setting = overlays.find(([consumer]) => consumer.test(usedBy))?.[1];
    return setting !== undefined && boot !== undefined
      ? coded`REMOVE_SETTING: remove ${setting} from ${boot.path} and reboot`
      : coded`STOP_CONSUMER: stop the program or driver with the consumer name ${usedBy}, or use another line`;
  });
  return warning(
    joined(
      foreign.map(
        ({ name, usedBy, instance }) => coded`LINE_IN_USE_BY: ${name} of ${instance} is in use by ${usedBy}`,
      ),
    ),
    joined(distinct(advice)),
  );
}

/** A port of the machine itself, not of an adapter. */
const UART = /^\/dev\/(serial\d|tty(S|AMA)\d+)$/;
/** A name that another adapter may have after a restart. */
const UNSTABLE = /^\/dev\/tty(USB|ACM)\d+$/;

/** Configured ports: they must exist, have stable names, and not be kernel consoles. */
function portsCheck(machine: Machine, { instances, board }: MachineRequirements): HealthFinding | undefined {
  const { ports, consoles, found } = machine;
  if (ports.length === 0) return undefined;
  const nameOf = (path: string) =>
    instances.find((one) => namesOf(one, referenceKind.serialPort).includes(path))?.name ?? path;
  const problems = ports.flatMap(({ path, node }: ConfiguredPort): [text: CodedText, advice: CodedText][] => {
    const who = nameOf(path);
    const isFound = found.some(({ kind, name }) => kind === 'port' && name === path);
    // A simulated port has no device file.
    if (node === undefined && isFound && board.name === 'simulated') return [];
    if (node === undefined)
      return [[coded`PORT_OF_MISSING: ${path} of ${who} does not exist`, missingAdvice(path, machine)]];
    const tty = node.path.replace('/dev/', '');
    if (consoles.includes(tty))
      return [
        [
          coded`PORT_IS_CONSOLE: ${path} of ${who} is a kernel console`,
          coded`REMOVE_CONSOLE: remove console=… for this port from the kernel's command line (raspi-config: Serial Port; otherwise cmdline.txt), then sudo systemctl disable --now serial-getty@${tty}`,
        ],
      ];
    const stable = found.find(({ kind, name }) => kind === 'port' && name === path)?.id.replace(/^port /, '');
    if (UNSTABLE.test(path) && stable !== undefined && stable !== path)
      return [
        [
          coded`PORT_UNSTABLE: ${path} of ${who} may be another adapter after a restart or when adapters are plugged in again`,
          coded`SET_PORT_TO: set Port to ${stable}`,
        ],
      ];
    return [];
  });
  if (problems.length === 0)
    return healthy(coded`ALL_CONFIGURED_PORTS_EXIST: all ${ports.length} configured ports exist`);
  return warning(
    joined(problems.map(([text]) => text)),
    joined(distinct(problems.map(([, advice]) => advice))),
  );
}

function missingAdvice(path: string, { found, off, boot, compatible }: Machine): CodedText {
  const existing = found.filter(({ kind }) => kind === 'port').map(({ id }) => id.replace(/^port /, ''));
  const other =
    existing.length === 0
      ? coded`NO_OTHER_PORT: there is no other port`
      : coded`EXISTING_PORTS: existing ports: ${existing}`;
  if (!UART.test(path)) return coded`PLUG_IN_OR_SET: plug it in, or set another port (${other})`;
  const buses = off.filter((name) => name.startsWith('serial'));
  const why = buses.length === 0 ? '' : coded`BUSES_DISABLED: ${buses} is disabled in the device tree; `;
  if (boot === undefined)
    return coded`ENABLE_PORT: ${why}enable it in the device tree, or set another port (${other})`;
  const setting = compatible.some((word) => word.startsWith('raspberrypi,5'))
    ? 'dtparam=uart0=on'
    : 'enable_uart=1';
  return boot.settings.includes(setting)
    ? coded`WITH_HINT: ${why}${coded`SETTING_NOT_ACTIVE: ${setting} is in ${boot.path}, but not active: reboot`}`
    : coded`ADD_SETTING: ${why}add ${setting} to ${boot.path} and reboot`;
}

/** The sensor chips that instances are configured for. */
const sensorsOf = ({ instances }: MachineRequirements) =>
  instances.flatMap((one) =>
    namesOf(one, referenceKind.sensor).map((device) => ({ instance: one.name, device })),
  );

/** Configured PWM channels: a Raspberry Pi has none until an overlay assigns pins. */
function pwmCheck({ found, boot }: Machine, { instances }: MachineRequirements): HealthFinding | undefined {
  const required = instances.filter((one) => namesOf(one, referenceKind.channel).length > 0);
  if (required.length === 0) return undefined;
  if (found.some(({ kind }) => kind === 'pwm'))
    return healthy(coded`THERE_PWM_CHANNELS: there are PWM channels`);
  const text = coded`NO_PWM_CHANNEL: ${required.map(({ name }) => name)} needs a PWM channel, and this machine has none`;
  if (boot === undefined)
    return warning(
      text,
      coded`ENABLE_PWM_CHIP_DEVICE: enable the PWM chip in the device tree (${manualPage('hardware/pwm.md')})`,
    );
  const overlay = boot.settings.find((setting) => setting.startsWith('dtoverlay=pwm'));
  return warning(
    text,
    overlay === undefined
      ? coded`ADD_PWM_OVERLAY: add dtoverlay=pwm-2chan to ${boot.path} (${manualPage('hardware/pwm.md')}) and reboot`
      : coded`SETTING_NOT_ACTIVE: ${overlay} is in ${boot.path}, but not active: reboot`,
  );
}

/** Only for `stellwerk doctor`: a running gateway has its own check with this name. */
function outputsCheck({ hasKeeper }: Machine): HealthFinding | undefined {
  if (hasKeeper === undefined) return undefined;
  if (hasKeeper) return healthy(coded`LINE_KEEPER_RUNNING: the line keeper is running`);
  return warning(
    coded`LINE_KEEPER_NOT_RUNNING: the line keeper is not running: outputs are not protected when the gateway stops`,
    coded`START_KEEPER: sudo systemctl start stellwerk-keeper; journalctl -u stellwerk-keeper shows why it stopped`,
  );
}

/** Only if the last update was rolled back. */
function updateCheck({ rollback }: Machine): HealthFinding | undefined {
  if (rollback === undefined) return undefined;
  if (rollback === 'unreadable')
    return warning(
      coded`ROLLBACK_NOTE_UNREADABLE: an update was rolled back, but its note ${ROLLBACK_NOTE} is not readable`,
      coded`FIND_ROLLBACK_IN_JOURNAL: journalctl -t stellwerk-update shows which; then delete the note (sudo rm ${ROLLBACK_NOTE})`,
    );
  const { version, running, time, reason, limit } = rollback;
  const texts = {
    unhealthy: coded`UPDATE_NOT_HEALTHY: version ${version} was rolled back on ${time}: it did not become healthy within ${limit} s; ${running} runs again`,
    configuration: coded`UPDATE_REJECTS_CONFIGURATION: version ${version} was rolled back on ${time}: it rejects the configuration; ${running} runs again`,
    start: coded`UPDATE_NOT_STARTED: version ${version} was rolled back on ${time}: it did not start; ${running} runs again`,
  };
  return warning(
    texts[reason],
    coded`INSTALL_NEXT_VERSION: journalctl -u stellwerk shows the reason; the next update that becomes healthy deletes this note (${ROLLBACK_NOTE})`,
  );
}

function spaceCheck({ space }: Machine): HealthFinding | undefined {
  if (space === undefined) return undefined;
  const text = coded`FREE_SPACE: ${sizeOf(space.free)} of ${sizeOf(space.bytes)} free on the disk of the data directory`;
  if (space.free >= LOW_BYTES && space.free >= space.bytes * LOW_SHARE) return healthy(text);
  return {
    state: space.free < CRITICAL_BYTES ? 'failed' : 'warning',
    text,
    whatToDo: coded`FREE_SOME_SPACE_USE: free some space (sudo du -xh / | sort -h | tail shows the largest folders), or use a larger card`,
  };
}

function cardCheck({ wear }: Machine): HealthFinding | undefined {
  if (wear === undefined) return undefined;
  const { device, tenths, spare } = wear;
  const used =
    tenths >= EXCEEDED_TENTHS
      ? coded`MORE_THAN_LIFE: all of its rated life`
      : coded`SHARE_OF_LIFE: ${(tenths - 1) * 10} to ${tenths * 10} % of its rated life`;
  const text = coded`CARD_WEAR: ${device} reports that ${used} is used up${spare > 1 ? coded`SPARE_BLOCKS: , and most of its spare blocks` : ''}`;
  if (tenths < WORN_TENTHS && spare < 2) return healthy(text);
  const state = tenths >= EXCEEDED_TENTHS || spare > 2 ? 'failed' : 'warning';
  return {
    state,
    text,
    whatToDo: coded`MAKE_BACKUP_REPLACE_CARD: make a backup (stellwerk backup) and replace the card`,
  };
}

function temperatureCheck({ sensors }: Machine): HealthFinding | undefined {
  const { celsius, criticalCelsius, isThrottled } = sensors;
  if (celsius === undefined) return undefined;
  const limit = criticalCelsius === undefined ? HOT : criticalCelsius - NEAR_CRITICAL;
  const text = coded`TEMPERATURE: ${Math.round(celsius)} °C`;
  if (celsius < limit && !isThrottled) return healthy(text);
  return warning(
    isThrottled ? coded`PROCESSOR_SLOWED: ${text}; the processor is slowed down` : text,
    coded`COOL_THE_MACHINE: let air reach it: a larger housing, a heat sink or a fan; a low supply voltage also slows a Raspberry Pi`,
  );
}

function powerCheck({ sensors }: Machine): HealthFinding | undefined {
  const { hasUndervoltage } = sensors;
  if (hasUndervoltage === undefined) return undefined;
  if (!hasUndervoltage) return healthy(coded`VOLTAGE_SUFFICIENT: the supply voltage is sufficient`);
  return warning(
    coded`UNDERVOLTAGE: the supply voltage is too low: the machine may stop, and its card may be damaged`,
    coded`USE_POWER_SUPPLY: use a power supply made for this board and a short, thick cable; give USB devices a supply of their own`,
  );
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

function sizeOf(bytes: number): string {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const number = bytes / 1000 ** step;
  return `${number.toFixed(number < 10 && step > 0 ? 1 : 0)} ${UNITS[step] ?? ''}`;
}

/** Texts without repetitions. */
const distinct = (texts: readonly CodedText[]): CodedText[] => [
  ...new Map(texts.map((one) => [one.text, one])).values(),
];
