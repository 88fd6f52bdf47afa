import type { Test } from 'tap';
import type { Guard } from '../../../../drivers/gpio/backends/line.js';
import type { Gateway, KeeperFixture } from './keeper-fixture.js';

/** All policies leave the level as it is. */
export const HOLD: Guard = { boot: 'hold', onDeath: 'hold', onStop: 'hold', onUpdate: 'hold', holdForS: 0 };

/** The levels of the three outputs when their policies were applied. */
export const AFTER = { 1: true, 2: false, 3: true };

/** A gateway with three outputs: one is held, one becomes inactive and one active on this end. */
export async function threeOutputs(
  t: Test,
  box: KeeperFixture,
  on: 'onDeath' | 'onStop' | 'onUpdate',
): Promise<Gateway> {
  const gateway = box.gateway();
  for (const [n, policy] of (['hold', 'inactive', 'active'] as const).entries()) {
    const guard = { ...HOLD, [on]: policy };
    await gateway.send({ requestOutput: { offset: n + 1, boot: 'inactive', guard } });
    await gateway.send({ set: n + 1, active: policy !== 'active' });
  }
  t.same(await box.levels(1, 2, 3), [true, true, false]);
  t.match(await gateway.send({ health: true }), /3 guarded by the line keeper/);
  return gateway;
}

/** Waits until the gateway has lost the three outputs, and reopens them as their instances do. Returns their levels. */
export async function reopenLost(gateway: Gateway): Promise<string[]> {
  const offsets = [1, 2, 3];
  for (const offset of offsets) await gateway.waitFor(new RegExp(`^lost ${offset} `, 'm'));
  for (const offset of offsets) await gateway.send({ close: offset });
  const found: string[] = [];
  for (const offset of offsets)
    found.push(await gateway.send({ requestOutput: { offset, boot: 'hold', guard: HOLD } }));
  return found;
}
