import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import t from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { SystemMetrics } from '../../../src/service/machine/system-metrics.js';
import { SystemCommands } from '../../../src/service/machine/system-commands.js';
import { machineFunctions } from '../../../src/functions/system/machine.js';
import type { Ports } from '../../../src/functions/ports.js';
import { drivesOf, hardwareOf, networksOf, diskUsage } from '../../../src/service/machine/host-info.js';
import { FunctionFixture, owner } from '../../tools/gateway/function-fixture.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { until } from '../../tools/until.js';

type Test = Parameters<typeof tempDirectory>[0];

/** A machine's files below a directory. */
async function machine(t: Test, files: Readonly<Record<string, string>>): Promise<string> {
  const root = await tempDirectory(t);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return root;
}

t.test('processor load is measured since the previous call', async (t) => {
  const root = await machine(t, {
    'proc/stat': 'cpu  100 0 100 700 100 0 0 0\ncpu0 100 0 100 200 100 0 0 0\ncpu1 0 0 0 500 0 0 0 0\n',
  });
  const figures = new SystemMetrics(root);
  t.strictSame(await figures.processors(), { CPU_AVG: 20, CPU_0: 40, CPU_1: 0 }, 'since the boot');
  const stat =
    'cpu  175 0 125 800 100 0 0 0\ncpu0 150 0 125 225 100 0 0 0\ncpu1 25 0 0 575 0 0 0 0\nintr 1 2\n';
  await writeFile(join(root, 'proc/stat'), stat);
  t.strictSame(await figures.processors(), { CPU_AVG: 50, CPU_0: 75, CPU_1: 25 });
  await writeFile(join(root, 'proc/stat'), stat.replace('cpu  175', 'cpu  177'));
  t.equal((await figures.processors())['CPU_AVG'], 100, 'too soon: compared with the earlier reading');
  t.equal((await figures.processors())['CPU_AVG'], 100, 'which is kept');
  t.strictSame(await new SystemMetrics(join(root, 'nowhere')).processors(), {});
});

t.test('the machine is described by its device tree or its firmware, and its sensor', async (t) => {
  const names = { hostname: () => 'attic', release: () => '6.12.1' };
  const pi = await machine(t, {
    'proc/device-tree/model': 'Raspberry Pi 4 Model B Rev 1.4\0',
    'proc/uptime': '3601.92 7000.00\n',
    'sys/class/thermal/thermal_zone0/temp': '48686\n',
  });
  const data = await tempDirectory(t);
  t.strictSame(await hardwareOf(data, pi, names), {
    Model: 'Raspberry Pi 4 Model B Rev 1.4',
    Kernel: '6.12.1',
    HostName: 'attic',
    UptimeS: 3601,
    Temperature: 48.7,
    IsThrottled: false,
    HasUndervoltage: false,
    CardWear: 0,
  });
  const pc = await machine(t, { 'sys/class/dmi/id/product_name': 'NUC\n' });
  t.match(await hardwareOf(data, pc, names), { Model: 'NUC', UptimeS: 0, Temperature: 0 });
  t.match(await hardwareOf(data, data, names), { Model: '', Kernel: '6.12.1' });
});

t.test('memory, swap and process sizes are in bytes', async (t) => {
  const root = await machine(t, {
    'proc/meminfo':
      'MemTotal:  1000 kB\nMemFree: 1 kB\nMemAvailable:  400 kB\nSwapTotal: 100 kB\nSwapFree: 50 kB\n',
    'proc/self/status': 'Name:\tnode\nVmSize:\t 2000 kB\nVmRSS:\t 80 kB\nVmSwap:\t 3 kB\nThreads:\t11\n',
    'proc/self/fd/0': '',
    'proc/self/fd/1': '',
    'proc/1/stat': '',
    'proc/17/stat': '',
  });
  const figures = new SystemMetrics(root);
  t.strictSame(await figures.memory(), {
    TOTALPHYSICAL: 1_024_000,
    AVAILPHYSICAL: 409_600,
    TOTALPAGEFILE: 102_400,
    AVAILPAGEFILE: 51_200,
    TOTALVIRTUAL: 1_126_400,
    AVAILVIRTUAL: 460_800,
  });
  t.strictSame(await figures.process(), {
    SVC_HANDLECOUNT: 2,
    SVC_NUMTHREADS: 11,
    SVC_VIRTUALSIZE: 2_048_000,
    SVC_WORKINGSETSIZE: 81_920,
    SVC_PAGEFILE: 3072,
    PROCESSCOUNT: 2,
  });
});

t.test('a battery in use has a remaining time, and without a battery all is unknown', async (t) => {
  const none = { OnBattery: false, IsCharging: false, BatteryLevel: -1 };
  const never = { BatteryRemainingTime: -1, BatteryMaxTime: -1 };
  t.strictSame(await new SystemMetrics(await machine(t, {})).battery(), { ...none, ...never });
  const supply = (lines: Record<string, string | number>) =>
    Object.entries(lines)
      .map(([name, value]) => `POWER_SUPPLY_${name}=${value}\n`)
      .join('');
  const mouse = supply({ TYPE: 'Battery', SCOPE: 'Device', CAPACITY: 5 });
  const battery = { TYPE: 'Battery', CAPACITY: 50, POWER_NOW: 10, ENERGY_NOW: 20, ENERGY_FULL: 40 };
  const root = await machine(t, {
    'sys/class/power_supply/hid/uevent': mouse,
    'sys/class/power_supply/BAT0/uevent': supply({ ...battery, STATUS: 'Discharging' }),
    'sys/class/power_supply/AC/uevent': supply({ TYPE: 'Mains', ONLINE: 0 }),
  });
  const figures = new SystemMetrics(root);
  t.strictSame(await figures.battery(), {
    OnBattery: true,
    IsCharging: false,
    BatteryLevel: 50,
    BatteryRemainingTime: 7200,
    BatteryMaxTime: 14_400,
  });
  await writeFile(
    join(root, 'sys/class/power_supply/BAT0/uevent'),
    supply({ ...battery, STATUS: 'Charging' }),
  );
  await writeFile(join(root, 'sys/class/power_supply/AC/uevent'), supply({ TYPE: 'Mains', ONLINE: 1 }));
  t.strictSame(await figures.battery(), { OnBattery: false, IsCharging: true, BatteryLevel: 50, ...never });
});

t.test('drives are the file systems on disks, each once, and networks exclude loopback', async (t) => {
  const root = await machine(t, {
    'proc/self/mounts': [
      'overlay / overlay rw 0 0',
      'proc /proc proc rw 0 0',
      '/dev/mmcblk0p1 /boot\\040fat vfat ro 0 0',
      '/dev/mmcblk0p1 /again vfat ro 0 0',
      '/dev/loop3 /snap squashfs ro 0 0',
      '/dev/sda1 /gone ext4 rw 0 0',
    ].join('\n'),
    'boot fat/x': '',
    'again/x': '',
    'sys/class/net/lo/ifindex': '1\n',
    'sys/class/net/wlan0/ifindex': '3\n',
    'sys/class/net/wlan0/address': 'aa:bb:cc:00:11:22\n',
    'sys/class/net/eth0/ifindex': '2\n',
    'sys/class/net/eth0/speed': '1000\n',
    'sys/class/net/eth0/statistics/rx_bytes': '123\n',
    'sys/class/net/eth0/statistics/tx_bytes': '45\n',
  });
  const drives = await drivesOf(root);
  t.match(drives, {
    NUMDRIVES: 2,
    0: { LETTER: '/', LABEL: 'overlay' },
    1: { LETTER: '/boot fat', LABEL: 'mmcblk0p1' },
  });
  const { TOTAL, FREE } = drives['0'] as { TOTAL: number; FREE: number };
  t.ok(TOTAL > FREE && FREE > 0);
  const address = (family: 'IPv4' | 'IPv6', text: string) => ({ family, address: text });
  const networks = await networksOf(
    root,
    () =>
      ({
        eth0: [address('IPv6', 'fe80::1'), address('IPv4', '192.168.1.2')],
        wlan0: [],
      }) as unknown as Record<string, never>,
  );
  t.strictSame(networks, [
    {
      InterfaceIndex: 2,
      IP: '192.168.1.2',
      MAC: '',
      Description: 'eth0',
      Speed: 1000,
      InTotal: 123,
      OutTotal: 45,
    },
    {
      InterfaceIndex: 3,
      IP: '',
      MAC: 'aa:bb:cc:00:11:22',
      Description: 'wlan0',
      Speed: 0,
      InTotal: 0,
      OutTotal: 0,
    },
  ]);
});

t.test('the size of a directory includes the files below it', async (t) => {
  const directory = await machine(t, { 'a.db': 'x'.repeat(1000), 'scripts/b.js': 'y'.repeat(234) });
  const { Total, Free, Used } = await diskUsage(directory);
  t.equal(Used, 1234);
  t.ok(Total > Free && Free > 0);
});

/** Programs of a machine, as scripts of a shell, by their names. */
async function programs(
  t: Test,
  texts: Record<string, string>,
  clock = new ManualClock(),
): Promise<SystemCommands> {
  const directory = await machine(t, texts);
  for (const name of Object.keys(texts)) await chmod(join(directory, name), 0o755);
  return new SystemCommands(clock, `${directory}:/usr/bin:/bin`);
}

t.test('ping runs without a shell and is stopped at its time limit', async (t) => {
  const clock = new ManualClock();
  const requests = join(await tempDirectory(t), 'asked');
  const ping = await programs(
    t,
    {
      ping: `#!/bin/sh
for host; do :; done
printf "%s\\n" "$*" >> ${requests}
case "$host" in
up) exit 0 ;;
down) exit 1 ;;
forbidden) echo "ping: socket: Operation not permitted" >&2; exit 2 ;;
slow) exec sleep 1000 ;;
esac
exit 2
`,
    },
    clock,
  );
  t.equal(await ping.ping('up', 1500), true);
  t.equal(await ping.ping('down', 1000), false);
  t.equal(await ping.ping('no.such.host', 1000), false);
  await t.rejects(ping.ping('forbidden', 1000), { code: 'NOT_ALLOWED', message: /ping_group_range/ });
  const slow = ping.ping('slow', 1000);
  const lines = () => readFile(requests, 'utf8');
  await until('the slow program is running', async () => (await lines()).includes('slow'));
  clock.advance(1000);
  t.equal(await slow, false);
  t.equal((await lines()).split('\n')[0], '-n -c 1 -W 2 -- up');
  t.equal(clock.pendingTimers, 0);
  const without = new SystemCommands(clock, '/nowhere');
  await t.rejects(without.ping('up', 1000), { code: 'NOT_SUPPORTED', message: /iputils-ping/ });
  t.strictSame(await without.spooler(), [], 'without a print service');
});

t.test('the print queue comes from the print service', async (t) => {
  const lpstat = await programs(t, {
    lpstat:
      '#!/bin/sh\necho "laser-12   anna   10240   Sun 22 Nov"\necho "laser-13   bob    5   Sun 22 Nov"\n',
  });
  t.strictSame(await lpstat.spooler(), [
    { Job: 'laser-12', User: 'anna', Size: 10_240 },
    { Job: 'laser-13', User: 'bob', Size: 5 },
  ]);
});

t.test('each function returns what the machine reports', async (t) => {
  const says = (what: string) => async () => ({ said: what });
  const machine = {
    processors: says('processors'),
    memory: says('memory'),
    process: says('process'),
    battery: says('battery'),
    hardware: says('hardware'),
    drives: says('drives'),
    networks: says('networks'),
    spooler: says('spooler'),
  };
  const declared = machineFunctions({ machine: async () => machine } as unknown as Ports);
  for (const [name, what] of [
    ['Sys_GetCPUInfo', 'processors'],
    ['Sys_GetMemoryInfo', 'memory'],
    ['Sys_GetProcessInfo', 'process'],
    ['Sys_GetBattery', 'battery'],
    ['GW_GetMachine', 'hardware'],
    ['Sys_GetHardDiskInfo', 'drives'],
    ['Sys_GetNetworkInfo', 'networks'],
    ['Sys_GetSpooler', 'spooler'],
  ] as const)
    t.strictSame(await declared.find((one) => one.name === name)?.run(owner), { said: what }, name);
});

t.test('the functions work on this machine', async (t) => {
  await using fixture = new FunctionFixture();
  for (const name of ['Sys_GetBattery', 'Sys_GetHardDiskInfo', 'Sys_GetNetworkInfo', 'Sys_GetSpooler'])
    t.type(await fixture.call(name), 'object', name);
  t.match(await fixture.call('Sys_GetCPUInfo'), { CPU_AVG: Number, CPU_0: Number });
  const memory = (await fixture.call('Sys_GetMemoryInfo')) as Record<string, number>;
  t.ok(Number(memory['TOTALPHYSICAL']) > Number(memory['AVAILPHYSICAL']));
  const own = (await fixture.call('Sys_GetProcessInfo')) as Record<string, number>;
  t.ok(Number(own['SVC_NUMTHREADS']) > 1 && Number(own['SVC_WORKINGSETSIZE']) > 10_000_000);
  const { Kernel, UptimeS } = (await fixture.call('GW_GetMachine')) as { Kernel: string; UptimeS: number };
  t.ok(Kernel !== '' && UptimeS > 0);
  const space = (await fixture.call('SVC_GetKernelDirSpace')) as Record<string, number>;
  t.ok(Number(space['Total']) > Number(space['Free']) && Number(space['Used']) > 0);
  for (const host of ['', '-f', 'a b', 'a;b', '$(id)', `${'a'.repeat(300)}`, 'host\n', '--', 'x/../y'])
    await t.rejects(fixture.call('Sys_Ping', host, 100), { code: 'PARAMETER_TYPE' }, host);
  for (const ms of [0, -1, 60_001])
    await t.rejects(fixture.call('Sys_Ping', '127.0.0.1', ms), { code: 'PARAMETER_BOUNDS' }, `${ms}`);
});
