/** Updates of a box through RAUC's command line, of which a script takes the place. */
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { SlotUpdates } from '../../../src/cli/maintenance/slot-updates.js';
import { tempDirectory } from '../../tools/temp-directory.js';

/** As RAUC 1.8 prints it, less what is not used. */
const STATUS = JSON.stringify({
  compatible: 'stellwerk-box-rpi',
  booted: 'B',
  boot_primary: 'rootfs.1',
  slots: [
    {
      'rootfs.0': {
        class: 'rootfs',
        bootname: 'A',
        state: 'inactive',
        boot_status: 'bad',
        slot_status: { bundle: { compatible: 'stellwerk-box-rpi', version: '1.2.0' } },
      },
    },
    { 'rootfs.1': { class: 'rootfs', bootname: 'B', state: 'booted', boot_status: 'good' } },
  ],
});
const NOTE = {
  version: '1.2.0',
  running: '1.1.0',
  time: '2026-11-01T02:00:00Z',
  reason: 'start',
  limit: 180,
};

/** A box on which a shell script is RAUC; `note`: the last update was rolled back. */
async function box(t: Test, script: string, note = false): Promise<SlotUpdates> {
  return boxIn(await tempDirectory(t), script, note);
}

function boxIn(directory: string, script: string, note = false): SlotUpdates {
  const files = {
    rauc: join(directory, 'rauc'),
    release: join(directory, 'os-release'),
    note: join(directory, 'note'),
  };
  writeFileSync(files.rauc, `#!/bin/sh\n${script}\n`);
  chmodSync(files.rauc, 0o755);
  writeFileSync(files.release, 'ID=debian\nIMAGE_ID=stellwerk-box\nIMAGE_VERSION=1.1.0\n');
  if (note) writeFileSync(files.note, JSON.stringify(NOTE));
  return new SlotUpdates(files.rauc, {
    release: files.release,
    rolledBack: files.note,
    confirmations: join(directory, 'confirmations'),
  });
}

t.test('the status has both slots, and the update that was rolled back', async (t) => {
  const updates = await box(
    t,
    `[ "$*" = 'status --detailed --output-format=json' ] && echo '${STATUS}'`,
    true,
  );
  t.strictSame(await updates.status(), {
    version: '1.1.0',
    slots: [
      { name: 'A', version: '1.2.0', isBooted: false, isNext: false, isGood: false },
      { name: 'B', version: '1.1.0', isBooted: true, isNext: true, isGood: true },
    ],
    rolledBack: NOTE,
  });
});

t.test('a machine that is not a box has no slots', async (t) => {
  const directory = await tempDirectory(t);
  const none = join(directory, 'none');
  const files = { release: none, rolledBack: none, confirmations: none };
  await t.rejects(new SlotUpdates('rauc', files).running(), /this machine has no slots/);
  const updates = new SlotUpdates(join(directory, 'no-rauc'), files);
  await t.rejects(updates.inspect('update.raucb'), /this machine has no slots/);
});

t.test("an update's version, and the reason for which RAUC rejects it", async (t) => {
  const good = await box(t, `[ "$*" = 'info --output-format=json u.raucb' ] && echo '{"version":"1.3.0"}'`);
  t.equal(await good.inspect('u.raucb'), '1.3.0');
  const reason = 'signature verification failed: Verify error: self-signed certificate in certificate chain';
  const bad = await box(t, `echo '${reason}' >&2; exit 1`);
  await t.rejects(bad.inspect('u.raucb'), { message: reason });
  await t.rejects(bad.activateOther(), { message: reason });
});

t.test('an installation passes the lines of RAUC on, and its last error', async (t) => {
  const lines: string[] = [];
  const good = await box(t, `printf '  0%% Installing\\n 100%% Installing'; echo ' done.'`);
  await good.install('u.raucb', (line) => lines.push(line));
  t.strictSame(lines, ['  0% Installing', ' 100% Installing done.']);
  const bad = await box(t, 'echo "LastError: the disk is full"; echo "Installing failed" | head -0; exit 1');
  await t.rejects(
    bad.install('u.raucb', () => undefined),
    { message: 'the disk is full' },
  );
});

t.test('a slot that is overwritten is not confirmed any more, even before RAUC writes it', async (t) => {
  const directory = await tempDirectory(t);
  const confirmations = join(directory, 'confirmations');
  const notes = ['confirmed.A', 'reason.A', 'confirmed.B', 'reason.B'];
  mkdirSync(confirmations);
  for (const note of notes) writeFileSync(join(confirmations, note), '1.2.0\n');
  const lines: string[] = [];
  const updates = boxIn(
    directory,
    `case $1 in status) echo '${STATUS}' ;; install) ls ${confirmations} ;; esac`,
  );
  await updates.install('u.raucb', (line) => lines.push(line));
  t.strictSame(lines, ['confirmed.B', 'reason.B'], 'the slot that runs keeps its notes');
  t.notOk(existsSync(join(confirmations, 'confirmed.A')));
});
