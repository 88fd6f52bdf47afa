import { fault } from '../../base/fault.js';
import { declare, int, variant, type FunctionDeclaration } from '../../device/declare.js';
import { Area } from '../../kernel/area.js';
import type { Change } from '../../kernel/changes.js';
import type { TreeObject } from '../../kernel/object.js';
import { requestAction } from '../tree/request-action.js';
import { Areas, objectInArea } from './areas.js';
import type { Ports } from '../ports.js';
import * as shapes from '../shapes.js';
import { changesSince, createSnapshot } from '../tree/snapshot.js';

/** `SENDER` of a script that a web front user runs (interface, decision 15). */
const SENDER = 'WebFront';

/** Access of web fronts to the area of their configurator (interface, decisions 1, 14, 15). */
export function frontAccessFunctions(ports: Ports): FunctionDeclaration[] {
  const areas = new Areas(ports);
  return [listing(ports), ...snapshots(ports, areas), execute(ports, areas)];
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
  const shownOf = (area: Area, below?: TreeObject) =>
    createSnapshot(ports, { objects: area.objects(below), profiles: area.profiles() });
  return [
    declare({
      name: 'WFC_GetSnapshot',
      parameters: [InstanceID],
      result: 'array',
      shape: shapes.snapshot,
      access: 'webfront',
      help: 'The area of a configurator with all values at this moment.',
      run: (_caller, id) => shownOf(areas.of(id)),
    }),
    declare({
      name: 'WFC_GetSnapshotEx',
      parameters: [InstanceID, CategoryID],
      result: 'array',
      shape: shapes.snapshot,
      access: 'webfront',
      help: 'A part of the area of a configurator with all values.',
      run: (_caller, id, categoryId) => {
        const area = areas.of(id);
        return shownOf(area, objectInArea(ports, area, categoryId));
      },
    }),
    declare({
      name: 'WFC_GetSnapshotChanges',
      parameters: [InstanceID, LastTimeStamp],
      result: 'array',
      shape: shapes.changes,
      access: 'webfront',
      help: 'The changes in the area of a configurator after a counter; 0: only the current counter.',
      run: (_caller, id, since) => areaChanges(ports, areas.of(id), since),
    }),
    declare({
      name: 'WFC_GetSnapshotChangesEx',
      parameters: [InstanceID, CategoryID, LastTimeStamp],
      result: 'array',
      shape: shapes.changes,
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

function execute(ports: Ports, areas: Areas): FunctionDeclaration {
  return declare({
    name: 'WFC_Execute',
    parameters: [int('InstanceID'), int('ActionID'), int('TargetID'), variant('Value')],
    result: 'string',
    access: 'webfront',
    audited: true,
    help: 'Requests a value from the device or script behind a variable in the area of a configurator.',
    run: async (caller, id, _actionId, targetId, value) => {
      if (!areas.of(id).contains(targetId)) throw fault('ACCESS_DENIED');
      return requestAction(ports, { variableId: targetId, value, sender: SENDER, caller });
    },
  });
}
