/**
 * The data of boards in kernels. `node dist/test/tools/generate/board-facts.js DIRECTORY…` writes
 * test/fixtures/boards.json from Debian's arm64 kernels, each unpacked into its own directory (`apt-get
 * download` of the dependency of `linux-image-arm64`, then `dpkg -x`).
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ROOT } from '../../law/sources.js';
import { deviceName, nodeAt, nodesOf, readTree, stringsOf, type TreeNode } from './device-tree.js';

/** A machine, as described by its device tree; several strings are one text. */
export interface MachineFacts {
  /** The compatible strings of the device tree, the most specific one first. */
  readonly compatible: string;
  /** Its GPIO chips: driver → the names of its lines by offset, `-` for none. */
  readonly gpio: Readonly<Record<string, string>>;
  readonly leds: string;
  /** Its PWM chips by device, enabled or not: `fe20c000.pwm`. */
  readonly pwm: string;
  /** The driver and number of the kernel's console port: `["brcm,bcm2835-aux-uart", 1]`. */
  readonly console: readonly [driver: string, number: number];
}

/** A kernel: the chip labels of its drivers, and its machines by the names of their device trees. */
export interface KernelFacts {
  readonly kernel: string;
  readonly labels: readonly string[];
  readonly machines: Readonly<Record<string, MachineFacts>>;
}

/**
 * The driver, not the device tree, defines the label of its chip. These are in the kernel's
 * drivers/pinctrl/bcm/pinctrl-bcm2835.c, drivers/gpio/gpio-raspberrypi-exp.c and
 * drivers/pinctrl/pinctrl-rp1.c.
 */
export const labelOf: Readonly<Record<string, string>> = {
  'brcm,bcm2835-gpio': 'pinctrl-bcm2835',
  'brcm,bcm2711-gpio': 'pinctrl-bcm2711',
  'raspberrypi,firmware-gpio': 'raspberrypi-exp-gpio',
  'raspberrypi,rp1-gpio': 'pinctrl-rp1',
};

const FIXTURE = join(ROOT, 'test/fixtures/boards.json');

/** The stored data. */
export function writtenFacts(): KernelFacts[] {
  return JSON.parse(readFileSync(FIXTURE, 'utf8')) as KernelFacts[];
}

/** The data of an unpacked kernel. Throws if there is none. */
export function kernelFacts(directory: string): KernelFacts {
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort();
  const image = files.find((file) => /\bvmlinuz[^/]*$/.test(file));
  if (image === undefined) throw new Error(`${directory} contains no unpacked kernel`);
  const drivers = files.filter((file) => /drivers\/(pinctrl|gpio)\/.*\.ko(\.xz)?$/.test(file));
  const code = [image, ...drivers].map((file) => join(directory, file));
  const trees = files.filter((file) => /broadcom\/bcm2.*-rpi-.*\.dtb$/.test(file));
  return {
    kernel: /\d+\.\d+\.\d+[^/]*/.exec(image)?.[0] ?? '',
    labels: labelsIn(code),
    machines: Object.fromEntries(
      trees.map((file) => [basename(file, '.dtb'), machineFacts(readFileSync(join(directory, file)))]),
    ),
  };
}

function labelsIn(files: readonly string[]): string[] {
  const found = new Set<string>();
  for (const file of files) {
    const code = file.endsWith('.xz') ? execFileSync('xz', ['-dc', file]) : readFileSync(file);
    for (const label of Object.values(labelOf)) if (code.includes(`${label}\0`)) found.add(label);
  }
  return [...found].sort();
}

function machineFacts(blob: Buffer): MachineFacts {
  const root = readTree(blob);
  const all = [...nodesOf(root)];
  const leds = all.filter((node) => stringsOf(node, 'compatible').includes('gpio-leds'));
  return {
    compatible: stringsOf(root, 'compatible').join(' '),
    gpio: Object.fromEntries(all.filter((node) => node.properties.has('gpio-controller')).map(chipOf)),
    leds: leds.flatMap(({ children }) => [...children].map(ledName)).join(' '),
    pwm: [...root.children.values()].flatMap((bus) => pwmChips(bus, root)).join(' '),
    console: consoleOf(root),
  };
}

const chipOf = (node: TreeNode): [driver: string, lines: string] => [
  stringsOf(node, 'compatible').at(-1) ?? '',
  stringsOf(node, 'gpio-line-names')
    .map((name) => name || '-')
    .join(' '),
];

/** An LED has the name of its label, otherwise of its node (Documentation/leds/leds-class.rst). */
const ledName = ([name, node]: readonly [string, TreeNode]): string => stringsOf(node, 'label')[0] ?? name;

const pwmChips = (bus: TreeNode, parent: TreeNode): string[] =>
  [...bus.children]
    .filter(([, node]) => node.properties.has('#pwm-cells'))
    .map(([name]) => deviceName(name, { bus, parent }));

function consoleOf(root: TreeNode): [string, number] {
  const [alias = ''] = (stringsOf(root.children.get('chosen'), 'stdout-path')[0] ?? '').split(':');
  const [path = ''] = stringsOf(root.children.get('aliases'), alias);
  const [driver = ''] = stringsOf(nodeAt(root, path), 'compatible');
  return [driver, Number(alias.replace(/^serial/, ''))];
}

if (process.argv[1] === import.meta.filename)
  writeFileSync(FIXTURE, `${JSON.stringify(process.argv.slice(2).map(kernelFacts), null, 1)}\n`);
