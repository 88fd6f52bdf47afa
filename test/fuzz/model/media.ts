import { crc32 } from 'node:zlib';
import type { Model, Rule } from './model.js';
import { types, ModelFault } from './snapshot-types.js';

const STREAM = 3;

/** Checksum and size of content in Base64. */
function factsOf(content: string) {
  const bytes = Buffer.from(content, 'base64');
  return { crc: crc32(bytes).toString(16).toUpperCase().padStart(8, '0'), size: bytes.length };
}

/** Reads the present state of its file. */
export function refreshMedia(model: Model, id: number): void {
  const { data } = model.of(types.media, id);
  const file = data['file'] as string;
  if (file === '' || data['type'] === STREAM) return;
  const content = model.files.get(file);
  Object.assign(data, { isAvailable: content !== undefined, ...(content !== undefined && factsOf(content)) });
}

function fileOf(data: Record<string, unknown>): string {
  if (data['type'] === STREAM) throw new ModelFault('NOT_SUPPORTED');
  if (data['file'] === '') throw new ModelFault('FILE_MISSING');
  return data['file'] as string;
}

/** The reply to a request for the content. */
export function contentOf(model: Model, id: number): string {
  const content = model.files.get(fileOf(model.of(types.media, id).data));
  refreshMedia(model, id);
  if (content === undefined) throw new ModelFault('FILE_MISSING');
  return content;
}

/** Media and their files. */
export const mediaRules: Readonly<Record<string, Rule>> = {
  SVC_CreateMedia: (model: Model, type: number, made: number) => {
    const facts = { lastUpdate: 0, crc: '', size: 0, isAvailable: false };
    return model.create(made, types.media, { type, file: '', ...facts, cached: false });
  },
  SVC_DeleteMedia: (model: Model, id: number, deleteFile: boolean) => {
    const { data } = model.of(types.media, id);
    model.delete(types.media, id);
    const isOthers = model.all(types.media).some(([, one]) => one.data['file'] === data['file']);
    if (deleteFile && data['type'] !== STREAM && !isOthers) model.files.delete(data['file'] as string);
    return true;
  },
  SVC_SetMediaContent: (model: Model, id: number, content: string) => {
    const { data } = model.of(types.media, id);
    if (Buffer.from(content, 'base64').toString('base64') !== content) throw new ModelFault('PARAMETER_TYPE');
    if (data['type'] === STREAM) throw new ModelFault('NOT_SUPPORTED');
    const ending = data['type'] === 0 || data['type'] === 4 ? 'json' : 'bin';
    if (data['file'] === '') data['file'] = `media/${id}.${ending}`;
    model.files.set(data['file'] as string, content);
    refreshMedia(model, id);
    return true;
  },
  SVC_SetMediaFile: (model: Model, ...[id, path, mustExist]: [number, string, boolean]) => {
    const { data } = model.of(types.media, id);
    if (data['type'] === STREAM) {
      if (path === data['file']) return true;
      if (!path.startsWith('rtsp://')) throw new ModelFault('FILE_NAME');
      Object.assign(data, { file: path, isAvailable: true });
      return true;
    }
    if (!/^((media|user)\/)?[a-z]+\.[a-z]+$/.test(path)) throw new ModelFault('FILE_NAME');
    const file = path.includes('/') ? path : `media/${path}`;
    if (mustExist && !model.files.has(file)) throw new ModelFault('FILE_MISSING');
    data['file'] = file;
    refreshMedia(model, id);
    return true;
  },
  SVC_SetMediaCached: (model: Model, id: number, cached: boolean) => {
    model.of(types.media, id).data['cached'] = cached;
    return true;
  },
  SVC_SendMediaEvent: (model: Model, id: number) => {
    const { data } = model.of(types.media, id);
    if (data['type'] === STREAM) Object.assign(data, { lastUpdate: model.now });
    else {
      const file = fileOf(data);
      refreshMedia(model, id);
      if (!model.files.has(file)) throw new ModelFault('FILE_MISSING');
    }
    return true;
  },
};
