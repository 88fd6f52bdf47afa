import { coded, codedTextOf, type Text } from '../../src/base/codes/coded-text.js';
import { codedMessageOf, codeOf, Fault, fault } from '../../src/base/fault.js';
import { explainNetworkError } from '../../src/base/network-errors.js';
import type { Host, OpenInstance, Value } from '../../src/device/module.js';
import type { NameResolver } from '../../src/device/toolkit/name-resolver.js';
import { withTimeout } from '../../src/device/toolkit/timeout.js';
import { DeliveryQueue } from './delivery-queue.js';
import type { DeliveryRoute } from './delivery-route.js';
import type { RemainingRecipients } from './mail.js';
import type { NotificationProperties } from './notification.js';
import { type Notification, type Priority, requestOf } from './services.js';

/** Limits of a message: Telegram rejects more than 4,096 characters with the title; a title is one line. */
const TEXT_LIMIT = 3_800;
const TITLE_LIMIT = 200;

/** How long a server may take to accept a message. */
const DELIVERY_TIMEOUT_MS = 30_000;

/** An open instance: sends what it is given, and counts what became of it. */
export class Notifier implements OpenInstance {
  readonly #host: Host<NotificationProperties>;
  readonly #names: NameResolver;
  readonly #ca: Buffer | undefined;
  readonly #queue: DeliveryQueue;
  /** Of mails that were accepted for some recipients. */
  readonly #remaining = new WeakMap<Notification, RemainingRecipients>();

  constructor(host: Host<NotificationProperties>, names: NameResolver, ca: Buffer | undefined) {
    this.#host = host;
    this.#names = names;
    this.#ca = ca;
    this.#queue = new DeliveryQueue(host.clock, (sent) => this.#deliver(sent), {
      onSent: () => {
        this.#count('SENT');
        if (this.#queue.length === 0) host.setProblem('UNDELIVERED', undefined);
        host.setProblem('DISCARDED', undefined);
      },
      onRetry: (why) => {
        this.#reportWaiting();
        host.setProblem(
          'UNDELIVERED',
          coded`MESSAGES_WAIT: ${this.#queue.length} messages wait: ${this.#reason(why)}`,
        );
      },
      onDiscarded: (why) => {
        this.#count('FAILED');
        if (this.#queue.length === 0) host.setProblem('UNDELIVERED', undefined);
        const reason =
          why === undefined
            ? coded`MESSAGE_TOO_OLD: too many messages waited, or for too long`
            : this.#reason(why);
        host.setProblem('DISCARDED', coded`MESSAGE_DISCARDED: a message was discarded: ${reason}`);
      },
    });
    this.#reportWaiting();
    for (const ident of ['SENT', 'FAILED']) host.report(ident, this.#counted(ident));
  }

  async write(ident: string, value: Value): Promise<void> {
    if (ident !== 'MESSAGE') throw fault('READ_ONLY', ident);
    this.send('', String(value), 'normal');
    await Promise.resolve();
  }

  /** Takes a message; an empty title is the name of the instance. Throws `DEVICE_REFUSED`. */
  send(title: string, text: string, priority: Priority): void {
    const reject = (why: Text) => fault('DEVICE_REFUSED', codedTextOf(why));
    if (text.trim() === '') throw reject(coded`MESSAGE_EMPTY: the message is empty; give a text`);
    if (text.length > TEXT_LIMIT)
      throw reject(coded`MESSAGE_TOO_LONG: the message has more than ${TEXT_LIMIT} characters; shorten it`);
    if (title.length > TITLE_LIMIT || /[\r\n]/.test(title))
      throw reject(
        coded`TITLE_INVALID: the title must be one line of at most ${TITLE_LIMIT} characters; shorten it`,
      );
    const { clock, id } = this.#host;
    const name = this.#host.siblings().find((one) => one.id === id)?.name ?? '';
    this.#host.report('MESSAGE', text);
    this.#queue.add({ title: title || name, text, priority, timeMs: clock.nowMs() });
    this.#reportWaiting();
  }

  async close(): Promise<void> {
    this.#queue.close();
    await Promise.resolve();
  }

  async #deliver(sent: Notification): Promise<void> {
    const { clock, properties: target, signal } = this.#host;
    const ended = new AbortController();
    const route = {
      lookup: this.#names.lookup,
      ca: this.#ca,
      signal: AbortSignal.any([signal, ended.signal]),
    };
    this.#host.debug('sent', sent.text, sent.title);
    try {
      await withTimeout(
        clock,
        { ms: DELIVERY_TIMEOUT_MS, what: coded`WHAT_NOTIFICATION: The notification`, signal },
        this.#transmit(sent, target, route),
      );
    } finally {
      ended.abort();
    }
  }

  async #transmit(sent: Notification, target: NotificationProperties, route: DeliveryRoute): Promise<void> {
    const { Service } = target;
    if (Service === 'mail') {
      const { sendMail } = await import('./mail.js');
      const { Sender: sender } = target;
      const remaining = this.#remaining;
      return sendMail(sent, { ...route, target, sender, timeoutMs: DELIVERY_TIMEOUT_MS, remaining });
    }
    const { postJson } = await import('./http-post.js');
    return postJson(requestOf(Service, target, sent), route);
  }

  #reason(why: unknown): Text {
    // Our own timeout says what took too long; the network's codes need an explanation.
    const known = why instanceof Fault ? undefined : explainNetworkError(codeOf(why), 'Url');
    return known?.why ?? codedMessageOf(why);
  }

  #counted(ident: string): number {
    const value = this.#host.lastValue(ident);
    return typeof value === 'number' ? value : 0;
  }

  #count(ident: string): void {
    this.#host.report(ident, this.#counted(ident) + 1);
    this.#reportWaiting();
  }

  #reportWaiting(): void {
    this.#host.report('WAITING', this.#queue.length);
  }
}
