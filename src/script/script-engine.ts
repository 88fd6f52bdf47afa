import { coded } from '../base/codes/coded-text.js';
import { noHealthChecks, type HealthChecks } from '../base/health-check.js';
import type { Clock } from '../base/clock.js';
import { fault, messageOf } from '../base/fault.js';
import { silentLimitReporter, type LimitReporter } from '../base/limit-reporter.js';
import type { Log } from '../base/log.js';
import type { Caller } from '../device/declare.js';
import type { Script } from '../kernel/scripts.js';
import type { Kernel } from '../kernel/kernel.js';
import { objectType } from '../kernel/object.js';
import type { ObjectOptions } from '../kernel/tree.js';
import type { ScriptFiles, ScriptContent } from './script-files.js';
import { scriptLimits, type ScriptLimits } from './script-limits.js';
import type { ScriptText } from './protocol.js';
import { LOGGED_OUTPUT_LIMIT, scriptLabel, ScriptRunner, type ScriptFunctions } from './script-runner.js';
import type { ThreadRecord } from './threads.js';
import { DirectoryWatch } from './directory-watch.js';

/** The file name of a text that is not a script of the tree, for error messages. */
const TEXT_FILE = 'text.js';

/** A request to run a script. */
export interface ScriptRunRequest {
  /** The script's id; absent for a text that is run once. */
  readonly id?: number;
  /** The text, if it is not a script of the tree. */
  readonly text?: string;
  /** The script's globals, which are also in `PARAMETERS`. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The origin of the run: `RunScript`, `Action`, `WebFront` or another word; the global `SENDER`. */
  readonly sender: string;
  /** The caller; identifies a script that waits for this one. */
  readonly caller: Caller;
}

interface ScriptEngineOptions {
  readonly kernel: Kernel;
  readonly files: ScriptFiles;
  readonly clock: Clock;
  readonly log: Log;
  readonly functions: ScriptFunctions;
  /** Called for each run; the standard limits by default. */
  readonly limits?: () => ScriptLimits;
  /** Where a finding is reported if this machine does not support all restrictions of script processes. */
  readonly checks?: HealthChecks;
  /** Receives limits that take effect. */
  readonly limitReporter?: LimitReporter;
}

/**
 * Runs scripts of type 0: JavaScript and TypeScript (interface, decision 18). Concurrent runs have separate
 * processes. Script texts are files.
 */
export class ScriptEngine implements AsyncDisposable {
  readonly #options: ScriptEngineOptions;
  readonly #runner: ScriptRunner;
  /** The checksums of the files as last read or written, by name. */
  readonly #checksums = new Map<string, string>();
  #watch: DirectoryWatch | undefined;
  #thread = 0;

  constructor(options: ScriptEngineOptions) {
    this.#options = options;
    const { kernel, clock, log, functions } = options;
    const {
      limits = () => scriptLimits,
      checks = noHealthChecks,
      limitReporter = silentLimitReporter,
    } = options;
    this.#runner = new ScriptRunner({
      kernel,
      limits,
      checks,
      limitReporter,
      clock,
      log,
      functions,
      included: (what) => this.#readIncluded(what),
    });
  }

  /** Starts to watch the script files if there is a script. */
  watch(): void {
    const scripts = this.#options.kernel.tree.objectsOfType(objectType.script);
    if (!scripts.next().done) this.#watchFiles();
  }

  /** The number of script runs per sender since the start. */
  senders(): ReadonlyMap<string, number> {
    return this.#runner.senders;
  }

  /** Creates a script with an empty file. Throws `IDS_EXHAUSTED`, `STORE_FAILED`. */
  async create(options: ObjectOptions = {}): Promise<number> {
    const { kernel, files } = this.#options;
    const script = kernel.scripts.create(0, options);
    const { file } = script.data;
    this.#watchFiles();
    try {
      this.#checksums.set(file, (await files.write(file, '')).crc);
    } catch (thrown) {
      // The caller does not get its id. A script below which a client has placed an object stays.
      if (kernel.tree.find(script.id) === script && !script.children?.size) kernel.tree.delete(script);
      throw thrown;
    }
    return script.id;
  }

  /** The text of a script. Throws `NOT_OF_TYPE`, `SCRIPT_FAILED`. */
  async content(id: number): Promise<string> {
    return (await this.#read(this.#script(id).data.file)).text;
  }

  /**
   * Writes the text of a script and of all others with the same file. A text that can't be compiled is
   * stored, and marked broken. Throws `NOT_OF_TYPE`, `STORE_FAILED`.
   */
  async setContent(id: number, text: string): Promise<void> {
    const { kernel, files, clock } = this.#options;
    const script = this.#script(id);
    const { file } = script.data;
    const written = await files.write(file, text);
    this.#checksums.set(file, written.crc);
    this.#checkExists(script);
    const owners = this.#ownersOf(file);
    for (const owner of owners) kernel.scripts.announceContent(owner, written, clock.nowMs());
    for (const owner of owners) await this.#compile(owner, { file, text });
    this.#checkExists(script);
  }

  /** Assigns another file to a script; it is created if missing. Throws `FILE_NAME`, `NOT_OF_TYPE`. */
  async setFile(id: number, file: string): Promise<void> {
    const { kernel, files } = this.#options;
    const script = this.#script(id);
    const { text, crc } = (await files.read(file)) ?? (await files.write(file, ''));
    this.#checksums.set(file, crc);
    this.#checkExists(script);
    kernel.scripts.setFile(script, file);
    await this.#compile(script, { file, text });
    this.#checkExists(script);
  }

  /**
   * Renames the file of a script, for all scripts that use it. Throws `NOT_OF_TYPE`, `FILE_NAME`,
   * `FILE_MISSING`.
   */
  async rename(id: number, file: string): Promise<void> {
    const { kernel, files } = this.#options;
    const before = this.#script(id).data.file;
    if (before === file) return;
    await files.rename(before, file);
    const owners = this.#ownersOf(before);
    for (const script of owners) kernel.scripts.setFile(script, file);
    const { text, crc } = await this.#read(file);
    this.#checksums.delete(before);
    this.#checksums.set(file, crc);
    // The file extension determines the language.
    for (const script of owners) await this.#compile(script, { file, text });
  }

  /**
   * Deletes a script and, on request, its file if no other script uses it. Throws `NOT_OF_TYPE`,
   * `HAS_CHILDREN`.
   */
  async delete(id: number, deleteFile: boolean): Promise<void> {
    const { kernel, files } = this.#options;
    const script = this.#script(id);
    const { file } = script.data;
    kernel.tree.delete(script);
    if (deleteFile && this.#ownersOf(file).length === 0) await files.remove(file);
  }

  /** Why a script is broken, with the position; '' if it is not. Throws `NOT_OF_TYPE`. */
  async compileError(id: number): Promise<string> {
    const { file, broken } = this.#script(id).data;
    if (!broken) return '';
    try {
      return (await this.#runner.check({ file, text: (await this.#read(file)).text }))?.error ?? '';
    } catch (thrown) {
      return messageOf(thrown);
    }
  }

  /**
   * Starts a script without waiting; its output and its failure go to the log. Throws `NOT_OF_TYPE`, `BUSY`.
   */
  start(run: ScriptRunRequest): void {
    const { log } = this.#options;
    const script = run.id === undefined ? TEXT_FILE : this.#script(run.id).data.file;
    this.#runner.requireCapacity(run.caller);
    this.#run(run, false).then(
      (output) => {
        if (output !== '') log.info({ script }, output.slice(0, LOGGED_OUTPUT_LIMIT));
      },
      (thrown: unknown) => log.debug({ script }, messageOf(thrown)),
    );
  }

  /**
   * Runs a script and resolves with its output. Rejects with `SCRIPT_FAILED`, `NOT_OF_TYPE`, `BUSY`,
   * `STOPPING`.
   */
  run(run: ScriptRunRequest): Promise<string> {
    return this.#run(run, true);
  }

  /** Stops all runs of a script; returns false if there are none. Throws `NOT_OF_TYPE`. */
  abort(id: number): boolean {
    return this.#runner.abort(this.#script(id).id);
  }

  /**
   * Acquires a semaphore for the calling script; the result says whether that succeeded within the time.
   * Throws `NOT_ALLOWED`, `BUSY`.
   */
  enter(name: string, ms: number, caller: Caller): boolean | Promise<boolean> {
    return this.#runner.enter(name, ms, caller);
  }

  /** Releases a semaphore; returns whether the calling script held it. Throws `NOT_ALLOWED`. */
  leave(name: string, caller: Caller): boolean {
    return this.#runner.leave(name, caller);
  }

  /** Resolves when the time has passed. */
  sleep(ms: number, caller: Caller): Promise<void> {
    return this.#runner.sleep(ms, caller);
  }

  /** The records of all slots for script processes. */
  threads(): Promise<readonly ThreadRecord[]> {
    return this.#runner.threads();
  }

  close(): Promise<void> {
    this.#watch?.[Symbol.dispose]();
    return this.#runner.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #run(
    { id, text = '', parameters, sender, caller }: ScriptRunRequest,
    isAwaited: boolean,
  ): Promise<string> {
    const what = { parameters, sender, caller, isAwaited };
    const { kernel, clock } = this.#options;
    if (id === undefined) {
      const read = async () => {
        kernel.scripts.announceRun({ sender, file: TEXT_FILE, thread: ++this.#thread }, clock.nowMs());
        return text;
      };
      return this.#runner.run({ script: undefined, file: TEXT_FILE, read, ...what });
    }
    const script = this.#script(id);
    const { file } = script.data;
    const read = async () => {
      const { text: content } = await this.#readForRun(script);
      const thread = ++this.#thread;
      kernel.scripts.markExecuted(script, thread, clock.nowMs());
      kernel.scripts.announceRun({ sender, file, thread }, clock.nowMs());
      return content;
    };
    return this.#runner.run({ script, file, read, ...what });
  }

  #script(id: number): Script {
    return this.#options.kernel.scripts.get(id);
  }

  #ownersOf(file: string): Script[] {
    const scripts = [...this.#options.kernel.tree.objectsOfType(objectType.script)];
    return scripts.filter(({ data }) => data.file === file);
  }

  /** Throws `NOT_OF_TYPE` if the script was deleted while its file was read or written. */
  #checkExists(script: Script): void {
    if (this.#options.kernel.tree.find(script.id) !== script) throw fault('NOT_OF_TYPE', 'Script', script.id);
  }

  async #read(file: string): Promise<ScriptContent> {
    const read = await this.#options.files.read(file);
    if (read === undefined) throw fault('SCRIPT_FAILED', coded`FILE_DOES_NOT_EXIST: ${file} does not exist`);
    return read;
  }

  /** Reads the text to run; first handles a change of the file since it was last read. */
  async #readForRun(script: Script): Promise<ScriptContent> {
    const { kernel, clock } = this.#options;
    const { file } = script.data;
    const read = await this.#read(file).catch(async (thrown: unknown) => {
      await this.#onFileChange(file);
      throw thrown;
    });
    this.#checkExists(script);
    const known = this.#checksums.get(file);
    this.#checksums.set(file, read.crc);
    if (known !== undefined && known !== read.crc)
      kernel.scripts.announceContent(script, read, clock.nowMs());
    return read;
  }

  async #readIncluded(what: unknown): Promise<ScriptText> {
    const file = typeof what === 'number' ? this.#script(what).data.file : String(what);
    return { file, text: (await this.#read(file)).text };
  }

  #watchFiles(): void {
    const { files, clock, log } = this.#options;
    if (this.#watch !== undefined) return;
    this.#watch = new DirectoryWatch({
      directory: files.directory,
      clock,
      changed: (names) => void this.#checkFiles(names),
      failed: (thrown) =>
        log.warn({}, `changes of script files are detected only when the scripts run: ${messageOf(thrown)}`),
    });
    void this.#watch.open();
  }

  /** Checks the changed files that belong to scripts. */
  async #checkFiles(names: ReadonlySet<string> | undefined): Promise<void> {
    const files = new Set<string>();
    for (const { data } of this.#options.kernel.tree.objectsOfType(objectType.script))
      if (names?.has(data.file) !== false) files.add(data.file);
    for (const file of files)
      await this.#onFileChange(file).catch((thrown: unknown) =>
        this.#options.log.debug({ file }, messageOf(thrown)),
      );
  }

  /**
   * Handles a change of a file: updates its scripts if the text changed, or the file disappeared or returned.
   */
  async #onFileChange(file: string): Promise<void> {
    const { kernel, files, clock, log } = this.#options;
    const read = await files.readSettled(file).catch((thrown: unknown) => messageOf(thrown));
    const isText = typeof read === 'object';
    const known = this.#checksums.get(file);
    if (isText) this.#checksums.set(file, read.crc);
    else this.#checksums.delete(file);
    for (const script of this.#ownersOf(file)) {
      if (isText && read.crc === known && !script.data.broken) continue;
      if (isText) {
        if (read.crc !== known) kernel.scripts.announceContent(script, read, clock.nowMs());
        await this.#compile(script, { file, text: read.text });
      } else if (!script.data.broken) {
        kernel.scripts.setBroken(script, true);
        log.warn(
          { script: script.id, file },
          `${scriptLabel(script)}: ${read ?? `${file} no longer exists`}`,
        );
      }
    }
  }

  /** Marks a script as broken or valid, unless the text was replaced in the meantime. */
  async #compile(script: Script, { file, text }: ScriptText): Promise<void> {
    const { kernel, log } = this.#options;
    const crc = this.#checksums.get(file);
    const checked = await this.#runner.check({ file, text });
    if (checked === undefined) return;
    const { error } = checked;
    if (kernel.tree.find(script.id) !== script) return;
    if (this.#checksums.get(file) !== crc || script.data.file !== file) return;
    if (error !== undefined && !script.data.broken)
      log.warn({ script: script.id, file }, `${scriptLabel(script)} cannot be run: ${error}`);
    kernel.scripts.setBroken(script, error !== undefined);
  }
}
