import { message } from './messages.js';
import { objectType, type TreeObject } from './object.js';
import type { ObjectOptions, Tree } from './tree.js';

/** A script object. */
export type Script = TreeObject<3>;

/** Scripts as tree objects; their texts are files. */
export class Scripts {
  readonly #tree: Tree;
  constructor(tree: Tree) {
    this.#tree = tree;
  }

  get(id: number): Script {
    return this.#tree.getOfType(objectType.script, id);
  }

  /** The file is named after the id: `<id>.js`. */
  create(type: number, options: ObjectOptions = {}): Script {
    const data = { type, file: '', executed: 0, broken: false };
    const emitTypeMessages = (script: Script) => {
      script.data.file = `${script.id}.js`;
      this.#tree.changes.emit(script.id, message.SM_CHANGEFILE, [script.data.file]);
    };
    return this.#tree.create(objectType.script, data, { ...options, created: [type], emitTypeMessages });
  }

  setFile(script: Script, file: string): void {
    if (script.data.file === file) return;
    this.#tree.touch(script);
    script.data.file = file;
    this.#tree.changes.emit(script.id, message.SM_CHANGEFILE, [file]);
    this.#tree.journal.markObject(script);
  }

  /** Announces a changed text with its checksum (8 hex digits) and size in bytes. */
  announceContent(script: Script, { crc, size }: { crc: string; size: number }, nowMs: number): void {
    this.#tree.changes.emit(script.id, message.SM_UPDATE, [crc, size, Math.floor(nowMs / 1000)]);
  }

  setBroken(script: Script, broken: boolean): void {
    if (script.data.broken === broken) return;
    this.#tree.touch(script);
    script.data.broken = broken;
    this.#tree.changes.emit(script.id, message.SM_BROKEN, [broken]);
    this.#tree.journal.markObject(script);
  }

  /** Records a start; `thread` as in the message (interface §3.5). */
  markExecuted(script: Script, thread: number, nowMs: number): void {
    this.#tree.touch(script);
    script.data.executed = Math.floor(nowMs / 1000);
    this.#tree.changes.emit(script.id, message.SE_EXECUTE, [1, thread, 0, script.data.executed]);
  }

  /**
   * Announces a run of a script or of a text without a script object. `thread` counts runs since the start, as in
   * SE_EXECUTE.
   */
  announceRun(
    { sender, file, thread }: { sender: string; file: string; thread: number },
    nowMs: number,
  ): void {
    const at = Math.floor(nowMs / 1000);
    this.#tree.changes.emit(0, message.SE_RUNNING, [sender, `scripts/${file}`, thread, at]);
  }
}
