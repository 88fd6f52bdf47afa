/**
 * The life of an emulated box, of which many snapshots are kept with its memory: the first start with a
 * set-up file, work, the installation of an update during it, and the first start of that update.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../tools/until.js';
import { BUSY_CLIENT, BUSY_CONFIG, KINDS, PASSWORD } from './busy-client.js';
import { FlashedBox, installUpdate } from './flashed-box.js';

/** Between two snapshots. Each takes a few seconds, during which the box is stopped. */
const EVERY_MS = 15_000;
/** Snapshots of work without an update. */
const WORK_SNAPSHOTS = 5;
const WORK_LIMIT_MS = 300_000;
export const SETUP = ['hostname=house-1', `password=${PASSWORD}`, ''].join('\n');

/** A state of the box from which it can continue ({@link FlashedBox.switchOn}). */
export interface Snapshot {
  readonly name: string;
  /** What the box does then. */
  readonly phase: string;
  /** What the console had printed until then. */
  readonly printed: string;
}

/**
 * Starts a box with this card, which `SETUP` was written to, and returns the snapshots that are then on the
 * card.
 */
export async function recordLife(card: string, onPhase: (phase: string) => void): Promise<Snapshot[]> {
  const snapshots: Snapshot[] = [];
  await using box = await FlashedBox.switchOn(card);
  const keep = async (phase: string) => {
    const name = `m${snapshots.length}`;
    snapshots.push({ name, phase, printed: await box.freeze(name) });
  };
  /** Keeps snapshots until something has ended. */
  const during = async (phase: string, work: Promise<unknown>) => {
    onPhase(phase);
    const ended = work.then(
      () => true,
      () => true,
    );
    do await keep(phase);
    while (!(await Promise.race([ended, sleep(EVERY_MS, false)])));
    await work;
  };
  const confirmed = async () => {
    await box.up();
    const verdict = await box.verdict();
    if (verdict !== 'healthy') throw new Error(`the slot is ${verdict}`);
  };

  await during('first start', confirmed());
  await box.agent.put('/run/more.yaml', BUSY_CONFIG);
  await box.agent.run('cat /run/more.yaml >>/etc/stellwerk/gateway.yaml && systemctl restart stellwerk');
  await box.agent.put('/run/busy.cjs', BUSY_CLIENT);
  await box.agent.run(
    'systemd-run -q --unit busy --collect /opt/stellwerk/current/bin/node /run/busy.cjs',
    WORK_LIMIT_MS,
  );
  const isBusy = () => KINDS.every((kind) => box.console().includes(`load: ["${kind}`));
  await until('all kinds of changes', isBusy, WORK_LIMIT_MS).catch((late: unknown) => {
    throw new Error(`the console ends with:\n${box.console().slice(-2000)}`, { cause: late });
  });
  await during('work', sleep(WORK_SNAPSHOTS * EVERY_MS));
  const installed = async () => {
    const { code, err } = await installUpdate(box.agent, 'good');
    if (code !== 0) throw new Error(`the update was not installed: ${err}`);
  };
  await during('work and an installation', installed());
  await box.agent.run('systemctl stop busy');
  const starts = box.chosenSlots.length;
  const updated = async () => {
    await box.agent.start('systemctl --no-block reboot');
    await until('U-Boot', () => box.chosenSlots.length > starts, WORK_LIMIT_MS);
    await confirmed();
  };
  await during('start of an update', updated());
  return snapshots;
}
