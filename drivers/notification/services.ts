/** What the services expect: where a message is posted, in which form, and with which login. */

export const services = ['ntfy', 'gotify', 'telegram', 'mail', 'webhook'] as const;
type Service = (typeof services)[number];

/** Services that accept a message as JSON over HTTP; mail is sent over SMTP. */
type HttpService = Exclude<Service, 'mail'>;

/** The priorities of messages; their position is the number that `GW_SendNotification` expects. */
export const priorities = ['low', 'normal', 'high'] as const;
export type Priority = (typeof priorities)[number];

/** A message to people. */
export interface Notification {
  readonly title: string;
  readonly text: string;
  readonly priority: Priority;
  /** When it was requested, unix milliseconds. */
  readonly timeMs: number;
}

/** The properties that name a service and the login there. */
export interface Target {
  readonly Url: string;
  readonly UserName: string;
  readonly Password: string;
  readonly Recipient: string;
}

/** A request that delivers a message. */
export interface HttpMessage {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The address of Telegram's Bot API, which is used unless a server of one's own is given. */
const TELEGRAM_URL = 'https://api.telegram.org';

/** ntfy, "Message priority": 1 (min) to 5 (max); 3 is the default. */
const NTFY_PRIORITY: Readonly<Record<Priority, number>> = { low: 2, normal: 3, high: 5 };
/** Gotify's app is silent up to 3, and makes itself heard from 8. */
const GOTIFY_PRIORITY: Readonly<Record<Priority, number>> = { low: 2, normal: 5, high: 8 };

const requests: Readonly<Record<HttpService, (target: Target, sent: Notification) => HttpMessage>> = {
  // https://docs.ntfy.sh/publish/#publish-as-json: posted to the server, with the topic in the body.
  ntfy: (target, { title, text, priority }) => {
    const url = new URL(target.Url);
    const parts = url.pathname.split('/').filter((part) => part !== '');
    url.pathname = `/${parts.slice(0, -1).join('/')}`;
    return {
      url: url.href,
      headers: loginOf(target),
      body: { topic: ntfyTopic(target.Url), title, message: text, priority: NTFY_PRIORITY[priority] },
    };
  },
  // https://gotify.net/api-docs: POST /message with the token of an application.
  gotify: (target, { title, text, priority }) => ({
    url: below(target.Url, 'message'),
    headers: { 'X-Gotify-Key': target.Password },
    body: { title, message: text, priority: GOTIFY_PRIORITY[priority] },
  }),
  // https://core.telegram.org/bots/api#sendmessage
  telegram: ({ Url, Password, Recipient }, { title, text, priority }) => ({
    url: below(Url || TELEGRAM_URL, `bot${Password}/sendMessage`),
    headers: {},
    body: { chat_id: Recipient, text: `${title}\n${text}`, disable_notification: priority === 'low' },
  }),
  webhook: (target, { title, text, priority, timeMs }) => ({
    url: target.Url,
    headers: loginOf(target),
    body: { title, text, priority, time: new Date(timeMs).toISOString() },
  }),
};

/** The request that delivers a message with a service. */
export const requestOf = (service: HttpService, target: Target, sent: Notification): HttpMessage =>
  requests[service](target, sent);

/** The topic in the URL of an ntfy target; empty if there is none. Throws `URIError` for an invalid `%`. */
export const ntfyTopic = (url: string): string =>
  decodeURIComponent(new URL(url).pathname.split('/').findLast(Boolean) ?? '');

/** A user name and a password (RFC 7617), or a token without a user name (RFC 6750). */
function loginOf({ UserName, Password }: Target): Record<string, string> {
  if (Password === '') return {};
  return {
    Authorization:
      UserName === ''
        ? `Bearer ${Password}`
        : `Basic ${Buffer.from(`${UserName}:${Password}`).toString('base64')}`,
  };
}

/** The address of a path below a server, which may have a path of its own. */
const below = (server: string, path: string): string => `${server.replace(/\/+$/, '')}/${path}`;
