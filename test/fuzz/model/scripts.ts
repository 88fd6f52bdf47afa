import { crc32 } from 'node:zlib';
import type { Model, Rule } from './model.js';
import { types, ModelFault } from './snapshot-types.js';

/** Texts of scripts, and whether they compile in either language. */
export const TEXTS: readonly { text: string; js: boolean; ts: boolean }[] = [
  { text: '', js: true, ts: true },
  { text: `print('ä');\n`, js: true, ts: true },
  { text: 'const a: number = 1;\n', js: false, ts: true },
  { text: 'if (\n', js: false, ts: false },
];

const NAME = /^[a-z0-9]+\.(js|ts)$/;

function isBroken(file: string, text: string): boolean {
  return TEXTS.find((one) => one.text === text)?.[file.endsWith('.ts') ? 'ts' : 'js'] === false;
}

const withFile = (model: Model, file: unknown) =>
  model.all(types.script).filter(([, { data }]) => data['file'] === file);

/** Every script with this file has its text. */
function compile(model: Model, file: string): void {
  for (const [, { data }] of withFile(model, file)) data['isBroken'] = isBroken(file, model.files.get(file)!);
}

/** Scripts and their texts. */
export const scriptRules: Readonly<Record<string, Rule>> = {
  SVC_CreateScript: (model: Model, type: number, made: number) => {
    model.files.set(`${made}.js`, '');
    return model.create(made, types.script, { type, file: `${made}.js`, lastExecute: 0, isBroken: false });
  },
  SVC_DeleteScript: (model: Model, id: number, deleteFile: boolean) => {
    const { data } = model.of(types.script, id);
    model.delete(types.script, id);
    if (deleteFile && withFile(model, data['file']).length === 0) model.files.delete(data['file'] as string);
    return true;
  },
  SVC_SetScriptContent: (model: Model, id: number, text: string) => {
    const file = model.of(types.script, id).data['file'] as string;
    model.files.set(file, text);
    const crc = crc32(text).toString(16).toUpperCase().padStart(8, '0');
    for (const [one] of withFile(model, file)) model.fromMessages.set(one, { crc });
    compile(model, file);
    return true;
  },
  SVC_SetScriptFile: (model: Model, id: number, file: string) => {
    const { data } = model.of(types.script, id);
    if (!NAME.test(file)) throw new ModelFault('FILE_NAME');
    if (!model.files.has(file)) model.files.set(file, '');
    data['file'] = file;
    compile(model, file);
    return true;
  },
  UC_RenameScript: (model: Model, ...[, id, file]: [number, number, string]) => {
    const before = model.of(types.script, id).data['file'] as string;
    if (before === file) return true;
    if (!NAME.test(file) || model.files.has(file)) throw new ModelFault('FILE_NAME');
    model.files.set(file, model.files.get(before)!);
    model.files.delete(before);
    for (const [, { data }] of withFile(model, before)) data['file'] = file;
    compile(model, file);
    return true;
  },
};
