import { fault } from '../base/fault.js';
import { declare, int, text, variant, type FunctionDeclaration } from '../device/declare.js';
import { Area } from '../kernel/area.js';
import type { Change } from '../kernel/changes.js';
import type { TreeObject } from '../kernel/object.js';
import { requestAction } from './actions.js';
import type { ConfiguratorFacts, Ports } from './ports.js';
import * as shapes from './shapes.js';
import { changesSince, snapshot } from './snapshot.js';

/** `SENDER` of a script that a web front's user runs (decision 15). */
const SENDER = 'WebFront';

/** What web fronts call, each within its configurator's area (decisions 1, 14, 15). */
export function webFrontFunctions(ports: Ports): FunctionDeclaration[] {
  const areas = new Areas(ports);
  return [listing(ports), ...snapshots(ports, areas), execute(ports, areas), registerPush(ports)];
}

/** The configurators' areas, kept because they know the targets of the links in them. */
class Areas {
  readonly #ports: Ports;
  readonly #areas = new Map<number, { readonly baseId: number; readonly area: Area }>();

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  of(configuratorId: number): Area {
    const { baseId } = configuratorOf(this.#ports, configuratorId);
    const known = this.#areas.get(configuratorId);
    if (known?.baseId === baseId) return known.area;
    const area = new Area(this.#ports.kernel.tree, baseId);
    this.#areas.set(configuratorId, { baseId, area });
    return area;
  }
}

function listing({ configurators }: Ports): FunctionDeclaration {
  return declare({
    name: 'WFC_GetConfigurators',
    parameters: [],
    result: 'array',
    shape: shapes.configurators,
    access: 'public',
    help: 'The web front configurators; the one function that needs no credentials.',
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
    snapshot(ports, { objects: area.objects(below), profiles: area.profiles() });
  return [
    declare({
      name: 'WFC_GetSnapshot',
      parameters: [InstanceID],
      result: 'array',
      shape: shapes.snapshot,
      access: 'webfront',
      help: "A configurator's area with all values, as it is at this moment.",
      run: (_caller, id) => shownOf(areas.of(id)),
    }),
    declare({
      name: 'WFC_GetSnapshotEx',
      parameters: [InstanceID, CategoryID],
      result: 'array',
      shape: shapes.snapshot,
      access: 'webfront',
      help: "A part of a configurator's area with all values.",
      run: (_caller, id, categoryId) => {
        const area = areas.of(id);
        return shownOf(area, within(ports, area, categoryId));
      },
    }),
    declare({
      name: 'WFC_GetSnapshotChanges',
      parameters: [InstanceID, LastTimeStamp],
      result: 'array',
      shape: shapes.changes,
      access: 'webfront',
      help: "The changes in a configurator's area after a counter; with 0 only the present counter.",
      run: (_caller, id, since) => areaChanges(ports, areas.of(id), since),
    }),
    declare({
      name: 'WFC_GetSnapshotChangesEx',
      parameters: [InstanceID, CategoryID, LastTimeStamp],
      result: 'array',
      shape: shapes.changes,
      access: 'webfront',
      help: "The changes in a part of a configurator's area after a counter; with 0 only the present counter.",
      run: (_caller, id, categoryId, since) => {
        const { id: baseId } = within(ports, areas.of(id), categoryId);
        return areaChanges(ports, new Area(ports.kernel.tree, baseId), since);
      },
    }),
  ];
}

/** Messages can't tell how an area itself changed: its users then take a snapshot (decision 14). */
function areaChanges(ports: Ports, area: Area, since: number) {
  return changesSince(ports, since, (changes: readonly Change[]) => {
    if (changes.some((change) => area.unsettles(change))) throw fault('CHANGES_LOST');
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
    help: "Has the device or the script behind a variable of a configurator's area carry out a value.",
    run: async (caller, id, _actionId, targetId, value) => {
      if (!areas.of(id).contains(targetId)) throw fault('ACCESS_DENIED');
      return requestAction(ports, { variableId: targetId, value, sender: SENDER, caller });
    },
  });
}

function registerPush(ports: Ports): FunctionDeclaration {
  return declare({
    name: 'WFC_RegisterPNS',
    parameters: [int('InstanceID'), text('Token'), text('Provider'), text('DeviceID'), text('DeviceName')],
    result: 'string',
    access: 'webfront',
    audited: true,
    shown: (id, _token, provider, deviceId, name) => [id, '***', provider, deviceId, name],
    help: 'Registers a mobile device for notifications; refused: this gateway sends none.',
    run: (_caller, id) => {
      if (!configuratorOf(ports, id).mobile) throw fault('NOT_ALLOWED', 'Use by mobile apps (mobile: true)');
      throw fault('NOT_SUPPORTED', 'Sending push notifications');
    },
  });
}

function configuratorOf({ configurators }: Ports, id: number): ConfiguratorFacts {
  const found = configurators.all().find((configurator) => configurator.id === id);
  if (found === undefined) throw fault('NOT_OF_TYPE', 'Configurator', id);
  return found;
}

/** An object below the area's base, or the base; what is below the target of a link is none of the area's. */
function within({ kernel }: Ports, area: Area, id: number): TreeObject {
  const object = kernel.tree.find(id);
  if (object === undefined || !area.covers(id)) throw fault('OBJECT_MISSING', id);
  return object;
}
