import { type Signal, signal } from '@preact/signals';
import type { ChangeRecord } from '../../client/generated/records.js';
import { realTiming } from '../../client/timing.js';
import { objectType } from '../web/objects.js';
import type { App } from './app.js';
import { limitShown } from './messages/limit-shown.js';

/** Messages to the fronts of a configurator (docs/use/web-front.md). */
const message = {
  POPUP: 20101,
  NOTIFICATION: 20102,
  AUDIO: 20103,
  SWITCH_PAGE: 20104,
  RELOAD: 20105,
  OPEN_CATEGORY: 20106,
} as const;

/** Messages that the page keeps. */
const KEPT = 100;

/** A popup, a notification or a sound, as it was received. */
export interface FrontMessage {
  readonly key: number;
  readonly kind: 'popup' | 'notification' | 'audio';
  /** Undefined: it came while the page was not connected. */
  readonly atMs: number | undefined;
  readonly title: string;
  readonly text: string;
  readonly icon: string;
  /** The object to open, or the sound to play; 0: none. */
  readonly target: number;
}

type Extra = Pick<FrontMessage, 'icon' | 'target'>;
const NONE: Extra = { icon: '', target: 0 };

/** What the owner, an event or a script says to the fronts. Each message has its effect once. */
export class FrontMessages {
  /** All since the page was opened, the newest first. */
  readonly all: Signal<readonly FrontMessage[]> = signal([]);
  /** Those that are shown over the page, the oldest first. */
  readonly shown: Signal<readonly FrontMessage[]> = signal([]);
  /** How many the user has not seen on the page of messages. */
  readonly unread = signal(0);
  /** Whether the page must be loaded again, as soon as its popups are read. */
  readonly isOutdated = signal(false);
  readonly #app: App;
  #count = 0;

  constructor(app: App) {
    this.#app = app;
  }

  /** Removes one from those that are shown over the page. */
  dismiss({ key }: FrontMessage): void {
    this.shown.value = this.shown.peek().filter((one) => one.key !== key);
  }

  /** The link passes every message once, also after a reconnect. */
  receive({ Message, Data }: ChangeRecord): void {
    switch (Message) {
      case message.POPUP:
        return void this.#add('popup', Data);
      case message.NOTIFICATION:
        return this.#notify(Data);
      case message.AUDIO:
        return this.#play(Data);
      case message.SWITCH_PAGE:
        return this.#switchPage(String(Data[0]));
      case message.RELOAD:
        return void (this.isOutdated.value = true);
      case message.OPEN_CATEGORY:
        return this.#open(Number(Data[0]));
      default:
    }
  }

  /** Shows an object: a category as a room, another one as a sheet. */
  show({ target, kind }: FrontMessage): void {
    if (kind === 'audio') this.#app.play(target);
    else this.#open(target);
  }

  #add(kind: FrontMessage['kind'], [title, text]: readonly unknown[], more: Extra = NONE): FrontMessage {
    const { gateway } = this.#app;
    // What the gateway kept is received before the connection is live.
    const atMs = gateway.state.peek().kind === 'live' ? gateway.now() : undefined;
    const one = { key: ++this.#count, kind, atMs, title: textOf(title), text: textOf(text), ...more };
    this.all.value = [one, ...this.all.peek()].slice(0, KEPT);
    this.shown.value = limitShown([...this.shown.peek(), one], KEPT);
    this.unread.value += 1;
    return one;
  }

  #notify(Data: readonly unknown[]): void {
    const [, , icon, seconds, , target] = Data;
    const one = this.#add('notification', Data, { icon: textOf(icon), target: Number(target ?? 0) });
    if (Number(seconds) > 0) realTiming.after(Number(seconds) * 1000, () => this.dismiss(one));
  }

  /** A browser may require a user gesture before it plays sounds: then the notification has a button. */
  #play([title, media]: readonly unknown[]): void {
    const one = this.#add('audio', [title, ''], { icon: 'Speaker', target: Number(media) });
    new Audio(`${this.#app.base}media/${Number(media)}`).play().then(
      () => this.dismiss(one),
      () => undefined,
    );
  }

  #switchPage(item: string): void {
    const page = this.#app.pages.peek().find(({ items }) => items.has(item));
    if (page !== undefined) this.#app.router.go('page', page.id);
  }

  #open(id: number): void {
    const node = this.#app.gateway.model.find(id);
    if (node === undefined) return;
    this.#app.router.go(node.type === objectType.category ? 'room' : 'object', id);
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
