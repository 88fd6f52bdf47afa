import { Script as Parsed } from 'node:vm';
import type { Clock } from '../base/clock.js';
import { fault, messageOf } from '../base/fault.js';
import type { Log } from '../base/log.js';
import type { Caller } from '../device/declare.js';
import type { Script } from '../kernel/attachments.js';
import type { Kernel } from '../kernel/kernel.js';
import type { ScriptFiles } from './files.js';
import { ScriptPool } from './pool.js';
import { scriptLimits, type ScriptJob, type ScriptLimits } from './worker.js';

/** How a script is to run. */
export interface ScriptRun {
  /** The script's id; absent for a text that is run once. */
  readonly id?: number;
  /** The text, where it is not a script of the tree. */
  readonly text?: string;
  /** What the script finds as globals and, all of it, in `PARAMETERS`. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Who runs it: `RunScript`, `Action`, `WebFront` or another's own word; the script finds it in `SENDER`. */
  readonly sender: string;
  /** Who called: a call from a script is run at once, whatever else is waiting. */
  readonly caller: Caller;
}

/** What scripts work with. */
export interface EngineOptions {
  readonly kernel: Kernel;
  readonly files: ScriptFiles;
  readonly clock: Clock;
  readonly log: Log;
  /** Functions that scripts may call, and how they are called. */
  readonly functions: {
    names(): readonly string[];
    call(method: string, params: unknown, caller: Caller): unknown;
  };
  /** Looked up whenever a process starts; unless given, the standard ones. */
  readonly limits?: () => ScriptLimits;
}

/** Scripts of type 0: JavaScript (decision 18), each run in a process of the pool. */
export class ScriptEngine implements AsyncDisposable {
  readonly #options: EngineOptions;
  readonly #pool: ScriptPool;
  /** How deep in scripts a call was made: known by who called. */
  readonly #depths = new WeakMap<Caller, number>();
  #thread = 0;

  constructor(options: EngineOptions) {
    this.#options = options;
    const { clock, functions, limits = () => scriptLimits } = options;
    this.#pool = new ScriptPool({ clock, names: () => functions.names(), limits });
  }

  /** A new script with an empty file. Throws `IDS_EXHAUSTED`, `STORE_FAILED`. */
  async create(): Promise<number> {
    const { kernel, files } = this.#options;
    const script = kernel.scripts.create(0);
    await files.write(script.data.file, '');
    return script.id;
  }

  /** The text of a script. Throws `NOT_OF_TYPE`. */
  async content(id: number): Promise<string> {
    return this.#options.files.read(this.#script(id).data.file);
  }

  /** Gives a script its text; one that cannot be parsed is kept, and marked broken. Throws `NOT_OF_TYPE`, `STORE_FAILED`. */
  async setContent(id: number, text: string): Promise<void> {
    const { kernel, files, clock } = this.#options;
    const script = this.#script(id);
    const written = await files.write(script.data.file, text);
    this.#checkKept(script);
    kernel.scripts.updated(script, written, clock.nowMs());
    kernel.scripts.setBroken(script, !isScript(text));
  }

  /** Gives a script another file, which is made where it is not there. Throws `FILE_NAME`, `NOT_OF_TYPE`. */
  async setFile(id: number, file: string): Promise<void> {
    const { kernel, files } = this.#options;
    const script = this.#script(id);
    const text = await files.read(file);
    if (text === '') await files.write(file, text);
    this.#checkKept(script);
    kernel.scripts.setFile(script, file);
    kernel.scripts.setBroken(script, !isScript(text));
  }

  /** Deletes a script, and its file when asked to. Throws `NOT_OF_TYPE`, `HAS_CHILDREN`. */
  async delete(id: number, deleteFile: boolean): Promise<void> {
    const { kernel, files } = this.#options;
    const script = this.#script(id);
    const { file } = script.data;
    kernel.tree.delete(script);
    if (deleteFile) await files.remove(file);
  }

  /** Starts a script and does not wait; what it prints, and how it fails, goes to the log. Throws `NOT_OF_TYPE`. */
  start(run: ScriptRun): void {
    const { log } = this.#options;
    const script = run.id === undefined ? TEXT_FILE : this.#script(run.id).data.file;
    this.run(run).then(
      (output) => {
        if (output !== '') log.info({ script }, output.slice(0, LOGGED_OUTPUT));
      },
      (thrown: unknown) => log.error({ script }, messageOf(thrown)),
    );
  }

  /** Runs a script to its end; resolves with what it printed. Rejects with `SCRIPT_FAILED`, `NOT_OF_TYPE`, `BUSY`, `STOPPING`. */
  async run({ id, text = '', parameters, sender, caller }: ScriptRun): Promise<string> {
    const values = { SELF: id ?? 0, SENDER: sender, ...parameters };
    if (id === undefined) return this.#runNamed({ file: TEXT_FILE, text, values }, caller);
    const { kernel, files, clock } = this.#options;
    const script = this.#script(id);
    const { file } = script.data;
    const content = await files.read(file);
    this.#checkKept(script);
    kernel.scripts.executed(script, ++this.#thread, clock.nowMs());
    return this.#runNamed({ file, text: content, values, script }, caller);
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #script(id: number): Script {
    return this.#options.kernel.scripts.get(id);
  }

  /** Throws `NOT_OF_TYPE` for a script that was deleted while a file was being read or written. */
  #checkKept(script: Script): void {
    if (this.#script(script.id) !== script) throw fault('NOT_OF_TYPE', 'Script', script.id);
  }

  async #runNamed(
    { script, ...what }: Omit<ScriptJob, 'call'> & { script?: Script },
    caller: Caller,
  ): Promise<string> {
    const { functions, kernel } = this.#options;
    const depth = (this.#depths.get(caller) ?? -1) + 1;
    const own: Caller = {
      role: 'owner',
      user: script === undefined ? 'script' : `script ${script.id}`,
      remote: 'local',
    };
    this.#depths.set(own, depth);
    const call = (method: string, params: readonly unknown[]) => functions.call(method, params, own);
    const result = await this.#pool.run({ ...what, call }, depth);
    if (script !== undefined && kernel.tree.find(script.id) === script)
      kernel.scripts.setBroken(script, result.is === 'failed' && result.isSyntax);
    if (result.is === 'ended') return result.output;
    throw fault(
      'SCRIPT_FAILED',
      `${what.file}${result.line > 0 ? `:${result.line}` : ''}: ${result.message}`,
    );
  }
}

/** What the errors of a text that is run once call it. */
const TEXT_FILE = 'text.js';
/** What a script printed is kept to this length in the log. */
const LOGGED_OUTPUT = 2000;

/** Whether a text can be parsed as a script; it is not run. */
function isScript(text: string): boolean {
  try {
    return new Parsed(text) instanceof Parsed;
  } catch {
    return false;
  }
}
