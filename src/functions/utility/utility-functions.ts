import { array, bool, declare, int, text, type FunctionDeclaration } from '../../device/declare.js';
import { UTILITY, checkModule, checkedIds, checkedList, checkedTexts } from '../argument-checks.js';
import type { Ports } from '../ports.js';
import { redacted } from '../registry/audit.js';
import * as shapes from '../shapes.js';
import { deleteObjects, subtreesOf } from '../deletion/delete-objects.js';
import { duplicateObject } from './duplicate-object.js';
import { findInvalidTexts, repairText, invalidTextLocation } from './invalid-texts.js';
import { referencesTo } from './references.js';
import * as own from './utility-shapes.js';
import { findInFiles, replaceInFiles } from './find-and-replace.js';

/** Bulk operations on objects and script files (interface §9 "Utility control"). */
export function utilityFunctions(ports: Ports): FunctionDeclaration[] {
  return [...objects(ports), ...files(ports), ...strings(ports)];
}

function objects(ports: Ports): FunctionDeclaration[] {
  const InstanceID = int('InstanceID');
  const check = (id: number) => checkModule(ports.kernel, id, UTILITY);
  return [
    declare({
      name: 'UC_DeleteObjects',
      parameters: [InstanceID, array('IDs', shapes.ids)],
      result: 'boolean',
      audited: true,
      help: 'Deletes objects with their subtrees; the files of scripts and media stay.',
      run: async (caller, id, ids) => {
        check(id);
        const objects = subtreesOf(ports.kernel, checkedIds(ids, 'IDs'));
        await ports.deletions.during(caller, { objects, withFiles: false }, () =>
          deleteObjects(ports, objects, false),
        );
        return true;
      },
    }),
    declare({
      name: 'UC_DuplicateObject',
      parameters: [InstanceID, int('ID'), int('ParentID'), bool('Recursive')],
      result: 'integer',
      audited: true,
      help: 'Copies an object, with Recursive its subtree, to a parent and returns the ID of the copy. A copied instance stays closed until SVC_ApplyChanges.',
      run: (_caller, instance, id, parentId, isRecursive) => {
        check(instance);
        return duplicateObject(ports, { id, parentId, isRecursive });
      },
    }),
    declare({
      name: 'UC_FindReferences',
      parameters: [InstanceID, int('ID')],
      result: 'array',
      shape: own.references,
      help: 'The uses of an object: links, actions, connections, properties, archive, web fronts, events, and scripts and charts that contain its ID.',
      run: (_caller, instance, id) => {
        check(instance);
        return referencesTo(ports, id);
      },
    }),
  ];
}

function files(ports: Ports): FunctionDeclaration[] {
  const InstanceID = int('InstanceID');
  const Files = array('Files', shapes.texts);
  const SearchStr = text('SearchStr');
  const check = (id: number) => checkModule(ports.kernel, id, UTILITY);
  return [
    declare({
      name: 'UC_FindInFiles',
      parameters: [InstanceID, Files, SearchStr],
      result: 'array',
      shape: own.foundLines,
      help: 'The lines in script files (an empty list: all files) that contain a text; case-sensitive.',
      run: (_caller, id, given, search) => {
        check(id);
        return findInFiles(ports, { files: checkedTexts(given, 'Files'), search });
      },
    }),
    declare({
      name: 'UC_ReplaceInFiles',
      parameters: [InstanceID, Files, SearchStr, text('ReplaceStr')],
      result: 'array',
      shape: own.foundLines,
      audited: true,
      auditParameters: (id, given, search, replacement) => [
        id,
        given,
        redacted(search),
        redacted(replacement),
      ],
      help: 'Replaces a text in script files (an empty list: all files) and returns the changed lines.',
      run: (_caller, id, given, search, replacement) => {
        check(id);
        return replaceInFiles(ports, { files: checkedTexts(given, 'Files'), search }, replacement);
      },
    }),
    declare({
      name: 'UC_RenameScript',
      parameters: [InstanceID, int('ScriptID'), text('Filename')],
      result: 'boolean',
      audited: true,
      help: 'Renames the file of a script; fails if the name is taken.',
      run: async (_caller, instance, id, file) => {
        check(instance);
        ports.kernel.scripts.get(id);
        await ports.scripts.rename(id, file);
        return true;
      },
    }),
  ];
}

function strings(ports: Ports): FunctionDeclaration[] {
  const InstanceID = int('InstanceID');
  const check = (id: number) => checkModule(ports.kernel, id, UTILITY);
  return [
    declare({
      name: 'UC_FindInvalidStrings',
      parameters: [InstanceID],
      result: 'array',
      shape: own.invalidTexts,
      help: 'Names, icons, notes and values of objects, and texts of profiles, that contain control characters or unpaired surrogates.',
      run: (_caller, id) => {
        check(id);
        return findInvalidTexts(ports);
      },
    }),
    declare({
      name: 'UC_FixInvalidStrings',
      parameters: [InstanceID, array('References', own.invalidTexts)],
      result: 'boolean',
      audited: true,
      help: 'Removes invalid characters from texts that UC_FindInvalidStrings found.',
      run: (_caller, id, given) => {
        check(id);
        const places = checkedList(given, 'References').map((one) => invalidTextLocation(ports, one));
        for (const place of places) repairText(ports, place);
        return true;
      },
    }),
  ];
}
