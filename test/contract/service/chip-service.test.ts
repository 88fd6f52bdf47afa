import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { readChipReply, serveChipRequest } from '../../../src/service/machine/chip-service.js';
import { tempDirectory } from '../../tools/temp-directory.js';

const ID = '0123456789abcdef';
const RULES = 'etc/udev/rules.d/61-stellwerk-chips.rules';
const CONFIG = 'boot/firmware/config.txt';

/** A machine with the I²C buses 1 and 2, and a chip at 1-0050. */
async function makeMachine(t: Test) {
  const root = await tempDirectory(t);
  const request = join(root, 'run/stellwerk/chip-request');
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const textAt = (path: string) => {
    const file = join(root, path);
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  };
  for (const bus of ['i2c-1', 'i2c-2']) write(`sys/bus/i2c/devices/${bus}/name`, 'test\n');
  write('sys/bus/i2c/devices/1-0050/name', '24c32\n');
  write(RULES, '');
  write('run/stellwerk/.mark', '');
  /** What the service does with a request; the code of the problem, or `done`. */
  const serve = async (content: unknown): Promise<string | undefined> => {
    writeFileSync(request, typeof content === 'string' ? content : JSON.stringify(content));
    const reply = await serveChipRequest(request, root);
    t.notOk(existsSync(request), 'a request is done once');
    if (reply === undefined) return undefined;
    t.strictSame(await readChipReply(reply.id, root), reply);
    return reply.problem?.Code ?? 'done';
  };
  const enable = (device: unknown) => serve({ id: ID, device });
  return { root, request, write, textAt, serve, enable };
}

t.test('a request of the gateway declares a known chip, once', async (t) => {
  const { textAt, enable, root } = await makeMachine(t);
  t.equal(await enable('bme280@1-0077'), 'done');
  const rule = 'ACTION=="add", SUBSYSTEM=="i2c", KERNEL=="i2c-1", ATTR{new_device}="bme280 0x77"\n';
  t.equal(textAt(RULES), `# Added by stellwerk enable-chip\n${rule}`);
  t.equal(await enable('bme280@1-0077'), 'done');
  t.equal(textAt(RULES), `# Added by stellwerk enable-chip\n${rule}`, 'it has it already');
  t.equal(lstatSync(join(root, RULES)).mode & 0o777, 0o644);
  t.equal(await readChipReply('another id of a request', root), undefined);
});

t.test('the driver of a chip that the kernel has without one is loaded', async (t) => {
  const { write, textAt, enable } = await makeMachine(t);
  write('sys/bus/i2c/devices/1-0077/name', 'bme280\n');
  t.equal(await enable('bmp280@1-0077'), 'CHIP_PRESENT', 'another chip');
  t.equal(await enable('bme280@1-0077'), 'done');
  const rule = 'ACTION=="add", SUBSYSTEM=="i2c", KERNEL=="1-0077", RUN{builtin}+="kmod load bmp280-i2c"\n';
  t.equal(textAt(RULES), `# Added by stellwerk enable-chip\n${rule}`);
  write('sys/bus/i2c/devices/1-0077/driver/uevent', '');
  t.equal(await enable('bme280@1-0077'), 'CHIP_PRESENT', 'it has one now');
});

t.test('on a Raspberry Pi, the overlay of its header is written', async (t) => {
  const { write, textAt, enable } = await makeMachine(t);
  write(CONFIG, 'dtparam=audio=on\n');
  t.equal(await enable('mcp23017@1-0020'), 'done');
  t.match(textAt(CONFIG), /\[all\]\ndtparam=i2c_arm=on\ndtoverlay=mcp23017,addr=0x20\n$/);
  t.equal(await enable('bme280@2-0077'), 'CHIP_OTHER_BUS');
  t.equal(await enable('pcf8574@1-0020'), 'CHIP_DECLARED', 'the address has another chip');
  t.equal(textAt(RULES), '');
});

t.test('on a box, whose /etc is in memory, the rule is on its data partition', async (t) => {
  const { write, textAt, enable } = await makeMachine(t);
  write('usr/lib/os-release', 'ID=debian\nIMAGE_VERSION=1.2.3\n');
  write('data/box/hostname', 'house\n');
  t.equal(await enable('tmp102@2-0048'), 'done');
  t.match(textAt('data/box/chips.rules'), /KERNEL=="i2c-2", ATTR\{new_device\}="tmp102 0x48"$/m);
  t.equal(textAt(RULES), '');
});

t.test('a hostile gateway cannot declare anything but a known chip at a free address of a bus', async (t) => {
  const { write, textAt, enable } = await makeMachine(t);
  for (const [device, code] of [
    ['24c32@1-0051', 'CHIP_UNKNOWN'],
    ['__proto__@1-0076', 'CHIP_UNKNOWN'],
    ['', 'CHIP_UNKNOWN'],
    ['bme280@1-0076", RUN+="/bin/sh', 'CHIP_UNKNOWN'],
    ['bme280@1-0076\nACTION=="add", RUN+="/bin/sh"', 'CHIP_UNKNOWN'],
    ['bme280@../1-0076', 'CHIP_UNKNOWN'],
    ['bme280@1-0176', 'CHIP_UNKNOWN'],
    ['x'.repeat(5000), 'CHIP_UNKNOWN'],
    ['bme280@1-0020', 'CHIP_ADDRESS'],
    ['mcp23017@1-0077', 'CHIP_ADDRESS'],
    ['bme280@9-0076', 'SENSOR_NO_BUS'],
    ['bme280@01-0076', 'SENSOR_NO_BUS'],
  ] as const)
    t.equal(await enable(device), code, JSON.stringify(device.slice(0, 60)));
  t.equal(textAt(RULES), '');
  write('sys/bus/i2c/devices/1-0076/name', 'bmp280\n');
  write('sys/bus/i2c/devices/1-0076/driver/bind', '');
  t.equal(await enable('bme280@1-0076'), 'CHIP_PRESENT', 'a driver uses it');
  write('sys/bus/i2c/devices/1-0077/name', 'dummy\n');
  t.equal(await enable('bme280@1-0077'), 'CHIP_PRESENT', 'another chip is declared');
  t.equal(await enable('tmp102@1-0048'), 'done');
  t.equal(await enable('adt7410@1-0048'), 'CHIP_DECLARED');
  t.equal(await enable('adt7410@2-0048'), 'done', 'on another bus');
});

t.test('however often a hostile gateway requests, each address of a bus gets one line', async (t) => {
  const { textAt, enable } = await makeMachine(t);
  for (const name of ['pca9555', 'pcf8574', 'lm75'])
    for (let address = 0; address < 0x80; address += 1)
      await enable(`${name}@1-00${address.toString(16).padStart(2, '0')}`);
  const lines = textAt(RULES).match(/^ACTION=.*$/gm) ?? [];
  const addresses = new Set(lines.map((line) => /0x\w\w/.exec(line)?.[0]));
  t.ok(lines.length > 20, `${lines.length} lines`);
  t.equal(addresses.size, lines.length);
});

t.test('a request that is not valid is removed and ignored', async (t) => {
  const { serve, textAt } = await makeMachine(t);
  for (const content of [
    '',
    'null',
    '[]',
    '{',
    'x'.repeat(20_000),
    { id: ID },
    { id: ID, device: 7 },
    { id: 'short', device: 'bme280@1-0076' },
    { id: '../../../../etc/passwd', device: 'bme280@1-0076' },
    { id: ID.repeat(5), device: 'bme280@1-0076' },
    { device: 'bme280@1-0076' },
  ])
    t.equal(await serve(content), undefined, JSON.stringify(content).slice(0, 60));
  t.equal(textAt(RULES), '');
});

t.test('a request that is a link or a named pipe is neither followed nor waited for', async (t) => {
  const { root, request, textAt } = await makeMachine(t);
  const secret = join(root, 'secret');
  writeFileSync(secret, JSON.stringify({ id: ID, device: 'bme280@1-0076' }));
  symlinkSync(secret, request);
  t.equal(await serveChipRequest(request, root), undefined);
  t.ok(existsSync(secret), 'only the link is removed');
  execFileSync('mkfifo', [request]);
  t.equal(await serveChipRequest(request, root), undefined);
  t.equal(textAt(RULES), '');
});

t.test('a file that cannot be written is a reply, not a silence', async (t) => {
  const { root, enable } = await makeMachine(t);
  mkdirSync(join(root, `${RULES}.new`));
  t.equal(await enable('bme280@1-0077'), 'TEXT');
});
