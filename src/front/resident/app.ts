import { type Signal, signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { ChangeRecord } from '../../client/generated/records.js';
import { Commands } from '../web/commands.js';
import { Gateway } from '../web/connect.js';
import { formatTime, formatValue } from '../web/format.js';
import { texts } from '../web/i18n/i18n.js';
import type { TreeNode } from '../web/model.js';
import type { Value } from '../web/objects.js';
import { PreferenceStore } from '../web/preferences.js';
import { Router } from '../web/router.js';
import { refusalText } from './tiles/state-line.js';

/** Facts that the gateway writes into the page. */
export interface PageFacts {
  readonly id: number;
  readonly title: string;
  readonly passwordRequired: boolean;
}

/** A popup or a notification, until it is dismissed. */
interface FrontMessage {
  readonly key: number;
  readonly atMs: number;
  readonly record: ChangeRecord;
}

/** The residents' front: everything that its components share. */
export class App {
  readonly facts: PageFacts;
  /** `/wfc/ID/`, with a slash at the end. */
  readonly base: string;
  readonly preferences: PreferenceStore;
  readonly gateway: Gateway;
  readonly commands: Commands;
  readonly router = new Router(({ page }) => page === 'object' || page === 'history');
  readonly messages: Signal<readonly FrontMessage[]> = signal([]);
  /** Read to screen readers: polite for what a user's action came to, assertive for what was refused. */
  readonly polite = signal('');
  readonly assertive = signal('');
  /** Why the sign-in page is shown; undefined: signed in. */
  readonly signedOut: Signal<'never' | 'ended' | undefined> = signal(undefined);
  #messageCount = 0;

  constructor(facts: PageFacts) {
    this.facts = facts;
    this.base = `/wfc/${facts.id}/`;
    this.preferences = new PreferenceStore(`stellwerk-${facts.id}`);
    const url = `${location.origin.replace(/^http/, 'ws')}${this.base}api/`;
    this.gateway = new Gateway(url, facts.id, (record) => this.#receive(record));
    this.commands = new Commands(
      (id, value) => this.gateway.call('WFC_Execute', [facts.id, 0, id, value]),
      ({ id, state }) => this.#announce(id, state),
    );
    this.gateway.state.subscribe((state) => {
      if (state.kind === 'refused' && state.code === 4401) this.signedOut.value = 'ended';
    });
  }

  get sessionPath(): string {
    return `${this.base}session`;
  }

  /** Connects after the user has signed in, or where no password is needed. */
  enter(): void {
    this.signedOut.value = undefined;
    this.gateway.start();
  }

  /** Leaves: closes the connection and shows the sign-in page. */
  leave(): void {
    this.gateway.stop();
    this.signedOut.value = 'never';
  }

  /** The value of a variable as its profile shows it. */
  format(variable: TreeNode, value: Value): string {
    const { type = 3, profile = '', customProfile = '' } = variable.entry.value.data;
    const { model } = this.gateway;
    const name = customProfile || profile;
    return formatValue(value, { type, profile: model.profileOf(variable), name, timeZone: model.timezone });
  }

  /** A time in the gateway's time zone. */
  time(unixMs: number, withSeconds = false): string {
    return formatTime(unixMs, this.gateway.model.timezone, withSeconds);
  }

  #announce(id: number, state: ReturnType<Commands['stateOf']>['value']): void {
    const variable = this.gateway.model.find(id);
    if (variable === undefined) return;
    const parent = this.gateway.model.find(variable.entry.peek().parentID);
    const named =
      variable.entry.peek().data.role === 'main' || parent === undefined ? (parent ?? variable) : variable;
    const { name } = named.entry.peek();
    if (state === undefined)
      this.polite.value = texts().tile.done(name, this.format(variable, variable.value.peek()));
    else if (state.kind === 'refused')
      this.assertive.value = texts().tile.refused(name, refusalText(this, state));
    else if (state.kind === 'unknown') this.assertive.value = `${name}: ${texts().tile.outcomeUnknown}`;
  }

  #receive(record: ChangeRecord): void {
    const message = { key: ++this.#messageCount, atMs: this.gateway.now(), record };
    this.messages.value = [message, ...this.messages.peek()].slice(0, 100);
  }
}

const Context = createContext<App | undefined>(undefined);
export const AppProvider = Context.Provider;

export function useApp(): App {
  const app = useContext(Context);
  if (app === undefined) throw new Error('a component is used outside of the front');
  return app;
}
