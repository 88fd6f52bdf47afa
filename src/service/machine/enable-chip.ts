import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomically } from '../../base/atomic-write.js';
import { coded, CodedError } from '../../base/codes/coded-text.js';
import { codeOf } from '../../base/fault.js';
import { BOOT_CONFIGURATIONS, readI2c, type Machine } from './machine-facts.js';
import { manualPage } from '../../base/manual-page.js';
import { BOX_FILES, imageVersion, readSmall } from '../updates/box-files.js';
import { HEADER_BUS, I2C_SETTING, overlayOf, type WantedChip } from './sensor-chips.js';

/** Where chips are declared on a machine without a config.txt; udev reads it at every boot. */
const RULES_FILE = 'etc/udev/rules.d/61-stellwerk-chips.rules';
const READABLE_FOR_ALL = 0o644;

/** The same on a box, whose /etc is in memory; early-init of the image copies it there. */
const BOX_RULES_FILE = 'data/box/chips.rules';

/** A change of a configuration file of the machine; nothing is written before it is applied. */
interface FileChange {
  readonly path: string;
  /** Settings of a Raspberry Pi, udev rules that declare a chip, or one that loads the driver of a declared chip. */
  readonly kind: 'overlay' | 'rule' | 'driver';
  /** The lines that declare the chip. */
  readonly settings: readonly string[];
  /** The lines of the file before the change without comments. */
  readonly present: readonly string[];
  /** The lines to add; none if the file has them already. */
  readonly added: readonly string[];
  readonly content: string;
}

/**
 * The change that declares a chip at its address at every boot: a device tree overlay on a Raspberry Pi,
 * otherwise a udev rule that writes to `new_device` of the bus (Documentation/i2c/instantiating-devices.rst).
 * For a chip that the kernel has already, but without a driver, a udev rule loads the module. Reads files only:
 * no address on the bus is accessed. `root` is `/`, except in tests. Rejects with a {@link CodedError} for
 * another bus of a Raspberry Pi than that of its header.
 */
export const planChip = async (wanted: WantedChip, root: string): Promise<FileChange> =>
  planChipFor(await readI2c(root), wanted, root);

/** As {@link planChip}, with what the kernel knows. */
export async function planChipFor(
  { chips }: Pick<Machine['i2c'], 'chips'>,
  wanted: WantedChip,
  root: string,
): Promise<FileChange> {
  const place = placeOf(wanted);
  const known = chips.find((chip) => chip.place === place);
  if (known?.name === wanted.name && !known.hasDriver) {
    const load = `ACTION=="add", SUBSYSTEM=="i2c", KERNEL=="${place}", RUN{builtin}+="kmod load ${wanted.module}"`;
    return { ...(await changeOfRules(root, load)), kind: 'driver' };
  }
  for (const file of BOOT_CONFIGURATIONS) {
    const text = await contentOf(join(root, file));
    if (text === undefined) continue;
    if (wanted.bus !== HEADER_BUS)
      throw new CodedError(
        coded`CHIP_OTHER_BUS: the overlay of ${wanted.name} is for the bus ${HEADER_BUS} of the header, not for ${wanted.bus}; see ${manualPage('hardware/sensors.md')}`,
      );
    // Lines at the end belong to the last section, which may be of another model.
    const settings = [I2C_SETTING, overlayOf(wanted)];
    return { ...changeOf(join(root, file), text, { settings, section: '[all]' }), kind: 'overlay' };
  }
  const { name, address, bus } = wanted;
  const rule = `ACTION=="add", SUBSYSTEM=="i2c", KERNEL=="i2c-${bus}", ATTR{new_device}="${name} ${address}"`;
  return { ...(await changeOfRules(root, rule)), kind: 'rule' };
}

/** The kernel's name of an address on a bus: `1-0076`. */
export const placeOf = ({ bus, address }: WantedChip): string => `${bus}-00${address.slice(2)}`;

/** Writes a change; rejects with the system error, and the old file remains. */
export const applyChange = ({ path, content }: Pick<FileChange, 'path' | 'content'>): Promise<void> =>
  writeFileAtomically(path, content, READABLE_FOR_ALL);

async function changeOfRules(root: string, rule: string): Promise<Omit<FileChange, 'kind'>> {
  const isBox = imageVersion((await readSmall(join(root, BOX_FILES.release))) ?? '') !== undefined;
  const path = join(root, isBox ? BOX_RULES_FILE : RULES_FILE);
  return changeOf(path, (await contentOf(path)) ?? '', { settings: [rule] });
}

function changeOf(
  path: string,
  text: string,
  { settings, section }: { readonly settings: readonly string[]; readonly section?: string },
): Omit<FileChange, 'kind'> {
  const present = text.split('\n').map((line) => line.replace(/#.*/, '').trim());
  const applied = linesForAll(present);
  const added = settings.filter((setting) => !applied.includes(setting));
  const before = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  const head = section === undefined ? [] : [section];
  const block = added.length === 0 ? [] : ['# Added by stellwerk enable-chip', ...head, ...added, ''];
  return { path, settings, present, added, content: before + block.join('\n') };
}

/** The lines that apply to all models of a Raspberry Pi: a section, such as `[pi5]`, ends with the next one. */
function linesForAll(lines: readonly string[]): string[] {
  let isForAll = true;
  return lines.filter((line) => {
    const section = /^\[(.*)\]$/.exec(line)?.[1];
    if (section !== undefined) isForAll = section.toLowerCase() === 'all';
    return isForAll;
  });
}

async function contentOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT' || codeOf(thrown) === 'ENOTDIR') return undefined;
    throw thrown;
  }
}
