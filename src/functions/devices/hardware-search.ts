import { fault } from '../../base/fault.js';
import { declare, int, optional, text, type FunctionDeclaration } from '../../device/declare.js';
import { moduleKind } from '../../device/module.js';
import type { HardwareItem, InstanceTemplate, Search } from '../../device/hardware-search.js';
import { objectType, type TreeObject } from '../../kernel/object.js';
import type { Ports } from '../ports.js';
import * as shapes from '../shapes.js';

/** Looking for hardware, and turning what was found into instances (interface §9; `GW_`: decision 12). */
export function hardwareSearchFunctions(ports: Ports): FunctionDeclaration[] {
  return [...searching(ports), ...found(ports)];
}

function searching(ports: Ports): FunctionDeclaration[] {
  const InstanceID = int('InstanceID');
  return [
    declare({
      name: 'SVC_SupportsSearching',
      parameters: [InstanceID],
      result: 'boolean',
      help: 'Whether an instance looks for hardware: one of the module Hardware does.',
      run: (_caller, id) => findSearch(ports, id) !== undefined,
    }),
    declare({
      name: 'SVC_StartSearch',
      parameters: [InstanceID],
      result: 'boolean',
      help: 'Has an instance look for hardware; false while it is looking. GW_GetFound tells what was found.',
      run: (_caller, id) => searchOf(ports, id).start(),
    }),
    declare({
      name: 'SVC_StopSearch',
      parameters: [InstanceID],
      result: 'boolean',
      help: 'Ends a search before it is through; false when none is going on.',
      run: (_caller, id) => searchOf(ports, id).stop(),
    }),
    declare({
      name: 'SVC_IsSearching',
      parameters: [InstanceID],
      result: 'boolean',
      help: 'Whether an instance is looking for hardware now; never one that does not search at all.',
      run: (_caller, id) => findSearch(ports, id)?.isSearching ?? false,
    }),
  ];
}

function found(ports: Ports): FunctionDeclaration[] {
  const { kernel, devices } = ports;
  return [
    declare({
      name: 'GW_GetFound',
      parameters: [int('InstanceID')],
      result: 'array',
      shape: shapes.found,
      help: 'What the last search of an instance has found, who uses it, and what it can be turned into.',
      run: (_caller, id) =>
        searchOf(ports, id)
          .found()
          .map((one) => record(ports, one)),
    }),
    declare({
      name: 'GW_CreateFrom',
      parameters: [
        int('InstanceID'),
        text('ID'),
        int('ParentID'),
        optional(text('Module')),
        optional(text('Name')),
      ],
      result: 'integer',
      audited: true,
      help: 'Makes an instance of what was found, below an object, and gives its ID. Module: the first that GW_GetFound names, unless said.',
      run: async (_caller, id, wanted, parentId, module, name) => {
        const search = searchOf(ports, id);
        const one = search.found().find((other) => other.id === wanted);
        if (one === undefined) throw fault('NAME_NOT_FOUND', wanted);
        const making = makingOf(ports, one, module);
        const parent = kernel.tree.get(parentId);
        const made = devices.create(
          making.module,
          { parent, name: name ?? one.name },
          { ...making.properties },
        );
        if (making.over !== undefined) await devices.connect(made.id, below(ports, making.over, parent));
        search.start();
        return made.id;
      },
    }),
  ];
}

/** The search of an instance; undefined where it does not search, or is not open. */
function findSearch({ kernel, devices }: Ports, id: number): Search | undefined {
  const { moduleId } = kernel.instances.get(id).data;
  const module = devices.modules.find(moduleId);
  if (module?.kind !== moduleKind.configurator) return undefined;
  return devices.openInstance(id, module).search;
}

function searchOf(ports: Ports, id: number): Search {
  const search = findSearch(ports, id);
  if (search === undefined) throw fault('NOT_SUPPORTED', `Searching by instance #${id}`);
  return search;
}

function makingOf({ devices }: Ports, one: HardwareItem, module: string | undefined): InstanceTemplate {
  const wanted = module === undefined ? undefined : devices.modules.get(module);
  const making = one.makes.find(
    (other) => wanted === undefined || devices.modules.find(other.module) === wanted,
  );
  if (making !== undefined) return making;
  const names = one.makes.map((other) => other.module);
  const why =
    names.length > 0
      ? `it can be ${names.join(', ')}`
      : `it is ${one.usedBy === '' ? 'not for instances' : `used by ${one.usedBy}`}`;
  throw fault('NOT_SUPPORTED', `Making an instance of ${one.name} (${why})`);
}

/** The I/O instance that something is connected to; made beside it where there is none. */
function below(ports: Ports, over: InstanceTemplate, parent: TreeObject): number {
  const { devices } = ports;
  return instanceFor(ports, [over]) || devices.create(over.module, { parent }, { ...over.properties }).id;
}

/** What was found, with the instance that has it by now: also one that is configured for it and can't be opened. */
function record(ports: Ports, one: HardwareItem) {
  const { modules } = ports.devices;
  return {
    ID: one.id,
    Kind: one.kind,
    Name: one.name,
    About: one.about,
    UsedBy: one.usedBy,
    InstanceID: ports.kernel.tree.find(one.instance)?.id || instanceFor(ports, one.makes),
    Create: one.makes.flatMap(({ module, properties }) => {
      const known = modules.find(module);
      return known === undefined
        ? []
        : [{ ModuleID: known.id, ModuleName: known.name, Properties: properties }];
    }),
  };
}

function instanceFor({ kernel, devices }: Ports, makes: readonly InstanceTemplate[]): number {
  for (const instance of kernel.tree.objectsOfType(objectType.instance)) {
    const module = devices.modules.find(instance.data.moduleId);
    const making = makes.find((one) => one.module === module?.name);
    const own = Object.entries(making?.properties ?? {});
    if (own.length > 0 && own.every(([name, value]) => instance.data.properties[name] === value))
      return instance.id;
  }
  return 0;
}
