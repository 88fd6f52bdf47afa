import { fault } from '../../base/fault.js';
import { array, declare, int, text, type FunctionDeclaration } from '../../device/declare.js';
import type { ModuleDefinition } from '../../device/module.js';
import { areCompatible } from '../../device/module-registry.js';
import { checkedTexts } from '../argument-checks.js';
import { moduleTypes } from '../enumerations.js';
import type { Ports } from '../ports.js';
import * as shapes from '../shapes.js';

/** The library that contains all modules. */
const LIBRARY_ID = '{B0C9D7C2-4F0B-4C55-9D6A-5A3B8E1F7C24}';

/** Modules (drivers) and the library that contains them (interface §2.1, §9). */
export function moduleFunctions(ports: Ports): FunctionDeclaration[] {
  return [...modules(ports), ...compatibility(ports), ...libraries(ports)];
}

function modules({ devices }: Ports): FunctionDeclaration[] {
  const known = devices.modules;
  return [
    declare({
      name: 'SVC_ModuleExists',
      parameters: [text('ModuleID')],
      result: 'boolean',
      help: 'Whether a module with this GUID exists.',
      run: (_caller, id) => known.find(id) !== undefined,
    }),
    declare({
      name: 'SVC_GetModule',
      parameters: [text('ModuleID')],
      result: 'array',
      shape: shapes.moduleRecord,
      help: 'The properties of a module.',
      run: (_caller, id) => moduleRecord(known.get(id)),
    }),
    declare({
      name: 'SVC_GetModules',
      parameters: [array('ModuleIDs', shapes.texts)],
      result: 'array',
      shape: shapes.listOf(shapes.moduleRecord),
      help: 'The properties of some modules; an empty list: of all modules.',
      run: (_caller, given) => {
        const ids = checkedTexts(given, 'ModuleIDs');
        return (ids.length === 0 ? [...known.all()] : ids.map((id) => known.get(id))).map(moduleRecord);
      },
    }),
    declare({
      name: 'SVC_GetModuleList',
      parameters: [],
      result: 'array',
      shape: shapes.texts,
      help: 'The GUIDs of all modules.',
      run: () => Array.from(known.all(), ({ id }) => id),
    }),
    declare({
      name: 'SVC_GetModuleListByType',
      parameters: [int('ModuleType', moduleTypes)],
      result: 'array',
      shape: shapes.texts,
      help: 'The GUIDs of the modules of a type.',
      run: (_caller, type) => [...known.all()].filter(({ kind }) => kind === type).map(({ id }) => id),
    }),
  ];
}

function compatibility({ devices }: Ports): FunctionDeclaration[] {
  const known = devices.modules;
  return [
    declare({
      name: 'SVC_GetCompatibleModules',
      parameters: [text('ModuleID')],
      result: 'array',
      shape: shapes.texts,
      help: 'The GUIDs of the modules to whose instances an instance of this module can be connected.',
      run: (_caller, id) => {
        const child = known.get(id);
        return [...known.all()].filter((parent) => areCompatible(child, parent)).map((parent) => parent.id);
      },
    }),
    declare({
      name: 'SVC_IsModuleCompatible',
      parameters: [text('ModuleID'), text('ParentModuleID')],
      result: 'boolean',
      help: 'Whether an instance of a module can be connected to an instance of another.',
      run: (_caller, id, parentId) => areCompatible(known.get(id), known.get(parentId)),
    }),
  ];
}

function libraries(ports: Ports): FunctionDeclaration[] {
  const moduleIds = () => Array.from(ports.devices.modules.all(), ({ id }) => id);
  return [
    declare({
      name: 'SVC_LibraryExists',
      parameters: [text('LibraryID')],
      result: 'boolean',
      help: 'Whether a library with this GUID exists.',
      run: (_caller, id) => id.toUpperCase() === LIBRARY_ID,
    }),
    declare({
      name: 'SVC_GetLibrary',
      parameters: [text('LibraryID')],
      result: 'array',
      shape: shapes.libraryRecord,
      help: 'The properties of a library.',
      run: (_caller, id) => libraryRecord(ports, id),
    }),
    declare({
      name: 'SVC_GetLibraries',
      parameters: [array('LibraryIDs', shapes.texts)],
      result: 'array',
      shape: shapes.listOf(shapes.libraryRecord),
      help: 'The properties of some libraries; an empty list: of all libraries.',
      run: (_caller, given) => {
        const ids = checkedTexts(given, 'LibraryIDs');
        return (ids.length === 0 ? [LIBRARY_ID] : ids).map((id) => libraryRecord(ports, id));
      },
    }),
    declare({
      name: 'SVC_GetLibraryList',
      parameters: [],
      result: 'array',
      shape: shapes.texts,
      help: 'The GUIDs of all libraries.',
      run: () => [LIBRARY_ID],
    }),
    declare({
      name: 'SVC_GetLibraryModules',
      parameters: [text('LibraryID')],
      result: 'array',
      shape: shapes.texts,
      help: 'The GUIDs of the modules of a library.',
      run: (_caller, id) => {
        libraryRecord(ports, id);
        return moduleIds();
      },
    }),
  ];
}

function libraryRecord({ system }: Ports, id: string) {
  if (id.toUpperCase() !== LIBRARY_ID) throw fault('LIBRARY_MISSING', id);
  return {
    LibraryID: LIBRARY_ID,
    Author: 'stellwerk',
    URL: '',
    Name: 'stellwerk',
    Version: system.version,
    Build: system.revision,
    Date: system.builtAt,
  };
}

/** The result of `SVC_GetModule` (interface §2.1); what it is for, its icon and its page are our own. */
function moduleRecord({
  id,
  name,
  kind,
  prefix,
  aliases,
  requires: needs,
  provides: offers,
  description = '',
  icon = '',
  page = '',
}: ModuleDefinition) {
  return {
    ModuleID: id,
    ModuleName: name,
    ModuleType: kind,
    Vendor: '',
    Aliases: aliases ?? [],
    ParentRequirements: needs === undefined ? [] : [needs.id],
    ChildRequirements: [],
    Implemented: offers === undefined ? [] : [offers.id],
    LibraryID: LIBRARY_ID,
    Prefix: prefix,
    URL: '',
    Description: description,
    Icon: icon,
    Page: page,
  };
}
