import { fault } from '../../base/fault.js';
import { declare, int, type FunctionDeclaration } from '../../device/declare.js';
import { Area } from '../../kernel/area.js';
import type { Change } from '../../kernel/changes.js';
import type { TreeObject } from '../../kernel/object.js';
import { Areas, configuratorOf, objectInArea } from './areas.js';
import type { Ports } from '../ports.js';
import * as shapes from '../shapes.js';
import * as snapshotShapes from '../tree/snapshot-shapes.js';
import { changesSince, createSnapshot } from '../tree/snapshot.js';

/** Access of web fronts to the area of their configurator (interface, decisions 1 and 14). */
export function frontAccessFunctions(ports: Ports): FunctionDeclaration[] {
  const areas = new Areas(ports);
  return [listing(ports), ...snapshots(ports, areas)];
}

function listing({ configurators }: Ports): FunctionDeclaration {
  return declare({
    name: 'WFC_GetConfigurators',
    parameters: [],
    result: 'array',
    shape: shapes.configurators,
    access: 'public',
    help: 'The web front configurators; the only function that needs no credentials.',
    run: () =>
      configurators.all().map(({ id, title, icon, position, editable, passwordRequired, mobile }) => ({
        ID: id,
        Title: title,
        Icon: icon,
        Position: position,
        Editable: editable,
        PasswordRequired: passwordRequired,
        MobileEnabled: mobile,
      })),
  });
}

function snapshots(ports: Ports, areas: Areas): FunctionDeclaration[] {
  const InstanceID = int('InstanceID');
  const CategoryID = int('CategoryID');
  const LastTimeStamp = int('LastTimeStamp');
  const shownOf = (id: number, area: Area, below?: TreeObject) =>
    createSnapshot(ports, {
      objects: area.objects(below),
      profiles: area.profiles(),
      configurator: configuratorOf(ports, id),
    });
  return [
    declare({
      name: 'WFC_GetSnapshot',
      parameters: [InstanceID],
      result: 'array',
      shape: snapshotShapes.snapshot,
      access: 'webfront',
      help: 'The area of a configurator with all values at this moment.',
      run: (_caller, id) => shownOf(id, areas.of(id)),
    }),
    declare({
      name: 'WFC_GetSnapshotEx',
      parameters: [InstanceID, CategoryID],
      result: 'array',
      shape: snapshotShapes.snapshot,
      access: 'webfront',
      help: 'A part of the area of a configurator with all values.',
      run: (_caller, id, categoryId) => {
        const area = areas.of(id);
        return shownOf(id, area, objectInArea(ports, area, categoryId));
      },
    }),
    declare({
      name: 'WFC_GetSnapshotChanges',
      parameters: [InstanceID, LastTimeStamp],
      result: 'array',
      shape: snapshotShapes.changes,
      access: 'webfront',
      help: 'The changes in the area of a configurator after a counter; 0: only the current counter.',
      run: (_caller, id, since) => areaChanges(ports, areas.of(id), since),
    }),
    declare({
      name: 'WFC_GetSnapshotChangesEx',
      parameters: [InstanceID, CategoryID, LastTimeStamp],
      result: 'array',
      shape: snapshotShapes.changes,
      access: 'webfront',
      help: 'The changes in a part of the area of a configurator after a counter; 0: only the current counter.',
      run: (_caller, id, categoryId, since) => {
        const { id: baseId } = objectInArea(ports, areas.of(id), categoryId);
        return areaChanges(ports, new Area(ports.kernel.tree, baseId, id), since);
      },
    }),
  ];
}

/**
 * Messages cannot describe a change of the area itself: its users then need a new snapshot (interface,
 * decision 14).
 */
function areaChanges(ports: Ports, area: Area, since: number) {
  return changesSince(ports, since, (changes: readonly Change[]) => {
    if (changes.some((change) => area.requiresSnapshot(change))) throw fault('CHANGES_LOST');
    return changes.filter((change) => area.admits(change));
  });
}
