import { SlotUpdates, type BoxStatus, type RunningVersion } from '../maintenance/slot-updates.js';
import { command, UsageError } from '../command.js';
import { exitCode } from '../exit-codes.js';
import { jsonText } from '../output/terminal.js';

/** `stellwerk update`: updates of a box that runs an image with two slots. */
export const update = command({
  usage: 'update status|check|install|back [options] [UPDATE]',
  about: `Updates a box that was flashed with an image; it has two slots, and an update is written to the one that does
not run. UPDATE is a file (.raucb) or an http address.
status: the slots, and the last update if it was rolled back. check UPDATE: verifies its signature and prints its
version. install UPDATE: installs it; the next start uses it, and rolls back if it does not become healthy.
back: the next start uses the other slot. Run it as root.`,
  options: {
    json: { type: 'boolean', help: 'status: as JSON' },
    again: { type: 'boolean', help: 'install: also a version that was rolled back' },
  },
  words: [1, 2],
  exits: '0 done, 1 failed (the update is damaged or its signer unknown, or this machine has no slots)',
  run: async ({ json = false, again = false }, [action = '', source]) => {
    const needsSource = action === 'check' || action === 'install';
    if (!['status', 'check', 'install', 'back'].includes(action))
      throw new UsageError(`there is no update ${action}; give status, check, install or back`);
    if (needsSource !== (source !== undefined))
      throw new UsageError(needsSource ? 'an argument is missing: UPDATE' : `unexpected argument ${source}`);
    const updates = new SlotUpdates();
    const running = updates.running();
    if (action === 'status') process.stdout.write(statusText(await updates.status(), json));
    else if (action === 'back') process.stdout.write(await goBack(updates));
    else if (action === 'check') process.stdout.write(await check(updates, running, source ?? ''));
    else process.stdout.write(await install(updates, running, { source: source ?? '', again }));
    return exitCode.ok;
  },
});

const RESTART = 'Restart the box to use it: systemctl reboot\n';

function statusText(status: BoxStatus, json: boolean): string {
  if (json) return jsonText(status);
  const { version, slots, rolledBack } = status;
  const lines = slots.map(({ name, version: installed, ...slot }) => {
    const facts = [
      slot.isBooted ? 'runs' : undefined,
      slot.isNext ? 'used at the next start' : undefined,
      slot.isGood ? undefined : 'not usable',
    ].filter((fact) => fact !== undefined);
    return `slot ${name}  ${installed ?? '-'}  ${facts.join(', ')}`.trimEnd();
  });
  const note =
    rolledBack &&
    `${rolledBack.version} was rolled back at ${rolledBack.time}: ${rolledBack.reason}. ${rolledBack.running} runs.`;
  return [`version ${version}`, ...lines, note].filter((line) => line !== undefined).join('\n') + '\n';
}

async function check(updates: SlotUpdates, running: RunningVersion, source: string): Promise<string> {
  const version = await updates.inspect(source);
  if (version === running.version) return `${version} runs already.\n`;
  const note =
    version === running.rolledBack?.version ? ` It was rolled back: ${running.rolledBack.reason}.` : '';
  return `${version} can be installed; ${running.version} runs.${note}\n`;
}

async function install(
  updates: SlotUpdates,
  { rolledBack }: RunningVersion,
  { source, again }: { source: string; again: boolean },
): Promise<string> {
  const version = await updates.inspect(source);
  if (version === rolledBack?.version && !again)
    throw new Error(`${version} was rolled back: ${rolledBack.reason}. --again installs it nevertheless`);
  await updates.install(source, (line) => process.stdout.write(`${line}\n`));
  return `${version} is installed. ${RESTART}`;
}

async function goBack(updates: SlotUpdates): Promise<string> {
  const { slots } = await updates.status();
  const other = slots.find(({ isBooted }) => !isBooted);
  if (other === undefined || !other.isGood) throw new Error('the other slot has no usable system');
  await updates.activateOther();
  return `The next start uses slot ${other.name}${other.version === undefined ? '' : `, ${other.version}`}. ${RESTART}`;
}
