import { coded, CodedError, type CodedText } from '../../base/codes/coded-text.js';
import { placeOf, planChipFor } from './enable-chip.js';
import { readI2c } from './machine-facts.js';
import { noSuchBus } from './sensor-check.js';
import { knownChips, wantedChip, type WantedChip } from './sensor-chips.js';

/** Longer texts are not repeated in an error. */
const MAX_DEVICE = 40;

type FileChange = Awaited<ReturnType<typeof planChipFor>>;

/**
 * The change that declares a chip on request of the gateway, which may be in the hands of an attacker: a
 * known chip, on a bus that exists, at an address that the chip can have and that neither the kernel nor the
 * configuration has given to another one; the kernel may have this chip itself, but no driver for it. Reads
 * files only, no address is accessed. Rejects with a {@link CodedError} that says why the chip cannot be
 * declared.
 */
export async function checkChip(device: string, root: string): Promise<FileChange> {
  const wanted = wantedChip(device);
  if (wanted === undefined) throw new CodedError(unknownChip(device));
  const { name, address, addresses, bus } = wanted;
  if (!addresses.includes(address))
    throw new CodedError(coded`CHIP_ADDRESS: ${name} cannot have the address ${address}, only ${addresses}`);
  const i2c = await readI2c(root);
  const change = await planChipFor(i2c, wanted, root);
  // The bus of the header appears with its setting.
  if (change.kind !== 'overlay' && !i2c.buses.includes(`i2c-${bus}`))
    throw new CodedError(noSuchBus(bus, i2c.buses));
  if (change.kind === 'driver') return change;
  const place = placeOf(wanted);
  const known = i2c.chips.find((chip) => chip.place === place);
  if (known !== undefined)
    throw new CodedError(
      coded`CHIP_PRESENT: the kernel has ${known.name} at ${place} already, and an address belongs to one chip`,
    );
  const other = otherAt(wanted, change);
  if (other !== undefined)
    throw new CodedError(
      coded`CHIP_DECLARED: ${change.path} has another chip at ${place} already (${other}); remove that line first`,
    );
  return change;
}

/** Says that a chip is not known, and which are. */
export const unknownChip = (device: string): CodedText =>
  coded`CHIP_UNKNOWN: ${device.slice(0, MAX_DEVICE)} is not a known chip with an address; use a form such as bme280@1-0076; known: ${knownChips()}`;

/** The line that declares another chip at the address. */
function otherAt({ address, bus }: WantedChip, { settings, present, kind }: FileChange) {
  const isSame = (line: string) =>
    kind === 'overlay'
      ? line.startsWith('dtoverlay=') && line.split(',').includes(`addr=${address}`)
      : line.includes(`KERNEL=="i2c-${bus}"`) && line.includes(` ${address}"`);
  return present.find((line) => isSame(line) && !settings.includes(line));
}
