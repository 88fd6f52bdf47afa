import type { Event } from '../../../src/kernel/events/events.js';
import type { Kernel } from '../../../src/kernel/kernel.js';
import type { TreeObject } from '../../../src/kernel/object.js';
import type { Random } from '../random.js';
import type { FunctionFixture } from './function-fixture.js';

/** Creates objects of all types with random attributes below an object. */
export async function createObjects(
  fixture: FunctionFixture,
  random: Random,
  { parent, count }: { parent: TreeObject; count: number },
): Promise<TreeObject[]> {
  const { kernel, devices } = fixture;
  const made: TreeObject[] = [];
  for (let i = 0; i < count; i++) {
    const place = { parent: random.pick([parent, ...made]), ident: random.chance(0.5) ? `i${i}` : '' };
    const type = random.pick([0, 1, 2, 2, 3, 4, 5, 6] as const);
    let object: TreeObject;
    if (type === 0) object = kernel.tree.create(type, {}, place);
    else if (type === 1) {
      const properties = { Place: `place ${i}`, Password: `secret ${i}` };
      object = random.chance(0.5) ? devices.create('Bus', place) : devices.create('Lamp', place, properties);
    } else if (type === 2) {
      const kind = random.pick([0, 1, 2, 3] as const);
      const value = [true, random.below(9), random.next(), `text ${i}`][kind] ?? 0;
      object = kernel.variables.create(kind, { ...place, value, profile: kind === 0 ? '~Switch' : '' });
    } else if (type === 3) {
      object = kernel.scripts.create(0, place);
      await fixture.call('SVC_SetScriptContent', object.id, `print(${i})`);
    } else if (type === 4) {
      object = kernel.events.create(random.below(3), fixture.clock.nowMs(), place);
    } else if (type === 5) {
      const kind = random.pick([1, 3, 4] as const);
      object = kernel.media.create(kind, place);
      if (kind === 3) await fixture.call('SVC_SetMediaFile', object.id, `rtsp://me:secret${i}@camera`, false);
      else if (random.chance(0.8)) {
        await fixture.call('SVC_SetMediaFile', object.id, `media/${object.id}.png`, false);
        await fixture.call('SVC_SetMediaContent', object.id, Buffer.from(`content ${i}`).toString('base64'));
      }
      if (random.chance(0.5)) await fixture.call('SVC_SetMediaCached', object.id, true);
    } else object = kernel.links.create(place);
    for (const [key, value] of [
      ['name', random.chance(0.7) ? `name ${i}` : ''],
      ['position', random.below(5)],
      ['hidden', random.chance(0.3)],
      ['disabled', random.chance(0.3)],
      ['readOnly', random.chance(0.3)],
      ['icon', random.pick(['', 'Sun'])],
      ['info', random.pick(['', 'notes'])],
      ['summary', random.pick(['', 'short'])],
    ] as const)
      kernel.tree.set(object, key, value);
    made.push(object);
  }
  return made;
}

/** Gives objects random references to each other. */
export async function referToEachOther(
  { kernel, devices }: FunctionFixture,
  random: Random,
  objects: readonly TreeObject[],
): Promise<void> {
  const all = objects.flatMap((object) => [object, ...(object.children ?? [])]);
  const of = (expected: (object: TreeObject) => boolean) => random.pick(all.filter(expected));
  const isBus = (object: TreeObject) => object.is(1) && object.data.moduleName === 'Bus';
  for (const object of all) {
    if (object.is(4)) pointEvent(kernel, object, [random.pick(all), of((one) => one.is(2))]);
    if (object.is(6) && random.chance(0.8)) kernel.links.setTarget(object, random.pick(all).id);
    if (object.is(2)) {
      if (random.chance(0.3))
        kernel.variables.setCustomAction(object, of((one) => one.is(3) || one.is(1))?.id ?? 1);
      if (random.chance(0.1)) kernel.variables.setCustomAction(object, 1);
      if (random.chance(0.3) && object.data.type === 1)
        kernel.variables.setCustomProfile(object, '~Battery.100');
      if (random.chance(0.3) && !object.readOnly) kernel.variables.setResidentAccess(object, 'set');
    }
    const bus = object.is(1) && object.data.moduleName === 'Lamp' ? of(isBus) : undefined;
    if (bus !== undefined) await devices.connect(object.id, bus.id);
  }
}

/** Makes a variable’s change trigger an event with a condition and an action. */
function pointEvent(
  { events }: Kernel,
  event: Event,
  [target, variable]: [TreeObject, TreeObject | undefined],
): void {
  events.set(event, {
    actionId: '{0}',
    actionParameters: { TARGET: target.id, VALUE: 12_345 },
    active: true,
  });
  if (variable === undefined) return;
  const rules = {
    variable: [rule(1, variable.id), rule(0, target.id)],
    date: [],
    time: [],
    dayOfTheWeek: [],
  };
  events.set(event, { conditions: [{ id: 1, parentId: 1, operation: 0, rules }] });
  if (event.data.trigger !== undefined) events.setTrigger(event.id, { variableId: variable.id });
  const action = { id: 1, name: 'on', color: 23_456, scriptText: '', actionId: '{0}' };
  if (event.data.schedule !== undefined)
    events.setSchedule(event.id, { actions: [{ ...action, actionParameters: { TARGET: target.id } }] });
}

/** Type 1 compares with another variable, whose id is its value. */
const rule = (type: 0 | 1, id: number) => ({
  id: type,
  comparison: 0,
  variableId: id,
  type,
  value: type === 1 ? id : 3,
});
