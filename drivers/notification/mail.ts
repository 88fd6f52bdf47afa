import { connect } from 'node:net';
import type SMTPTransport from 'nodemailer/lib/smtp-transport';
import { coded } from '../../src/base/codes/coded-text.js';
import { messageOf } from '../../src/base/fault.js';
import { DeliveryError } from './delivery-error.js';
import type { DeliveryRoute } from './delivery-route.js';
import type { Notification, Target } from './services.js';

/** Ports of mail submission: with TLS from the first byte, and with STARTTLS (RFC 8314 §3, §7.3). */
const SUBMISSION_PORT = { 'smtps:': 465, 'smtp:': 587 } as const;

/** A mail server, the sender's address, and how the server is reached. */
interface MailRoute extends DeliveryRoute {
  readonly target: Target;
  readonly sender: string;
  /** How long each step may take, ms. */
  readonly timeoutMs: number;
  /** What the last attempt left to do, for messages that the server has accepted for some recipients. */
  readonly remaining: WeakMap<Notification, RemainingRecipients>;
}

/** The recipients for which the server has not accepted a message. */
export interface RemainingRecipients {
  /** It may accept them later (greylisting, a full mailbox): the next attempt is for them only. */
  readonly deferred: readonly string[];
  readonly rejected: readonly string[];
}

/** The reply to one recipient. */
interface RecipientReply {
  readonly recipient?: string | undefined;
  readonly responseCode?: number | undefined;
}

/**
 * Sends a mail and resolves when the server has accepted it for every recipient. Rejects with a
 * `DeliveryError`, or with the network's error; another attempt omits the recipients that were accepted or
 * rejected. A password is only sent over TLS.
 */
export async function sendMail(sent: Notification, route: MailRoute): Promise<void> {
  const { createTransport } = await import('nodemailer');
  const transport = createTransport(transportOptions(route));
  const before = route.remaining.get(sent);
  let replies: readonly RecipientReply[];
  try {
    ({ rejectedErrors: replies = [] } = await transport.sendMail({
      from: route.sender,
      to: route.target.Recipient,
      ...(before !== undefined && { envelope: { from: route.sender, to: [...before.deferred] } }),
      subject: sent.title,
      text: sent.text,
      date: new Date(sent.timeMs),
      priority: sent.priority,
      // The text is only text: a path or a URL in it is never opened.
      disableFileAccess: true,
      disableUrlAccess: true,
    }));
  } catch (thrown) {
    // All recipients of this attempt were deferred before.
    if (before !== undefined && isTransient(thrown as RecipientReply))
      throw busy(thrown as RecipientReply, 'deferred');
    throw mailError(thrown);
  }
  const [later, never] = [replies.filter(isTransient), replies.filter((reply) => !isTransient(reply))];
  const deferred = later.map(({ recipient = '' }) => recipient);
  const rejected = [...(before?.rejected ?? []), ...never.map(({ recipient = '' }) => recipient)];
  route.remaining.set(sent, { deferred, rejected });
  if (later[0] !== undefined) throw busy(later[0], 'deferred');
  if (rejected.length > 0)
    throw new DeliveryError(
      coded`MAIL_RECIPIENTS_REJECTED: the server rejected ${rejected.join(', ')}; correct Recipient`,
    );
}

function transportOptions({ target, lookup, ca, timeoutMs, signal }: MailRoute): SMTPTransport.Options {
  const { hostname, port, protocol } = new URL(target.Url);
  const isSecure = protocol === 'smtps:';
  const host = hostname.replace(/^\[|\]$/g, '');
  const to = { host, port: Number(port) || SUBMISSION_PORT[isSecure ? 'smtps:' : 'smtp:'] };
  const hasLogin = target.UserName !== '';
  return {
    ...to,
    secure: isSecure,
    requireTLS: hasLogin,
    ...(hasLogin && { auth: { user: target.UserName, pass: target.Password } }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    ...(ca !== undefined && { tls: { ca } }),
    // Our own resolver: the package's occupies a thread for as long as a name server is silent.
    getSocket: (_options, callback) => {
      const connection = connect({ ...to, lookup, signal });
      connection.once('error', (error) => callback(error, undefined));
      connection.once('connect', () => {
        connection.removeAllListeners('error');
        callback(null, { connection });
      });
    },
  };
}

/** RFC 5321 §4.2.1: 4yz is transient, also in reply to AUTH and STARTTLS; 5yz is permanent. */
const isTransient = ({ responseCode = 0 }: RecipientReply): boolean =>
  responseCode >= 400 && responseCode < 500;

const busy = ({ responseCode = 0 }: RecipientReply, duration: DeliveryError['duration']): DeliveryError =>
  new DeliveryError(coded`SERVER_BUSY: the server replied with status ${responseCode}`, duration);

/** Maps the package's errors; those of the network stay as they are. */
function mailError(thrown: unknown): unknown {
  const reply = thrown as RecipientReply & { readonly code?: string };
  if (isTransient(reply)) return busy(reply, 'temporary');
  const { responseCode, code } = reply;
  if (code === 'EAUTH')
    return new DeliveryError(
      coded`MAIL_LOGIN_REJECTED: the server rejected the login (${responseCode ?? 0}); correct UserName and Password`,
    );
  if (code === 'ETLS')
    return new DeliveryError(
      coded`MAIL_TLS_FAILED: no TLS with the server: ${messageOf(thrown)}; correct Url and CaFile`,
    );
  if (responseCode !== undefined && responseCode >= 500)
    return new DeliveryError(
      coded`MAIL_REJECTED: the server rejected the mail (${responseCode}); correct Recipient and Sender`,
    );
  if (code === 'EENVELOPE')
    return new DeliveryError(
      coded`MAIL_ADDRESS_INVALID: Recipient or Sender is not a mail address; correct it`,
    );
  return thrown;
}
