import { join } from 'node:path';
import { unknownChip } from '../../service/machine/chip-check.js';
import { CHIP_REQUEST_FILE, serveChipRequest } from '../../service/machine/chip-service.js';
import { applyChange, planChip } from '../../service/machine/enable-chip.js';
import { wantedChip } from '../../service/machine/sensor-chips.js';
import { RUNTIME_DIRECTORY } from '../../service/updates/box-files.js';
import { command, UsageError } from '../command.js';
import { exitCode } from '../exit-codes.js';

/** `stellwerk enable-chip`: declares a sensor chip on I²C, so that the kernel loads its driver. */
export const enableChip = command({
  usage: 'enable-chip [--yes] CHIP@BUS-ADDRESS',
  about: `Shows how this machine declares a sensor chip, such as bme280@1-0076: address 0x76 on bus 1. With --yes it is
written to config.txt of a Raspberry Pi, or to a udev rule of another machine, and takes effect after a
reboot. Nothing is sent on the bus: be sure that this chip is at this address.`,
  options: {
    yes: { type: 'boolean', help: 'write it; otherwise nothing is changed' },
    serve: { type: 'boolean', help: 'do what the gateway requests (stellwerk-chips.service)' },
  },
  words: [0, 1],
  exits: '0 done, 1 the file cannot be written',
  run: async ({ yes = false, serve = false }, [device]) => {
    if (serve !== (device === undefined))
      throw new UsageError(
        serve ? `unexpected argument ${device}` : 'an argument is missing: CHIP@BUS-ADDRESS',
      );
    return device === undefined ? serveRequest() : enable(device, yes);
  },
});

/** A rejected request is not a failure of the service: the gateway shows its reason. */
async function serveRequest(): Promise<number> {
  const reply = await serveChipRequest(join(RUNTIME_DIRECTORY, CHIP_REQUEST_FILE), '/');
  if (reply === undefined) process.stdout.write('the request is not valid\n');
  else process.stdout.write(reply.problem === null ? 'done\n' : `rejected: ${reply.problem.Code}\n`);
  return exitCode.ok;
}

async function enable(device: string, yes: boolean): Promise<number> {
  const wanted = wantedChip(device);
  if (wanted === undefined) throw new UsageError(unknownChip(device).toString());
  const change = await planChip(wanted, '/');
  const { path, added } = change;
  if (added.length === 0) {
    process.stdout.write(`${path} has it already; if the chip is missing, reboot and check its wiring\n`);
    return exitCode.ok;
  }
  if (yes) await applyChange(change);
  const lines = added.map((line) => `  ${line}\n`).join('');
  const hint = yes
    ? 'Written. Reboot the machine.\n'
    : `Nothing was changed. sudo stellwerk enable-chip --yes ${device} writes it.\n`;
  process.stdout.write(`${path}:\n${lines}${hint}`);
  return exitCode.ok;
}
