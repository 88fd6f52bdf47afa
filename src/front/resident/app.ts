import { type ReadonlySignal, type Signal, computed, signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { RpcError } from '../../client/errors.js';
import { realTiming } from '../../client/timing.js';
import { Commands } from '../web/commands.js';
import { every } from '../web/every.js';
import { Gateway } from '../web/connect.js';
import { formatMoment, formatTime, formatVariable } from '../web/format.js';
import { texts } from '../web/i18n/i18n.js';
import type { TreeNode } from '../web/model.js';
import { objectType, type Value } from '../web/objects.js';
import { PreferenceStore } from '../web/preferences.js';
import { Router } from '../web/router.js';
import { hexColour } from '../web/tint.js';
import { FrontMessages } from './front-messages.js';
import type { ItemPage } from './items.js';
import { isPosition, positionText } from './position.js';
import { roleOf } from './tiles/kinds.js';
import { rejectionText, type StateLine } from './tiles/state-line.js';

/** Facts that the gateway writes into the page. */
export interface PageFacts {
  readonly id: number;
  readonly title: string;
  readonly passwordRequired: boolean;
  readonly language?: string;
}

/** Interval for polling the outcome of a command that is still running, ms. */
const RECALL_MS = 1000;
/** How often ages are updated, ms. */
const TICK_MS = 10_000;

/** The residents' front: everything that its components share. */
export class App {
  readonly facts: PageFacts;
  /** `/wfc/ID/`, with a slash at the end. */
  readonly base: string;
  readonly preferences: PreferenceStore;
  readonly gateway: Gateway;
  readonly commands: Commands;
  /** The dialogs that are shown, the topmost one first. */
  readonly dialogs: Signal<readonly HTMLDialogElement[]> = signal([]);
  readonly router = new Router(({ page }) => page === 'object');
  readonly messages: FrontMessages;
  /** The pages that the owner defined; none: pages follow the tree. */
  readonly pages: Signal<readonly ItemPage[]> = signal([]);
  /** Whether a command to an object must be held: each one until the items are known. Subscribes. */
  readonly mustConfirm: Signal<(id: number) => boolean> = signal(() => true);
  /** Read to screen readers: polite for the outcome of a user's action, assertive for rejections. */
  readonly polite = signal('');
  readonly assertive = signal('');
  /** Nothing is operated while the page shows an older state, or does not know yet what the owner protects. */
  readonly isInert: ReadonlySignal<boolean>;
  /** The gateway's time in unix ms, every 10 s: for ages. */
  readonly tick: Signal<number>;
  readonly isDark: ReadonlySignal<boolean>;
  /** The name of a module's variable in the user's language; in English until that is loaded. */
  readonly variableNames: Signal<(name: string) => string> = signal((name) => name);
  /** Whether the items were loaded since the last connection, or could not be. */
  readonly #areItemsKnown = signal(false);
  /** Commands whose reply was lost: the object, and the key of the last one. */
  readonly #lost = new Map<number, string>();

  constructor(facts: PageFacts) {
    this.facts = facts;
    this.base = `/wfc/${facts.id}/`;
    this.preferences = new PreferenceStore(`stellwerk-${facts.id}`);
    this.messages = new FrontMessages(this);
    this.commands = new Commands(({ id, state }) => this.#announce(id, state));
    this.gateway = new Gateway({
      path: `${this.base}api/`,
      configurator: facts.id,
      onMessage: (record) => this.messages.receive(record),
      onReport: (id) => this.commands.reported(id),
    });
    this.isInert = computed(() => this.gateway.state.value.kind !== 'live' || !this.#areItemsKnown.value);
    this.tick = signal(this.gateway.now());
    every(TICK_MS, () => (this.tick.value = this.gateway.now()));
    this.isDark = this.#darkness();
    this.gateway.state.subscribe((state) => {
      this.#areItemsKnown.value = false;
      if (state.kind === 'live') void this.#refresh();
    });
  }

  get sessionPath(): string {
    return `${this.base}session`;
  }

  /** Sends a command to a variable. What it came to is in `commands`. */
  set(variable: TreeNode, value: Value): void {
    this.#execute(variable.id, value);
  }

  /** Runs a script. */
  run(script: TreeNode): void {
    this.#execute(script.id, true);
  }

  /** Plays a sound; browsers may require a user gesture first. */
  play(media: number): void {
    this.commands.run(media, () =>
      new Audio(`${this.base}media/${media}`).play().catch(() => {
        // Not unknown, as after a lost reply: it was not played.
        throw new RpcError(0, '');
      }),
    );
  }

  /** Whether a command to a variable is in flight. Subscribes. */
  isWaiting({ id }: TreeNode): boolean {
    return this.commands.stateOf(id).value?.kind === 'waiting';
  }

  /** The state of what has no value: a text, or what the last command came to. */
  commandLine(id: number, value: string): StateLine {
    const state = this.commands.stateOf(id).value;
    const line = { value, reason: '', short: '', also: '', untilMs: 0 };
    if (state?.kind === 'rejected') return { ...line, tone: 'rejected', reason: rejectionText(this, state) };
    if (state?.kind === 'unknown') return { ...line, tone: 'unknown', reason: texts().tile.outcomeUnknown };
    return { ...line, tone: 'live' };
  }

  /** The value of a variable as its profile shows it. */
  format(variable: TreeNode, value: Value): string {
    const { model } = this.gateway;
    if (isPosition(model, variable)) return positionText(Number(value));
    if (variable.profileName === '~HexColor') return hexColour(Number(value));
    return formatVariable(model, variable, value);
  }

  /** A time in the gateway's time zone. */
  time(unixMs: number, withSeconds = false): string {
    return formatTime(unixMs, this.gateway.model.timezone, withSeconds);
  }

  /** The same, with its day if that is not today. Subscribes to the day. */
  moment(unixMs: number): string {
    return formatMoment(unixMs, this.tick.value, this.gateway.model.timezone);
  }

  /** What an object is called: variables that are their device's purpose have its name. */
  nameOf(node: TreeNode): string {
    const { name } = node;
    const { parentID, data } = node.entry.peek();
    const parent = this.gateway.model.find(parentID);
    if (node.type !== objectType.variable || parent?.type !== objectType.instance) return name;
    const device = parent.name;
    return roleOf(data) === 'main' ? device : `${device} · ${this.captionOf(node)}`;
  }

  /** The name of a variable of a device, in the user's language unless the owner chose one. Subscribes. */
  captionOf({ name }: TreeNode): string {
    return this.variableNames.value(name);
  }

  #execute(id: number, value: Value): void {
    if (this.isInert.peek()) return;
    const key = newKey();
    this.commands.run(id, async () => {
      try {
        await this.gateway.call('WFC_ExecuteKeyed', [this.facts.id, id, value, key]);
      } catch (thrown) {
        if (!(thrown instanceof RpcError)) this.#lost.set(id, key);
        throw thrown;
      }
    });
  }

  /** Loads what no change reports. If the connection is lost meanwhile, the next connection repeats it. */
  async #refresh(): Promise<void> {
    try {
      await this.#loadPages().finally(() => (this.#areItemsKnown.value = true));
      if (this.#lost.size === 0) return;
      const { recall } = await import('./recall.js');
      await recall(this, this.#lost);
      if (this.#lost.size > 0) realTiming.after(RECALL_MS, () => void this.#refresh());
    } catch {
      // The page shows that there is no connection.
    }
  }

  #announce(id: number, state: ReturnType<Commands['stateOf']>['value']): void {
    const node = this.gateway.model.find(id);
    if (node === undefined) return;
    const name = this.nameOf(node);
    const { tile } = texts();
    if (state === undefined)
      announce(
        this.polite,
        node.type === objectType.variable ? tile.done(name, this.format(node, node.value.peek())) : name,
      );
    else if (state.kind === 'rejected')
      announce(this.assertive, tile.rejected(name, rejectionText(this, state)));
    else if (state.kind === 'unknown') announce(this.assertive, `${name}: ${tile.outcomeUnknown}`);
  }

  async #loadPages(): Promise<void> {
    const items = (await this.gateway.call('WFC_GetItems', [this.facts.id])) as readonly unknown[];
    if (items.length === 0 && this.pages.peek().length === 0)
      return void (this.mustConfirm.value = () => false);
    const { confirmationOf, pagesOf } = await import('./items.js');
    this.mustConfirm.value = confirmationOf(this.gateway.model, (this.pages.value = pagesOf(items)));
  }

  #darkness(): ReadonlySignal<boolean> {
    const query = matchMedia('(prefers-color-scheme: dark)');
    const system = signal(query.matches);
    query.addEventListener('change', () => (system.value = query.matches));
    return computed(() => {
      const { theme } = this.preferences.value;
      return theme === 'system' ? system.value : theme === 'dark';
    });
  }
}

/** Screen readers announce a text that changes: the same one again ends with a space. */
function announce(region: Signal<string>, text: string): void {
  region.value = region.peek() === text ? `${text}\u00a0` : text;
}

/** 128 random bits. */
function newKey(): string {
  const words = crypto.getRandomValues(new Uint32Array(4));
  return [...words].map((word) => word.toString(16).padStart(8, '0')).join('');
}

const Context = createContext<App | undefined>(undefined);
export const AppProvider = Context.Provider;

export function useApp(): App {
  const app = useContext(Context);
  if (app === undefined) throw new Error('no AppProvider');
  return app;
}
