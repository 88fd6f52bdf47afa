import { join } from 'node:path';
import { systemClock } from '../../base/clock.js';
import {
  BOX_FILES,
  REQUEST_FILE,
  RUNTIME_DIRECTORY,
  readState,
  takeRequest,
  type UpdateState,
} from '../../service/updates/box-files.js';
import type { RollbackNote } from '../../service/updates/rollback-note.js';
import { SlotUpdates, type BoxStatus } from '../maintenance/slot-updates.js';
import { UpdateWork } from '../maintenance/update-work.js';
import { command, UsageError } from '../command.js';
import { exitCode } from '../exit-codes.js';
import { jsonText } from '../output/terminal.js';

const ACTIONS = ['status', 'check', 'install', 'back', 'serve'];

/** `stellwerk update`: updates of a box that runs an image with two slots. */
export const update = command({
  usage: 'update status|check|install|back [options] [UPDATE]',
  about: `Updates a box that was flashed with an image; it has two slots, and an update is written to the one that does
not run. UPDATE is a file (.raucb); install takes an http address, too.
status: the slots, an installation in progress, and the last update if it was rolled back. check UPDATE: verifies its
signature and prints its version. install UPDATE: installs it; the next start uses it, and rolls back if it does not
become healthy. back: the next start uses the other slot. serve: does what the gateway requests (box-update.service).
Run it as root.`,
  options: {
    json: { type: 'boolean', help: 'status: as JSON' },
    again: { type: 'boolean', help: 'install: also a version that was rolled back' },
  },
  words: [1, 2],
  exits:
    '0 done, 1 failed (the update is damaged or its signer unknown, or this machine has no slots), 130 cancelled',
  run: async ({ json = false, again = false }, [action = '', source]) => {
    const needsSource = action === 'check' || action === 'install';
    if (!ACTIONS.includes(action))
      throw new UsageError(`there is no update ${action}; give status, check, install or back`);
    if (needsSource !== (source !== undefined))
      throw new UsageError(needsSource ? 'an argument is missing: UPDATE' : `unexpected argument ${source}`);
    const updates = new SlotUpdates();
    await updates.running();
    const work = new UpdateWork(updates, BOX_FILES, { clock: systemClock() });
    if (action === 'status') {
      const status = await updates.status();
      process.stdout.write(statusText(status, await readState(BOX_FILES.state), json));
    } else if (action === 'check') process.stdout.write(await check(updates, source ?? ''));
    else if (action === 'install') {
      const onLine = (line: string) => void process.stdout.write(`${line}\n`);
      const version = await work.install(source ?? '', { again, onLine });
      process.stdout.write(`${version} is installed. ${RESTART}`);
    } else if (action === 'back') {
      const { name, version } = await work.back();
      process.stdout.write(
        `The next start uses slot ${name}${version === undefined ? '' : `, ${version}`}. ${RESTART}`,
      );
    } else await serve(updates, work);
    return exitCode.ok;
  },
});

const RESTART = 'Restart the box to use it: systemctl reboot\n';
const REASONS: Readonly<Record<RollbackNote['reason'], string>> = {
  unhealthy: 'it did not become healthy',
  configuration: 'it rejects the configuration',
  start: 'it did not start',
};

/** Does what the gateway requested. Problems are in the state that the gateway reads, and in the journal. */
async function serve(updates: SlotUpdates, work: UpdateWork): Promise<void> {
  const request = await takeRequest(join(RUNTIME_DIRECTORY, REQUEST_FILE));
  if (request === undefined) return;
  const { action, source, isAutomatic, version: expected } = request;
  if (action === 'status') await work.status();
  else if (action === 'back') await work.back();
  else if (action === 'restart') await updates.restart();
  else {
    const version = await work.install(source, { again: !isAutomatic, isAutomatic, expected });
    process.stdout.write(version === undefined ? 'there is no newer version\n' : `${version} is installed\n`);
  }
}

function statusText(status: BoxStatus, state: UpdateState | undefined, json: boolean): string {
  if (json) return jsonText({ ...status, progress: state });
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
    `${rolledBack.version} was rolled back at ${rolledBack.time}: ${REASONS[rolledBack.reason]}. ${rolledBack.running} runs.`;
  return (
    [`version ${version}`, ...lines, note, progressText(state)]
      .filter((line) => line !== undefined)
      .join('\n') + '\n'
  );
}

function progressText(state: UpdateState | undefined): string | undefined {
  if (state === undefined || (state.busy === '' && state.problem === '')) return undefined;
  if (state.busy === '') return `The last request failed: ${state.problem}`;
  const what = {
    download: 'An update is downloaded',
    install: 'An update is installed',
    back: 'Slots are switched',
  };
  return `${what[state.busy]}${state.version === '' ? '' : ` (${state.version})`}: ${state.percent} %`;
}

async function check(updates: SlotUpdates, source: string): Promise<string> {
  const running = await updates.running();
  const version = await updates.inspect(source);
  if (version === running.version) return `${version} runs already.\n`;
  const { rolledBack } = running;
  const note = version === rolledBack?.version ? ` It was rolled back: ${REASONS[rolledBack.reason]}.` : '';
  return `${version} can be installed; ${running.version} runs.${note}\n`;
}
