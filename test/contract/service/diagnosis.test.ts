import { chmod, mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Type } from '@sinclair/typebox';
import t, { type Test } from 'tap';
import type { HardwareItem } from '../../../src/device/hardware-search.js';
import { referenceKind, type ReferenceKind } from '../../../src/device/module.js';
import type { Properties } from '../../../src/device/properties.js';
import { referencesIn } from '../../../src/device/property-references.js';
import {
  diagnose,
  portsOf,
  searchedKinds,
  type ConfiguredInstance,
  type MachineRequirements,
} from '../../../src/service/machine/diagnosis.js';
import { readBoardSensors, type BoardSensors } from '../../../src/service/machine/board-sensors.js';
import { inspectMachine, type Machine } from '../../../src/service/machine/machine-facts.js';
import { tempDirectory } from '../../tools/temp-directory.js';

const pi: MachineRequirements['board'] = { name: 'raspberry-pi-4', isUnknown: false };
const pc: MachineRequirements['board'] = { name: 'generic', isUnknown: true };

/** A machine without any hardware. */
const bare: Machine = {
  user: { name: 'stellwerk', uid: 900, gids: [900, 997] },
  compatible: [],
  chips: [],
  ports: [],
  consoles: [],
  off: [],
  boot: undefined,
  hasKeeper: undefined,
  rollback: undefined,
  space: undefined,
  wear: undefined,
  sensors: {
    celsius: undefined,
    criticalCelsius: undefined,
    isThrottled: false,
    hasUndervoltage: undefined,
  },
  i2c: { buses: [], chips: [] },
  found: [],
};
const boot = { path: '/boot/firmware/config.txt', settings: ['dtparam=spi=on'] };
const node = (path: string, more = {}) => ({ path, uid: 0, gid: 997, group: 'gpio', mode: 0o660, ...more });
const line = (name: string, usedBy: string): HardwareItem => ({
  id: `line ${name}`,
  kind: 'line',
  name,
  about: '',
  usedBy,
  instance: 0,
  makes: [],
});
const port = (name: string, stable: string): HardwareItem => ({
  ...line(name, ''),
  kind: 'port',
  id: `port ${stable}`,
});
/** An instance whose module has properties that refer to hardware; only some of them are set. */
const refers = (kind: ReferenceKind) => Type.String({ refers: kind });
const hardware = Type.Object({
  Line: refers(referenceKind.line),
  Down: refers(referenceKind.line),
  Lines: Type.Array(refers(referenceKind.line)),
  Port: refers(referenceKind.serialPort),
  Channel: refers(referenceKind.channel),
});
const instance = (name: string, properties: Properties): ConfiguredInstance => ({
  name,
  properties,
  references: [...referencesIn(hardware, properties)],
});
const relay = instance('Pump', { Line: 'GPIO8' });
const meter = (Port: string) => instance('Meter', { Port });

/** One check of a machine as a text: its state, its text and the remedy; undefined if it does not apply. */
function check(
  name: string,
  machine: Partial<Machine>,
  purpose: Partial<MachineRequirements> = {},
): string | undefined {
  const found = diagnose({ ...bare, ...machine }, { instances: [], board: pi, ...purpose }).get(name);
  return found && [found.state, found.text, found.whatToDo].filter((part) => part !== '').join(' | ');
}

t.test('checks that do not apply to the machine are omitted', async (t) => {
  t.strictSame([...diagnose(bare, { instances: [], board: pc }).keys()], []);
  t.equal(check('rights', { chips: [node('/dev/gpiochip0', { mode: 0o600 })] }, { board: pc }), undefined);
  t.equal(check('lines', { found: [line('GPIO8', 'spi0 CS0')] }), undefined, 'no instance uses the line');
});

t.test('only hardware that an instance uses is checked', async (t) => {
  t.strictSame(searchedKinds([]), []);
  t.strictSame(searchedKinds([instance('x', { Line: '', Port: '0403:6001:A1' })]), []);
  t.strictSame(searchedKinds([relay, meter('/dev/ttyS1')]), ['line', 'serialPort']);
  t.strictSame(searchedKinds([instance('x', { Lines: ['A'], Channel: '0' })]), ['line', 'channel']);
  t.strictSame(searchedKinds([{ ...relay, references: [] }]), [], 'names of properties have no meaning');
});

t.test('only a simulated port has no device file', async (t) => {
  const machine = { ports: [{ path: '/dev/ttySML', node: undefined }], found: [port('/dev/ttySML', '')] };
  const instances = [meter('/dev/ttySML')];
  t.match(check('ports', machine, { instances, board: { ...pc, name: 'simulated' } }), /^ok/);
  t.match(check('ports', machine, { instances }), /^warning \| \/dev\/ttySML of Meter does not exist/);
});

t.test('a machine without a board file is reported, if it has a device tree', async (t) => {
  t.match(
    check('board', { compatible: ['vendor,box', 'vendor,soc'] }, { board: pc }),
    /^warning.*vendor,box.*boards\.md/,
  );
  t.match(check('board', { compatible: ['raspberrypi,4-model-b'] }), /^ok \| raspberry-pi-4/);
});

t.test(
  'missing permissions are reported as the kernel sees them, with the command that corrects them',
  async (t) => {
    const chips = [node('/dev/gpiochip0'), node('/dev/gpiochip1')];
    t.match(check('rights', { chips }), /^ok \| stellwerk may open \/dev\/gpiochip0 and \/dev\/gpiochip1$/);
    const others = { name: 'stellwerk', uid: 900, gids: [900] };
    t.equal(
      check('rights', { chips: chips.slice(0, 1), user: others }),
      'failed | stellwerk may not open /dev/gpiochip0 (group gpio) | sudo usermod -aG gpio stellwerk, then restart the gateway',
    );
    t.match(check('rights', { chips, user: { name: 'root', uid: 0, gids: [0] } }), /^ok/);
    t.match(check('rights', { chips, user: { name: 'x', uid: 0, gids: [] } }), /^ok/);
    t.match(
      check('rights', { chips: [node('/dev/gpiochip0', { gid: 0, group: 'root', mode: 0o600 })] }),
      /^failed.*udev rule/,
    );
    t.match(check('rights', { chips: [node('/dev/gpiochip0', { uid: 900, gid: 0, mode: 0o600 })] }), /^ok/);
    t.match(
      check('rights', { chips: [node('/dev/gpiochip0', { uid: 900, mode: 0o060 })] }),
      /^failed/,
      'the owner is no member',
    );
    const messages = (isOpen: boolean) =>
      check('rights', { chips: [node('/dev/gpiochip0', { isOpen })], user: others });
    t.match(messages(true), /^ok/, 'the kernel has rejected it');
    t.match(messages(false), /^failed.*sudo stellwerk doctor shows how/);
    const ports = [{ path: '/dev/ttyUSB0', node: node('/dev/ttyUSB0', { gid: 20, group: 'dialout' }) }];
    t.match(check('rights', { ports }, { board: pc }), /usermod -aG dialout stellwerk/);
  },
);

t.test('lines in use are reported with their consumers, and how to release them', async (t) => {
  const purpose = { instances: [relay] };
  t.match(check('lines', { found: [line('GPIO8', '')] }, purpose), /^ok/);
  t.match(check('lines', { found: [line('GPIO8', 'stellwerk')] }, purpose), /^ok/);
  t.equal(
    check('lines', { found: [line('GPIO8', 'spi0 CS0')], boot }, purpose),
    'warning | GPIO8 of Pump is in use by spi0 CS0 | remove dtparam=spi=on from /boot/firmware/config.txt and reboot',
  );
  t.match(
    check('lines', { found: [line('GPIO8', 'spi0 CS0')] }, purpose),
    /consumer name spi0 CS0/,
    'not a Pi',
  );
  const offset = instance('Pump', { Chip: 'main', Line: '8' });
  t.match(
    check('lines', { found: [{ ...line('', 'x'), id: 'line main/8' }] }, { instances: [offset] }),
    /main\/8 of Pump/,
  );
  t.match(check('lines', { found: [line('GPIO8', 'python')], boot }, purpose), /consumer name python/);
  const many = instance('Knob', { Line: 'GPIO5', Down: 'GPIO6', Lines: ['GPIO8'] });
  t.match(
    check('lines', { found: [line('GPIO6', 'x'), line('GPIO8', 'y')] }, { instances: [many] }),
    /GPIO6.*GPIO8/,
  );
});

t.test('ports: missing, used by the kernel’s console, without a stable name', async (t) => {
  const usb = '/dev/ttyUSB0';
  const there = [{ path: usb, node: node(usb) }];
  const purpose = { instances: [meter(usb)] };
  t.strictSame(portsOf([meter(usb), meter(usb), relay, meter('0403:6001:A1')]), [usb]);
  t.match(check('ports', { ports: there, found: [port(usb, usb)] }, purpose), /^ok/);
  t.match(
    check('ports', { ports: there, found: [port(usb, '/dev/serial/by-id/x')] }, purpose),
    /^warning.*of Meter.*another adapter.* \| set Port to \/dev\/serial\/by-id\/x$/,
  );
  const gone = [{ path: usb, node: undefined }];
  t.match(
    check('ports', { ports: gone, found: [port('/dev/ttyS1', '/dev/ttyS1')] }, purpose),
    /plug it in.*existing ports: \/dev\/ttyS1/,
  );
  const serial = [{ path: '/dev/serial0', node: node('/dev/ttyS1') }];
  t.match(
    check('ports', { ports: serial, consoles: ['ttyS1', 'tty0'] }, { instances: [meter('/dev/serial0')] }),
    /^warning.*\/dev\/serial0 of Meter is a kernel console.*serial-getty@ttyS1/,
  );
});

t.test('a disabled UART is reported with the setting that enables it', async (t) => {
  const ports = [{ path: '/dev/serial0', node: undefined }];
  const purpose = { instances: [meter('/dev/serial0')] };
  const on = (settings: string[], more: Partial<Machine> = {}) =>
    check('ports', { ports, boot: { ...boot, settings }, off: ['serial1', 'spi0'], ...more }, purpose);
  t.match(
    on([]),
    /serial1 is disabled in the device tree; add enable_uart=1 to \/boot\/firmware\/config\.txt/,
  );
  t.match(on(['enable_uart=1']), /enable_uart=1 is in \/boot\/firmware\/config\.txt, but not active: reboot/);
  t.match(on([], { compatible: ['raspberrypi,5-model-b'] }), /add dtparam=uart0=on/);
  t.match(
    check('ports', { ports }, purpose),
    /enable it in the device tree, or set another port/,
    'not a Pi',
  );
});

t.test('PWM without an overlay is reported with the overlay that enables it', async (t) => {
  const lamp = instance('Lamp', { Channel: 'PWM0' });
  const pwm = (machine: Partial<Machine>, instances = [lamp]) => check('pwm', machine, { instances });
  t.equal(pwm({}, [relay]), undefined);
  t.match(pwm({ found: [{ ...line('PWM0', ''), kind: 'pwm' }] }), /^ok/);
  t.match(
    pwm({ boot }),
    /^warning.*Lamp needs a PWM channel.*add dtoverlay=pwm-2chan to \/boot\/firmware\/config\.txt/,
  );
  t.match(
    pwm({ boot: { ...boot, settings: ['dtoverlay=pwm,pin=18'] } }),
    /dtoverlay=pwm,pin=18 is in .*reboot/,
  );
  t.match(pwm({}), /in the device tree/, 'not a Pi');
});

t.test('a line keeper that is installed but not running is reported', async (t) => {
  t.match(check('outputs', { hasKeeper: true }), /^ok/);
  t.match(
    check('outputs', { hasKeeper: false }),
    /^warning.*not protected.*systemctl start stellwerk-keeper/,
  );
});

t.test('disk space and card: ok, a warning, a failure', async (t) => {
  const space = (free: number, bytes = 16e9) => check('space', { space: { bytes, free } });
  t.match(space(8e9), /^ok \| 8\.0 GB of 16 GB free/);
  t.match(space(700e6), /^warning \| 700 MB of 16 GB/);
  t.match(space(150e6, 1e9), /^warning \| 150 MB/);
  t.match(space(5e6), /^failed \| 5\.0 MB/);
  t.match(space(0), /^failed \| 0 B/);
  const card = (tenths: number, spare = 1) => check('card', { wear: { device: 'mmcblk0', tenths, spare } });
  t.match(card(1), /^ok \| mmcblk0 reports that 0 to 10 %/);
  t.match(card(8), /^ok/);
  t.match(card(9), /^warning \| mmcblk0 reports that 80 to 90 %.*replace the card/);
  t.match(card(11), /^failed.*all of its rated life/);
  t.match(card(2, 2), /^warning.*spare blocks/);
  t.match(card(2, 3), /^failed/);
});

t.test('temperature and supply voltage: ok or a warning', async (t) => {
  const heat = (celsius: number, more: Partial<BoardSensors> = {}) =>
    check('temperature', { sensors: { ...bare.sensors, celsius, ...more } });
  t.equal(heat(61.4), 'ok | 61 °C');
  t.match(heat(86), /^warning \| 86 °C \| let air reach it/);
  t.match(heat(86, { criticalCelsius: 110 }), /^ok/);
  t.match(heat(100, { criticalCelsius: 110 }), /^warning/);
  t.match(heat(61, { isThrottled: true }), /^warning \| 61 °C; the processor is slowed down/);
  const power = (hasUndervoltage: boolean) =>
    check('power', { sensors: { ...bare.sensors, hasUndervoltage } });
  t.match(power(false), /^ok/);
  t.match(power(true), /^warning.*too low.*power supply/);
});

t.test('the sensors of a Raspberry Pi are read from the kernel’s files', async (t) => {
  const root = await tempDirectory(t);
  t.strictSame(await readBoardSensors(root), bare.sensors, 'no sensors');
  const zone = 'sys/class/thermal/thermal_zone';
  await make(root, {
    [`${zone}0/temp`]: '61830\n',
    [`${zone}0/trip_point_0_type`]: 'hot\n',
    [`${zone}0/trip_point_0_temp`]: '80000\n',
    [`${zone}0/trip_point_1_type`]: 'critical\n',
    [`${zone}0/trip_point_1_temp`]: '110000\n',
    [`${zone}1/temp`]: '-274000\n',
    [`${zone}2/temp`]: '',
    'sys/class/thermal/cooling_device0/type': 'cpufreq-cpu0\n',
    'sys/class/thermal/cooling_device0/cur_state': '0\n',
    'sys/class/thermal/cooling_device1/type': 'pwm-fan\n',
    'sys/class/thermal/cooling_device1/cur_state': '3\n',
    'sys/class/hwmon/hwmon0/name': 'cpu_thermal\n',
    'sys/class/hwmon/hwmon1/name': 'rpi_volt\n',
    'sys/class/hwmon/hwmon1/in0_lcrit_alarm': '0\n',
  });
  const calm = { celsius: 61.83, criticalCelsius: 110, isThrottled: false, hasUndervoltage: false };
  t.strictSame(await readBoardSensors(root), calm, 'a fan does not slow the processor');
  await make(root, { 'sys/class/hwmon/hwmon1/in0_lcrit_alarm': '1\n' });
  t.strictSame(await readBoardSensors(root), { ...calm, hasUndervoltage: true });
  await make(root, {
    'sys/class/hwmon/hwmon1/in0_lcrit_alarm': '0\n',
    'sys/class/thermal/cooling_device0/cur_state': '2\n',
  });
  t.strictSame(await readBoardSensors(root), { ...calm, isThrottled: true });
  const flags = 'sys/bus/platform/drivers/raspberrypi-firmware/soc:firmware/get_throttled';
  await make(root, { 'sys/class/thermal/cooling_device0/cur_state': '0\n', [flags]: '50005\n' });
  t.strictSame(await readBoardSensors(root), { ...calm, isThrottled: true, hasUndervoltage: true });
  await make(root, { [flags]: 'f0000\n' });
  t.strictSame(await readBoardSensors(root), calm, 'that was earlier');
});

/** Creates files below a directory, by their paths. */
async function make(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

/** The files of a Raspberry Pi, with its data directory on a card. */
async function box(t: Test): Promise<{ root: string; dataDirectory: string }> {
  const root = await tempDirectory(t);
  const dataDirectory = await tempDirectory(t);
  const { dev } = await stat(dataDirectory);
  const number = `${(dev >> 8) & 0xfff}:${(dev & 0xff) | ((dev >> 12) & 0xff_f00)}`;
  await make(root, {
    'etc/passwd': 'root:x:0:0::/:/bin/sh\nstellwerk:x:900:901::/:/bin/false\n',
    'etc/group': 'root:x:0:\ngpio:x:997:pi,stellwerk\ndialout:x:20:pi\nstellwerk:x:901:\n',
    'proc/device-tree/compatible': 'raspberrypi,4-model-b\0brcm,bcm2711\0',
    'proc/device-tree/aliases/serial0': '/soc/serial@1\0',
    'proc/device-tree/aliases/serial1': '/soc/serial@2\0',
    'proc/device-tree/soc/serial@1/status': 'okay\0',
    'proc/device-tree/soc/serial@2/status': 'disabled\0',
    'proc/consoles': 'ttyS1                -W- (EC p  )    4:65\ntty0 -WU (EC  p) 4:1\n',
    'boot/firmware/config.txt': '# boot\n dtparam=spi=on # bus\n\nenable_uart=1\n',
    'dev/gpiochip0': '',
    'dev/gpiomem': '',
    'dev/ttyS1': '',
    'sys/devices/mmc0/block/mmcblk0/mmcblk0p2/partition': '2\n',
    'sys/devices/mmc0/block/mmcblk0/device/life_time': '0x03 0x09\n',
    'sys/devices/mmc0/block/mmcblk0/device/pre_eol_info': '0x02\n',
    'sys/dev/block/.keep': '',
    'etc/systemd/system/stellwerk-keeper.service': '',
  });
  await symlink('../../devices/mmc0/block/mmcblk0/mmcblk0p2', join(root, 'sys/dev/block', number));
  await chmod(join(root, 'dev/gpiochip0'), 0o620);
  await symlink('ttyS1', join(root, 'dev/serial0'));
  return { root, dataDirectory };
}

t.test('a machine is read from its files', async (t) => {
  const { root, dataDirectory } = await box(t);
  await make(root, { 'dev/pts/3': '' });
  const ports = ['/dev/serial0', '/dev/ttyUSB0', '/dev/pts/3'];
  const seen = await inspectMachine({ root, dataDirectory, ports, isGateway: false, found: [] });
  t.strictSame(seen.user, { name: 'stellwerk', uid: 900, gids: [901, 997] });
  t.strictSame(seen.compatible, ['raspberrypi,4-model-b', 'brcm,bcm2711']);
  t.match(seen.chips, [{ path: '/dev/gpiochip0', mode: 0o620 }]);
  t.equal(seen.chips.length, 1);
  t.match(seen.ports, [
    { path: '/dev/serial0', node: { path: '/dev/ttyS1' } },
    { path: '/dev/ttyUSB0', node: undefined },
    { path: '/dev/pts/3', node: { path: '/dev/pts/3' } },
  ]);
  t.strictSame(seen.consoles, ['ttyS1', 'tty0']);
  t.strictSame(seen.off, ['serial1']);
  t.strictSame(seen.boot, {
    path: '/boot/firmware/config.txt',
    settings: ['dtparam=spi=on', 'enable_uart=1'],
  });
  t.strictSame(seen.wear, { device: 'mmcblk0', tenths: 9, spare: 2 });
  t.ok((seen.space?.bytes ?? 0) > 0);
  t.equal(seen.hasKeeper, false, 'installed, but not running');
  t.equal(seen.rollback, undefined);
  await make(root, { 'run/stellwerk-keeper/socket': '' });
  const again = await inspectMachine({ root, dataDirectory, ports, isGateway: false, found: [] });
  t.equal(again.hasKeeper, true);
});

t.test(
  'the gateway checks with its own permissions; a machine without hardware has no findings',
  async (t) => {
    const { root, dataDirectory } = await box(t);
    const own = await inspectMachine({ root, dataDirectory, ports: [], isGateway: true, found: [] });
    t.equal(own.user.uid, process.geteuid?.());
    t.equal(own.chips[0]?.isOpen, true);
    t.equal(own.hasKeeper, undefined, 'it is detected');
    const empty = await tempDirectory(t);
    const seen = await inspectMachine({
      root: empty,
      dataDirectory: join(empty, 'none'),
      ports: ['/dev/x'],
      isGateway: false,
      found: [],
    });
    t.match(seen, {
      compatible: [],
      chips: [],
      consoles: [],
      off: [],
      boot: undefined,
      space: undefined,
      wear: undefined,
    });
    t.strictSame(seen.ports, [{ path: '/dev/x', node: undefined }]);
    t.equal(seen.user.uid, process.geteuid?.());
  },
);
