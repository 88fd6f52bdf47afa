import type { Cancel } from '../../../src/base/clock.js';
import type { Host } from '../../../src/device/module.js';
import type { TreeGroup, TreeVariable } from '../../../src/device/tree-view.js';
import type { NewEntry, Priority } from '../queue/entry.js';
import type { PathRule } from './queue-properties.js';

/** Structure changes come in bursts: the variables are determined once, this long after the first change. */
const REFRESH_DELAY_MS = 1_000;

/** A variable that is forwarded. */
export interface ForwardedVariable {
  readonly variable: TreeVariable;
  readonly group: TreeGroup;
  /** The sequence number of its last value; 0 if it has had none. */
  lastSeq: number;
}

interface SourceOptions {
  /** Identifies this run of the kernel. */
  readonly boot: string;
  /** A value arrived. Returns its sequence number. */
  onValue(entry: NewEntry, of: ForwardedVariable): number;
  /** Variables were added, changed or removed. */
  onStructure(): void;
}

type SourceHost = Pick<Host, 'id' | 'clock' | 'tree'>;

/** Follows the variables at and below some paths, and creates the entries of their values. */
export class ValueSource {
  readonly #host: SourceHost;
  readonly #rules: readonly PathRule[];
  readonly #options: SourceOptions;
  readonly #variables = new Map<number, ForwardedVariable>();
  readonly #byPath = new Map<string, ForwardedVariable>();
  readonly #priorities = new Map<string, Priority>();
  /** What was forwarded last of the quality of a variable. */
  readonly #reasons = new Map<number, string>();
  #groups: readonly TreeGroup[] = [];
  #fingerprint = '';
  #stopWatching: Cancel | undefined;
  #scheduled: Cancel | undefined;

  constructor(host: SourceHost, rules: readonly PathRule[], options: SourceOptions) {
    this.#host = host;
    this.#rules = rules;
    this.#options = options;
  }

  start(): void {
    this.#refresh();
    this.#stopWatching = this.#host.tree.watch({
      onValue: (id, hasChanged) => this.#onValue(id, hasChanged),
      onStructure: () => {
        this.#scheduled ??= this.#host.clock.after(REFRESH_DELAY_MS, () => {
          this.#scheduled = undefined;
          if (this.#refresh()) this.#options.onStructure();
        });
      },
    });
  }

  close(): void {
    this.#stopWatching?.();
    this.#scheduled?.();
  }

  /** The objects with variables that are forwarded. */
  get groups(): readonly TreeGroup[] {
    return this.#groups;
  }

  get variables(): Iterable<ForwardedVariable> {
    return this.#variables.values();
  }

  atPath(path: string): ForwardedVariable | undefined {
    return this.#byPath.get(path);
  }

  /** The paths of the configuration at which there is no object. */
  missing(): readonly string[] {
    return this.#host.tree.missing(this.#rules.map(({ Path }) => Path));
  }

  /** The priority of a path: that of the longest configured path that contains it. */
  priorityOf(path: string): Priority {
    const known = this.#priorities.get(path);
    if (known !== undefined) return known;
    const matching = this.#rules.filter(({ Path }) => {
      const trimmed = trim(Path);
      return trimmed === '' || path === trimmed || path.startsWith(`${trimmed}/`);
    });
    const [longest] = matching.toSorted((a, b) => trim(b.Path).length - trim(a.Path).length);
    const priority = longest?.Priority ?? 'normal';
    this.#priorities.set(path, priority);
    return priority;
  }

  /** The present value of a variable. */
  entryOf({ variable }: ForwardedVariable, atMs?: number): NewEntry {
    const { clock, tree } = this.#host;
    const present = tree.valueOf(variable.id);
    const isTrusted = clock.isTrusted();
    const nowMs = clock.nowMs();
    return {
      path: variable.path,
      type: variable.type,
      value: present.value,
      quality: present.problem?.state ?? 0,
      reason: present.problem?.reason ?? '',
      // The time of the device counts only if ours can be compared with it.
      atMs: isTrusted ? (atMs ?? present.atMs) : nowMs,
      ...(!isTrusted && {
        untrusted: { boot: this.#options.boot, monotonicMs: Number(clock.monotonicNs() / 1_000_000n) },
      }),
    };
  }

  #onValue(id: number, hasChanged: boolean): void {
    const forwarded = this.#variables.get(id);
    if (forwarded === undefined) return;
    const present = this.#host.tree.valueOf(id);
    const reason = present.problem?.reason ?? '';
    // A repeated value, or a quality with another text, is no news.
    if (!hasChanged && this.#reasons.get(id) === reason) return;
    this.#reasons.set(id, reason);
    const nowMs = this.#host.clock.nowMs();
    // Without a time of the device, `atMs` is that of the update in seconds.
    const isRecent = present.atMs % 1000 === 0 && nowMs - present.atMs < 2000;
    const atMs = !hasChanged || isRecent ? nowMs : present.atMs;
    forwarded.lastSeq = this.#options.onValue(this.entryOf(forwarded, atMs), forwarded);
  }

  /** Determines what is forwarded. Returns whether it has changed. */
  #refresh(): boolean {
    const paths = this.#rules.map(({ Path }) => Path);
    this.#groups = this.#host.tree.groupsBelow(paths).filter(({ id }) => id !== this.#host.id);
    const before = new Map(this.#variables);
    this.#variables.clear();
    this.#byPath.clear();
    for (const group of this.#groups)
      for (const variable of group.variables) {
        const forwarded = { variable, group, lastSeq: before.get(variable.id)?.lastSeq ?? 0 };
        this.#variables.set(variable.id, forwarded);
        this.#byPath.set(variable.path, forwarded);
        const reason = this.#host.tree.valueOf(variable.id).problem?.reason ?? '';
        if (!before.has(variable.id)) this.#reasons.set(variable.id, reason);
      }
    for (const id of before.keys()) if (!this.#variables.has(id)) this.#reasons.delete(id);
    const fingerprint = JSON.stringify(
      this.#groups.map(({ path, variables }) => [
        path,
        variables.map(({ id, path: at, type, hasAction, profile }) => [
          id,
          at,
          type,
          hasAction,
          profile?.suffix,
        ]),
      ]),
    );
    const hasChanged = fingerprint !== this.#fingerprint;
    this.#fingerprint = fingerprint;
    return hasChanged;
  }
}

const trim = (path: string): string => path.replace(/^\/+|\/+$/g, '');
