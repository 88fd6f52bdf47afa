import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import t, { type Test } from 'tap';
import { type Board, loadBoard } from '../../../src/config/board.js';
import { ROOT } from '../../law/sources.js';
import { labelOf, type MachineFacts, writtenFacts } from '../../tools/generate/board-facts.js';

const DIRECTORY = join(ROOT, 'board');
const names = readdirSync(DIRECTORY)
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => basename(file, '.yaml'));
const boards = await Promise.all(
  names.map((name) => loadBoard(name, { directory: DIRECTORY, compatible: '/nowhere' })),
);
const kernels = writtenFacts();

/** Boards with the 40-pin header of the Raspberry Pi. */
const withPins = boards.filter(({ name }) => name.startsWith('raspberry-pi'));

/** The machines of a board, each with the data of its kernel. */
function* machinesOf(board: Board) {
  for (const { kernel, labels, machines } of kernels)
    for (const [name, machine] of Object.entries(machines))
      if (board.compatible.some((word) => machine.compatible.split(' ').includes(word)))
        yield { name: `${board.name}: ${name} of ${kernel}`, labels, machine };
}

/** The machine’s chips: label → names of the lines. */
const chipsOf = ({ gpio }: MachineFacts) =>
  new Map(Object.entries(gpio).map(([driver, lines]) => [labelOf[driver], lines]));

t.test('chips and lines match the kernels', async (t) => {
  for (const board of withPins) {
    const seen = new Set<string>();
    for (const { name, labels, machine } of machinesOf(board)) {
      const chips = chipsOf(machine);
      for (const { chip, lines } of board.gpio) {
        const known = chips.get(chip);
        if (known === undefined) {
          t.notOk(labels.includes(chip), `${name} has no ${chip}`);
          continue;
        }
        t.ok(labels.includes(chip), `${name} labels its chip ${chip}`);
        seen.add(chip);
        sameLines(t, name, { known, lines });
      }
    }
    t.strictSame(
      [...seen],
      board.gpio.map(({ chip }) => chip),
      `${board.name} was compared with a kernel`,
    );
  }
});

/** A name that the kernel has too is the same line there, and the kernel’s GPIOn has that name here. */
function sameLines(
  t: Test,
  of: string,
  { known: text, lines }: { known: string; lines: Readonly<Record<string, number>> },
): void {
  if (text === '') return;
  const known = text.split(' ');
  for (const [name, offset] of Object.entries(lines)) {
    t.ok(offset < known.length, `${of}: ${name} is on the chip`);
    const there = known[offset] ?? '';
    if (/^GPIO\d+$/.test(there)) t.equal(there, name, of);
    if (known.includes(name)) t.equal(known.indexOf(name), offset, `${of}: ${name}`);
  }
}

t.test('compatible strings, LEDs, PWM chips and ports match the kernels', async (t) => {
  for (const board of withPins) {
    const machines = [...machinesOf(board)];
    t.ok(machines.length > 0, `${board.name} is a machine known to a kernel`);
    for (const { name, machine } of machines) {
      // Debian’s kernels provide no LEDs of the Raspberry Pi 5.
      const missing = board.leds.filter((led) => !machine.leds.split(' ').includes(led.name));
      if (machine.leds !== '') t.strictSame(missing, [], `${name} has these LEDs`);
      const chips = board.pwm?.filter((pwm) => !machine.pwm.split(' ').includes(pwm.chip)) ?? [];
      t.strictSame(chips, [], `${name} has these PWM chips`);
      const paths = board.serial.flatMap((port) => port.paths);
      const [driver, number] = machine.console;
      // Port 10 is the debug connector of the Raspberry Pi 5, not on the header.
      const port = `/dev/tty${driver === 'arm,pl011' ? 'AMA' : 'S'}${number}`;
      t.equal(paths.includes(port), number !== 10, `${name}: ${port}`);
    }
  }
});

t.test('a board’s header has its own lines', async (t) => {
  for (const board of boards.filter(({ header }) => header !== undefined)) {
    const lines = board.gpio.flatMap((chip) => Object.keys(chip.lines)).sort();
    const pins = board.header?.flat() ?? [];
    const drawn = pins.filter((pin) => !/^(3V3|5V|GND|ADC_IN0)$/.test(pin)).sort();
    t.strictSame(drawn, lines, `${board.name} has each line once`);
    for (const [, line = '', pin] of textOf(board).matchAll(/^ +(\w+): \d+ # pin (\d+)/gm))
      t.equal(pins.indexOf(line) + 1, Number(pin), `${board.name}: ${line}`);
  }
  for (const { name, header } of withPins) t.equal(header?.flat().length, 40, name);
});

t.test('a board that was not compared with a kernel says that it was not tried', async (t) => {
  const compared = (name: string) =>
    name.startsWith('raspberry-pi') || ['generic', 'simulated'].includes(name);
  for (const board of boards.filter(({ name }) => !compared(name)))
    t.match(textOf(board), /not tried on a (?:board|box)/, board.name);
});

t.test('the lines of a Rockchip board are where their names say', async (t) => {
  const rock = boards.find(({ name }) => name === 'rock-pi-4');
  for (const { chip, lines } of rock?.gpio ?? [])
    for (const [name, offset] of Object.entries(lines)) {
      // Bank, group of eight, number in the group.
      const [, bank, group = '', number] = /^GPIO(\d)_([A-D])([0-7])$/.exec(name) ?? [];
      t.equal(chip, `gpio${bank}`, name);
      t.equal(offset, 'ABCD'.indexOf(group) * 8 + Number(number), name);
    }
});

t.test('boards are distinguishable, and their names can be written in a configuration', async (t) => {
  const words = boards.flatMap(({ compatible }) => compatible);
  t.equal(new Set(words).size, words.length, 'no string belongs to two boards');
  for (const { name, gpio, serial, leds } of boards) {
    const lines = gpio.flatMap((chip) => Object.keys(chip.lines));
    const all = [lines, serial.map((port) => port.name), leds.map((led) => led.name)];
    for (const some of all) t.equal(new Set(some).size, some.length, `${name}: each name once`);
    t.strictSame(
      all.flat().filter((word) => !/^[A-Za-z0-9_-]{1,64}$/.test(word)),
      [],
      name,
    );
    for (const { chip, lines: of } of gpio)
      t.equal(new Set(Object.values(of)).size, Object.keys(of).length, `${name}: ${chip}: each line once`);
  }
});

const textOf = ({ name }: Board): string => readFileSync(join(DIRECTORY, `${name}.yaml`), 'utf8');
