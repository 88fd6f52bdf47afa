import { variableRoles } from '../../src/base/codes/stable-codes.js';
import { Fault } from '../../src/base/fault.js';
import type { Event } from '../../src/kernel/events/events.js';
import type { Kernel } from '../../src/kernel/kernel.js';
import type { Media, MediaType } from '../../src/kernel/media.js';
import type { TreeObject } from '../../src/kernel/object.js';
import type { Random } from '../tools/random.js';

/** Limit of objects in a tree, above which none is created. */
const CROWD = 40;
const BUS = { id: '{00000000-0000-0000-0000-0000000000B1}', name: 'Bus', kind: 1 };

/**
 * Makes one change to a tree that the owner, the configuration or a device could make; a rejected one changes
 * nothing.
 */
export function mutateTree(random: Random, kernel: Kernel): void {
  const { tree } = kernel;
  const [event, media] = [random.pick([...tree.objectsOfType(4)]), random.pick([...tree.objectsOfType(5)])];
  try {
    if (event !== undefined && random.chance(0.25)) disturbEvent(random, kernel, event);
    else if (media !== undefined && random.chance(0.1)) disturbMedia(random, kernel, media);
    else if (tree.size < CROWD && random.chance(0.35)) create(random, kernel);
    else disturbAny(random, kernel);
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
  }
}

function create(random: Random, { tree, variables, links, scripts, instances, media, events }: Kernel): void {
  const all = [...tree.all()];
  const parent = random.pick(all);
  switch (random.below(7)) {
    case 0:
      return void scripts.create(0, { parent });
    case 1:
      return void tree.create(0, {}, { parent, name: random.pick(['', 'Room']) });
    case 2:
      return void variables.create(3, { parent, value: 'first', profile: random.pick(['', 'P']) });
    case 3:
      return void instances.create(BUS, {}, { parent, nowMs: Date.now() });
    case 4:
      return void media.create(random.below(6) as MediaType, { parent });
    case 5:
      return void events.create(random.below(3), Date.now(), { parent });
    default:
      return void links.create({ parent }, random.chance(0.3) ? 0 : random.pick(all).id);
  }
}

function disturbAny(random: Random, kernel: Kernel): void {
  const { tree, variables, links, profiles, instances } = kernel;
  const all = [...tree.all()];
  const any = () => random.pick(all);
  const [variable, link] = [random.pick([...tree.objectsOfType(2)]), random.pick([...tree.objectsOfType(6)])];
  if (variable === undefined || link === undefined) return void links.create({ parent: variables.create(3) });
  switch (random.below(16)) {
    case 0:
      return remove(kernel, any());
    case 1:
      return tree.move(any(), any());
    case 2:
      return links.setTarget(link, random.chance(0.2) ? 0 : any().id);
    case 3:
      return tree.set(any(), 'name', `N${random.below(1000)}`);
    case 4:
      return tree.set(any(), random.pick(['info', 'ident', 'icon']), `T${random.below(5)}`);
    case 5:
      return tree.set(any(), random.pick(['hidden', 'disabled']), random.chance(0.5));
    case 6:
      return variables.setCustomProfile(variable, random.pick(['', 'P', 'Q']));
    case 7:
      return profiles.setText(random.pick(['P', 'Q']), `${random.below(100)}`, '');
    case 8:
      return variables.update(variable, `V${random.below(1000)}`, Date.now());
    case 9:
      return tree.set(any(), 'position', random.below(5));
    case 10:
      return variables.setCustomAction(
        variable,
        random.pick([0, 1, ...[...tree.objectsOfType(3)].map(({ id }) => id)]),
      );
    case 11:
      return variables.setRole(variable, random.pick(variableRoles));
    case 12:
      return variables.setRule(
        variable,
        random.chance(0.3) ? undefined : { code: 'MIN_ON', untilMs: random.below(9), group: '' },
      );
    case 13:
      return variables.setPending(
        variable,
        random.chance(0.3) ? undefined : { value: 'later', atMs: random.below(9), code: 'MAX_ON' },
      );
    case 14:
      return variables.setResidentAccess(variable, random.pick(['set', undefined] as const));
    default: {
      const io = [...tree.objectsOfType(1)];
      if (io.length < 2) return;
      return instances.connect(random.pick(io), random.chance(0.3) ? 0 : random.pick(io).id);
    }
  }
}

/** Clears triggers of the deleted variable, like the event engine. */
function remove({ tree, events }: Kernel, object: TreeObject): void {
  tree.delete(object);
  for (const event of events.triggeredBy(object.id)) events.clearTriggerVariable(event);
}

/** References may be to any object, inside and outside a web front's area. */
function disturbEvent(random: Random, { tree, events }: Kernel, event: Event): void {
  const { id } = random.pick([...tree.all()]);
  const variable = random.pick([...tree.objectsOfType(2)])?.id ?? 0;
  const { data } = event;
  const time = { hour: random.below(24), minute: 0, second: 0 };
  const byId = { actionId: '{A}', actionParameters: { TARGET: id } };
  const byText = { script: `GetValue(${id})`, actionId: '', actionParameters: {} };
  const rule = { id: 0, comparison: random.below(6), value: 1, variableId: variable, type: 0 };
  const rules = { variable: random.chance(0.5) ? [rule] : [], date: [], time: [], dayOfTheWeek: [] };
  const planned = { id: random.below(2), name: 'Day', color: random.below(9), scriptText: '' };
  const done = random.pick([
    { actionId: '', actionParameters: {} },
    { scriptText: `GetValue(${id})`, actionId: '', actionParameters: {} },
    byId,
  ]);
  const points = [{ id: 0, start: time, actionId: 0 }];
  switch (random.below(9)) {
    case 0:
      return events.set(event, { active: !data.active, limit: random.below(3) });
    case 1:
      return events.set(event, random.pick([byText, { ...byId, script: '' }]));
    case 2:
      return events.set(event, { conditions: [{ id: 0, parentId: 0, operation: random.below(4), rules }] });
    case 3:
      return events.recordRun(event, Date.now());
    case 4:
      return events.setNextRun(event, random.pick([0, 1_900_000_000]));
    default:
      if (data.type === 0) {
        const variableId = random.pick([0, variable, variable, data.trigger?.variableId ?? 0]);
        const isKept = random.chance(0.5) && !String(data.trigger?.value).startsWith('of ');
        return events.setTrigger(event.id, {
          type: random.below(5),
          variableId,
          // If the variable is outside the web front's area, so is its value.
          ...(!isKept && { value: random.pick([`of ${variableId}`, 'a value']) }),
        });
      }
      if (data.type === 1) return events.setCyclic(event.id, { timeType: random.below(4), timeFrom: time });
      return random.chance(0.5)
        ? events.setSchedule(event.id, { actions: [{ ...planned, ...done }] })
        : events.setSchedule(event.id, { groups: random.chance(0.3) ? [] : [{ id: 0, days: 1, points }] });
  }
}

function disturbMedia(random: Random, { media }: Kernel, object: Media): void {
  const facts = { crc: '0000000A', size: random.below(9), updated: 1_700_000_000 };
  switch (random.below(4)) {
    case 0:
      return media.setFile(object, random.pick(['', 'media/a.png', 'user/b.svg']));
    case 1:
      return media.setAvailable(object, random.chance(0.5));
    case 2:
      return media.setCached(object, random.chance(0.5));
    default:
      return media.announceContent(object, facts);
  }
}
