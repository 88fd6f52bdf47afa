import { type Signal, signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Functions } from '../../client/generated/functions.js';
import { RpcError, ServerError } from '../../client/errors.js';
import { NOT_CONNECTED } from '../../client/link.js';
import { Gateway } from '../web/connect.js';
import { formatMoment, formatVariable } from '../web/format.js';
import type { TreeNode } from '../web/model.js';
import type { Value } from '../web/objects.js';
import { PreferenceStore } from '../web/preferences.js';
import { Router } from '../web/router.js';
import { hexColour } from '../web/tint.js';
import { Confirmation, NotConfirmed } from './confirmation.js';
import { words } from './i18n/console-texts.js';
import { rpcErrorText } from './i18n/gateway-texts.js';

export const SESSION_PATH = '/console/session';

/** The outcome of an action. */
interface ActionNotice {
  readonly text: string;
  readonly isError: boolean;
  /** Undoes the action, if that is possible. */
  readonly undo?: () => void;
}

interface ScriptDraft {
  readonly text: string;
  /** The saved text that it began with. */
  readonly base: string;
}

/** The owner's console: everything that its components share. */
export class ConsoleApp {
  /** The name of the gateway, for titles. */
  readonly gatewayName: string;
  readonly preferences = new PreferenceStore('stellwerk-console');
  readonly gateway = new Gateway({ path: '/api/' });
  readonly router = new Router(() => false);
  /** The result of the last action, for screen readers and the status line. */
  readonly notice: Signal<ActionNotice | undefined> = signal(undefined);
  /** The gateway serves another program than this page, which has drafts. */
  readonly isOutdated = signal(false);
  /** The owner has no password yet: the page that sets it is shown. */
  readonly isUnclaimed = signal(false);
  /** Asks for the password where the gateway requires it again. */
  readonly confirmation = new Confirmation();
  /** Instances that were created from search results while the console is open, so that they can be undone. */
  readonly created: Signal<ReadonlyMap<string, number>> = signal(new Map());
  /** Texts of scripts that are changed and not saved, by the script's ID. */
  readonly drafts: Signal<ReadonlyMap<number, ScriptDraft>> = signal(new Map());

  /** What the page of the tree shows; it stays when another page is opened. */
  readonly tree = {
    expanded: signal<ReadonlySet<number>>(new Set([0])),
    search: signal(''),
    tab: signal('values'),
  };
  readonly #forms = new Map<string, Signal<unknown>>();

  constructor(gatewayName = 'stellwerk') {
    this.gatewayName = gatewayName;
  }

  /** The configuration as it was changed and not saved, with the digest of the text that it is based on. */
  readonly configurationDraft: Signal<{ readonly text: string; readonly digest: string } | undefined> =
    signal(undefined);

  /** What was entered into a form and not saved; it survives leaving the page. Undefined: nothing. */
  form<T>(key: string): Signal<T | undefined> {
    const known = this.#forms.get(key);
    const form = known ?? signal<unknown>(undefined);
    if (known === undefined) this.#forms.set(key, form);
    return form as Signal<T | undefined>;
  }

  /** Whether anything was entered that closing the page would lose. */
  isUnsaved(): boolean {
    const exists = (id: number) => this.gateway.model.find(id) !== undefined;
    return (
      [...this.drafts.peek().keys()].some(exists) ||
      this.configurationDraft.peek() !== undefined ||
      [...this.#forms].some(([key, form]) => isEntered(key, form.peek()) && exists(objectOf(key)))
    );
  }

  /** Calls a function of the reference. Rejects as `callByName`. */
  call<M extends keyof Functions>(
    method: M,
    ...params: Parameters<Functions[M]>
  ): Promise<ReturnType<Functions[M]>> {
    return this.callByName(method, params) as Promise<ReturnType<Functions[M]>>;
  }

  /** Calls any function. Rejects as `Link.call`, or with `NotConfirmed`. */
  callByName(method: string, params: readonly unknown[]): Promise<unknown> {
    return this.confirmation.call(() => this.gateway.call(method, params));
  }

  /** Runs the steps after the creation of an object; removes it if one is rejected. Returns its ID. */
  async setUp(id: number, steps: (id: number) => Promise<unknown>): Promise<number> {
    try {
      await steps(id);
    } catch (thrown) {
      // The first failure is what the owner needs to know.
      await this.call('GW_DeleteObject', id, true).catch(() => undefined);
      throw thrown;
    }
    return id;
  }

  /** Runs an action of the user and reports the outcome: true if it succeeded. */
  async act(action: () => Promise<unknown>, done = ''): Promise<boolean> {
    try {
      await action();
      if (done !== '') this.notice.value = { text: done, isError: false };
      // An offer to undo something stays.
      else if (this.notice.peek()?.undo === undefined) this.notice.value = undefined;
      return true;
    } catch (thrown) {
      this.notice.value = { text: errorText(thrown), isError: !(thrown instanceof NotConfirmed) };
      return false;
    }
  }

  /** The value of a variable as its profile shows it. */
  format(variable: TreeNode, value: Value): string {
    if (variable.profileName === '~HexColor') return hexColour(Number(value));
    return formatVariable(this.gateway.model, variable, value);
  }

  /** A time in the gateway's time zone. */
  moment(unixMs: number): string {
    return formatMoment(unixMs, this.gateway.now(), this.gateway.model.timezone);
  }
}

/**
 * Whether a form has an entry: `{}` is left when all of them were taken back, and `''` is a form of the page that was
 * only opened.
 */
const isEntered = (key: string, entered: unknown): boolean =>
  entered !== undefined && JSON.stringify(entered) !== '{}' && (entered !== '' || key.includes('/'));

/** The object that a form belongs to, by its key (`value/12345`); otherwise the root. Areas have idents. */
const objectOf = (key: string): number => Number(/^(?!area)\w+\/(\d+)/.exec(key)?.[1] ?? 0);

/** An error in the user's language. */
export function errorText(thrown: unknown): string {
  if (thrown instanceof RpcError) return rpcErrorText(thrown);
  if (thrown instanceof ServerError) {
    const { notConnected, unknownOutcome } = words().link;
    return thrown.message === NOT_CONNECTED ? notConnected : unknownOutcome;
  }
  if (thrown instanceof NotConfirmed) return words().confirm.cancelled;
  return `${words().failed}: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
}

/** As {@link errorText}, of a call that only reads: its outcome does not matter. */
export function readErrorText(thrown: unknown): string {
  return thrown instanceof ServerError ? words().link.notConnected : errorText(thrown);
}

const Context = createContext<ConsoleApp | undefined>(undefined);
export const AppProvider = Context.Provider;

export function useApp(): ConsoleApp {
  const app = useContext(Context);
  if (app === undefined) throw new Error('a component is used outside of the console');
  return app;
}
