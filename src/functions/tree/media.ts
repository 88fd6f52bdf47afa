import { coded } from '../../base/codes/coded-text.js';
import { bool, declare, int, text, type FunctionDeclaration } from '../../device/declare.js';
import { fault } from '../../base/fault.js';
import { shownFile, type Media, type MediaType } from '../../kernel/media.js';
import { objectType } from '../../kernel/object.js';
import { childByName, idsOfType, isOfType } from '../argument-checks.js';
import { mediaTypes } from '../enumerations.js';
import type { Ports } from '../ports.js';
import { redacted } from '../registry/audit.js';
import * as shapes from '../shapes.js';

/** Media objects: images, sounds, documents, charts, dashboards and URLs of streams (interface §9). */
export function mediaFunctions(ports: Ports): FunctionDeclaration[] {
  return [...readers(ports), ...finders(ports), ...objects(ports), ...contents(ports)];
}

function readers({ kernel, media }: Ports): FunctionDeclaration[] {
  const MediaID = int('MediaID');
  return [
    declare({
      name: 'SVC_MediaExists',
      parameters: [MediaID],
      result: 'boolean',
      help: 'Whether a media object with this ID exists.',
      run: (_caller, id) => isOfType(kernel, id, objectType.media),
    }),
    declare({
      name: 'SVC_GetMedia',
      parameters: [MediaID],
      result: 'array',
      shape: shapes.mediaRecord,
      help: 'Type, file, checksum, size and last change of a media object, and whether its file exists.',
      run: async (_caller, id) => {
        kernel.media.get(id);
        await (await media()).refresh(id);
        return record(kernel.media.get(id));
      },
    }),
    declare({
      name: 'SVC_GetMediaList',
      parameters: [],
      result: 'array',
      shape: shapes.ids,
      help: 'The IDs of all media objects.',
      run: () => idsOfType(kernel, objectType.media),
    }),
    declare({
      name: 'SVC_GetMediaListByType',
      parameters: [int('MediaType', mediaTypes)],
      result: 'array',
      shape: shapes.ids,
      help: 'The IDs of all media objects of a type.',
      run: (_caller, type) => {
        const all = [...kernel.tree.objectsOfType(objectType.media)];
        return all.filter(({ data }) => data.type === type).map(({ id }) => id);
      },
    }),
    declare({
      name: 'SVC_GetMediaContent',
      parameters: [MediaID],
      result: 'string',
      help: 'The content of a media object in Base64.',
      run: async (_caller, id) => {
        kernel.media.get(id);
        return (await (await media()).content(id)).toString('base64');
      },
    }),
  ];
}

function finders({ kernel, media }: Ports): FunctionDeclaration[] {
  return [
    declare({
      name: 'SVC_GetMediaIDByName',
      parameters: [text('Name'), int('ParentID')],
      result: 'integer',
      help: 'The ID of the oldest media object with this name among the children of an object.',
      run: (_caller, name, parentId) => childByName(kernel, [parentId, name], objectType.media).id,
    }),
    declare({
      name: 'SVC_GetMediaIDByFile',
      parameters: [text('FilePath')],
      result: 'integer',
      help: 'The ID of the oldest media object with this file or stream URL.',
      run: async (_caller, path) => {
        const id = (await media()).findFile(path);
        if (id === undefined) throw fault('NAME_NOT_FOUND', shownFile(path));
        return id;
      },
    }),
  ];
}

function objects({ kernel, media, deletions }: Ports): FunctionDeclaration[] {
  return [
    declare({
      name: 'SVC_CreateMedia',
      parameters: [int('MediaType', mediaTypes)],
      result: 'integer',
      audited: true,
      help: 'Creates a media object without a file below the root and returns its ID.',
      run: (_caller, type) => kernel.media.create(type as MediaType).id,
    }),
    declare({
      name: 'SVC_DeleteMedia',
      parameters: [int('MediaID'), bool('DeleteFile')],
      result: 'boolean',
      audited: true,
      help: 'Deletes a media object without children, and with DeleteFile its file unless another object uses it.',
      run: async (caller, id, deleteFile) => {
        const object = kernel.media.get(id);
        kernel.media.requireNotReported(object);
        // Reading a file updates its object, which a rejected deletion must not do.
        if (object.children !== null && object.children.size > 0) throw fault('HAS_CHILDREN');
        const deleted = { objects: [object], withFiles: deleteFile };
        const contents = await media();
        await deletions.during(caller, deleted, () => contents.delete(id, deleteFile));
        return true;
      },
    }),
  ];
}

function contents({ kernel, media }: Ports): FunctionDeclaration[] {
  const MediaID = int('MediaID');
  return [
    declare({
      name: 'SVC_SetMediaContent',
      parameters: [MediaID, text('Content')],
      result: 'boolean',
      audited: true,
      auditParameters: (id, content) => [id, redacted(content)],
      help: 'Writes the content of a media object, given in Base64; without a file, it gets one in the folder media.',
      run: async (_caller, id, content) => {
        kernel.media.get(id);
        await (await media()).setContent(id, bytesOf(content));
        return true;
      },
    }),
    declare({
      name: 'SVC_SetMediaFile',
      parameters: [MediaID, text('FilePath'), bool('FileMustExists')],
      result: 'boolean',
      audited: true,
      auditParameters: (id, path, mustExist) => [id, shownFile(path), mustExist],
      help: 'Sets the file of a media object, in the folder media or user of the data directory, or the URL of a stream.',
      run: async (_caller, id, path, mustExist) => {
        kernel.media.get(id);
        await (await media()).setFile(id, path, mustExist);
        return true;
      },
    }),
    declare({
      name: 'SVC_SetMediaCached',
      parameters: [MediaID, bool('Cached')],
      result: 'boolean',
      audited: true,
      help: 'Sets whether the content of a media object stays in memory after its first use.',
      run: async (_caller, id, cached) => {
        kernel.media.get(id);
        (await media()).setCached(id, cached);
        return true;
      },
    }),
    declare({
      name: 'SVC_SendMediaEvent',
      parameters: [MediaID],
      result: 'boolean',
      help: 'Announces that the content of a media object has changed, after reading its file again.',
      run: async (_caller, id) => {
        kernel.media.get(id);
        await (await media()).announceChange(id);
        return true;
      },
    }),
  ];
}

/** Decodes Base64 (RFC 4648 §4). Throws `PARAMETER_TYPE` for anything that is not canonical. */
function bytesOf(content: string): Buffer {
  const bytes = Buffer.from(content, 'base64');
  // Decoding ignores invalid characters; encoding the result again reveals them.
  if (bytes.toString('base64') === content) return bytes;
  throw fault(
    'PARAMETER_TYPE',
    'Content',
    coded`EXPECTED_BASE64_PADDING_WITHOUT: expected Base64 (RFC 4648) with padding and without line breaks`,
  );
}

/** The result of `SVC_GetMedia` (interface §2.1). */
function record({ id, data }: Media) {
  return {
    MediaID: id,
    MediaType: data.type,
    MediaIsAvailable: data.available,
    MediaFile: shownFile(data.file),
    MediaCRC: data.crc,
    MediaIsCached: data.cached,
    MediaSize: data.size,
    MediaUpdated: data.updated,
  };
}
