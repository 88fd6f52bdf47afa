import { coded } from '../../base/codes/coded-text.js';
import { fault } from '../../base/fault.js';
import { declare, int, optional, text, type FunctionDeclaration } from '../../device/declare.js';
import { moduleKind } from '../../device/module.js';
import type { HardwareItem, InstanceTemplate, Search } from '../../device/hardware-search.js';
import { objectType, type TreeObject } from '../../kernel/object.js';
import type { Ports } from '../ports.js';
import * as shapes from '../shapes.js';

/** Hardware search, and creation of instances from its results (interface §9; `GW_`: decision 12). */
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
      help: 'Whether an instance can search for hardware; instances of the module Hardware can.',
      run: (_caller, id) => findSearch(ports, id) !== undefined,
    }),
    declare({
      name: 'SVC_StartSearch',
      parameters: [InstanceID],
      result: 'boolean',
      help: 'Starts a hardware search; false if one is running. GW_GetFound returns the results.',
      run: ({ user }, id) => {
        const search = searchOf(ports, id);
        const isStarted = search.start();
        if (isStarted) followSearch(ports, search, user);
        return isStarted;
      },
    }),
    declare({
      name: 'SVC_StopSearch',
      parameters: [InstanceID],
      result: 'boolean',
      help: 'Stops a hardware search; false if none is running.',
      run: (_caller, id) => searchOf(ports, id).stop(),
    }),
    declare({
      name: 'SVC_IsSearching',
      parameters: [InstanceID],
      result: 'boolean',
      help: 'Whether an instance is searching for hardware; false for instances that cannot search.',
      run: (_caller, id) => findSearch(ports, id)?.isSearching ?? false,
    }),
  ];
}

/** Lists a running search as a task, which ends with it. */
function followSearch({ kernel, tasks }: Ports, search: Search, user: string): void {
  const ended = Promise.withResolvers<void>();
  const cancel = kernel.changes.listen(() => {
    if (!search.isSearching) ended.resolve();
  });
  tasks
    .run('search', user, async ({ signal }) => {
      signal.addEventListener('abort', () => search.stop());
      await ended.promise;
      signal.throwIfAborted();
    })
    // Whoever started it does not wait for it.
    .catch(() => undefined)
    .finally(cancel);
}

function found(ports: Ports): FunctionDeclaration[] {
  const { kernel, devices } = ports;
  return [
    declare({
      name: 'GW_GetFound',
      parameters: [int('InstanceID')],
      result: 'array',
      shape: shapes.found,
      help: 'The results of the last search: the hardware, who uses it, and which instances can be created for it.',
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
      help: 'Creates an instance for a search result below an object, after its other children, and returns its ID. Module defaults to the first one in GW_GetFound.',
      run: async (_caller, id, foundId, parentId, module, name) => {
        const search = searchOf(ports, id);
        const one = search.found().find((other) => other.id === foundId);
        if (one === undefined) throw fault('NAME_NOT_FOUND', foundId);
        const making = makingOf(ports, one, module);
        const parent = kernel.tree.get(parentId);
        const made = devices.create(
          making.module,
          {
            parent,
            name: name ?? one.name,
            position: positionAfter(parent),
            connectTo: making.connectTo ?? 0,
          },
          { ...making.properties },
        );
        if (making.over !== undefined) await devices.connect(made.id, below(ports, making.over, parent));
        search.start();
        return made.id;
      },
    }),
  ];
}

/** The search of an instance; undefined if it cannot search or is not open. */
function findSearch({ kernel, devices }: Ports, id: number): Search | undefined {
  const { moduleId } = kernel.instances.get(id).data;
  const module = devices.modules.find(moduleId);
  if (module?.kind !== moduleKind.configurator) return undefined;
  return devices.openInstance(id, module).search;
}

function searchOf(ports: Ports, id: number): Search {
  const search = findSearch(ports, id);
  if (search === undefined)
    throw fault('NOT_SUPPORTED', coded`WHAT_SEARCHING: Searching with instance #${id}`);
  return search;
}

function makingOf({ devices }: Ports, one: HardwareItem, module: string | undefined): InstanceTemplate {
  const foundId = module === undefined ? undefined : devices.modules.get(module);
  const making = one.makes.find(
    (other) => foundId === undefined || devices.modules.find(other.module) === foundId,
  );
  if (making !== undefined) return making;
  const names = one.makes.map((other) => other.module);
  const why =
    names.length > 0
      ? `possible modules: ${names.join(', ')}`
      : one.usedBy === ''
        ? 'no module fits'
        : `used by ${one.usedBy}`;
  throw fault('NOT_SUPPORTED', coded`WHAT_CREATING_INSTANCE: Creating an instance for ${one.name} (${why})`);
}

/** The I/O instance to connect to; created next to the new instance if there is none. */
function below(ports: Ports, over: InstanceTemplate, parent: TreeObject): number {
  const { devices } = ports;
  const place = { parent, position: positionAfter(parent) };
  return instanceFor(ports, [over]) || devices.create(over.module, place, { ...over.properties }).id;
}

/** The position after the children of an object; 0 if it has none. */
function positionAfter({ children }: TreeObject): number {
  let next = 0;
  for (const { position } of children ?? []) next = Math.max(next, position + 1);
  return next;
}

/**
 * A search result, with the instance that uses it; this includes instances that are configured for it but
 * cannot be opened.
 */
function record(ports: Ports, one: HardwareItem) {
  const { modules } = ports.devices;
  return {
    ID: one.id,
    Kind: one.kind,
    Name: one.name,
    About: one.about,
    UsedBy: one.usedBy,
    InstanceID: ports.kernel.tree.find(one.instance)?.id || instanceFor(ports, one.makes),
    Create: one.makes.flatMap((making) => {
      const known = modules.find(making.module);
      if (known === undefined) return [];
      return [{ ModuleID: known.id, ModuleName: known.name, Properties: identifying(making) }];
    }),
  };
}

/** The properties that say what an instance is for; others may be as long as an announcement. */
function identifying({ properties, recognizedBy }: InstanceTemplate): InstanceTemplate['properties'] {
  if (recognizedBy === undefined) return properties;
  return Object.fromEntries(recognizedBy.map((name) => [name, properties[name]]));
}

function instanceFor({ kernel, devices }: Ports, makes: readonly InstanceTemplate[]): number {
  for (const instance of kernel.tree.objectsOfType(objectType.instance)) {
    const module = devices.modules.find(instance.data.moduleId);
    const making = makes.find((one) => one.module === module?.name);
    const own = making === undefined ? [] : Object.entries(identifying(making));
    const isSame = ([name, value]: readonly [string, unknown]) =>
      [value, ...(making?.aliases?.[name] ?? [])].includes(instance.data.properties[name]);
    if (own.length > 0 && own.every(isSame)) return instance.id;
  }
  return 0;
}
