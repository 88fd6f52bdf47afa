import { type Signal, signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Functions } from '../../client/generated/functions.js';
import { RpcError } from '../../client/errors.js';
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
    return (
      this.drafts.peek().size > 0 ||
      this.configurationDraft.peek() !== undefined ||
      [...this.#forms.values()].some((form) => form.peek() !== undefined)
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

  /** Runs an action of the user and reports the outcome: true if it succeeded. */
  async act(action: () => Promise<unknown>, done = ''): Promise<boolean> {
    try {
      await action();
      this.notice.value = done === '' ? undefined : { text: done, isError: false };
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

/** An error in the user's language. */
export function errorText(thrown: unknown): string {
  if (thrown instanceof RpcError) return rpcErrorText(thrown);
  if (thrown instanceof NotConfirmed) return words().confirm.cancelled;
  return `${words().failed}: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
}

const Context = createContext<ConsoleApp | undefined>(undefined);
export const AppProvider = Context.Provider;

export function useApp(): ConsoleApp {
  const app = useContext(Context);
  if (app === undefined) throw new Error('a component is used outside of the console');
  return app;
}
