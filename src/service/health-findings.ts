import { coded, joined, type CodedText, type Text } from '../base/codes/coded-text.js';
import { healthy, type HealthFinding } from '../base/health-check.js';
import type { Devices } from '../device/devices.js';
import type { Clock } from '../base/clock.js';
import type { Kernel } from '../kernel/kernel.js';

/** Whether the wall clock is synchronised. */
export function clockFinding(isTrusted: boolean): HealthFinding {
  if (isTrusted) return healthy(coded`CLOCK_SET: set`);
  const text = coded`CLOCK_NOT_SYNCHRONISED: the clock has not been synchronised since the machine started; times may be wrong`;
  return {
    state: 'warning',
    text,
    whatToDo: coded`CONNECT_MACHINE_NETWORK_TIME: connect the machine to a network with a time server`,
  };
}

/**
 * Maximum number of problems in the text, so that the other checks stay visible; `stellwerk check` lists all.
 */
const PROBLEMS_SHOWN = 20;

/** Whether the configuration was applied completely, and from where. */
export function configurationFinding(
  problems: readonly Text[],
  { file, isOverlay }: { readonly file: string; readonly isOverlay: boolean },
): HealthFinding {
  if (problems.length === 0)
    return healthy(
      isOverlay
        ? coded`APPLIED_FROM_WHICH_REPLACES: applied from ${file}, which replaces the gateway's own file`
        : coded`CONFIGURATION_APPLIED: applied`,
    );
  const shown = problems.slice(0, PROBLEMS_SHOWN);
  const more = problems.length - shown.length;
  if (more > 0) shown.push(coded`MORE_PROBLEMS: and ${more} more; run stellwerk check to list them`);
  return {
    state: 'warning',
    text: joined(shown, '\n'),
    whatToDo: coded`CORRECT_THESE_LINES_RELOAD: correct these lines and reload`,
  };
}

/** The configuration file has validation errors; the gateway continues with the previous configuration. */
export function unusableFileFinding(text: Text): HealthFinding {
  const what = coded`FILE_NOT_APPLICABLE: gateway.yaml was changed and cannot be applied; the gateway continues with the previous configuration, and would not start with this file: ${text}`;
  return {
    state: 'failed',
    text: what,
    whatToDo: coded`CORRECT_THESE_LINES_GATEWAY: correct these lines of gateway.yaml and reload`,
  };
}

/** The problems of the instances: one line per instance, with its name and id. */
export function devicesFinding(devices: Devices, kernel: Kernel): HealthFinding {
  const problems = [...devices.allProblems()];
  if (problems.length === 0) return healthy(coded`NO_INSTANCE_PROBLEM: no instance has a problem`);
  const byInstance = [...Map.groupBy(problems, ({ id }) => id)];
  const lines = byInstance.map(([id, own]) => {
    const name = kernel.tree.find(id)?.displayName ?? '';
    return coded`ABOUT: ${`${name} (#${id})`}: ${joined(own.map(({ text }) => text))}`;
  });
  const { length } = byInstance;
  const head =
    length === 1
      ? coded`ONE_INSTANCE_HAS_PROBLEM: 1 instance has a problem`
      : coded`INSTANCES_HAVE_PROBLEMS: ${length} instances have problems`;
  return {
    state: 'warning',
    text: joined([head, ...lines], '\n'),
    whatToDo: coded`SEE_STATUS_VARIABLE_EACH: see the STATUS variable of each instance`,
  };
}

/** Whether clients on this machine need credentials. */
export function accessFinding(local: 'open' | undefined): HealthFinding {
  if (local === undefined)
    return healthy(
      coded`EVERY_CALL_NEEDS_CREDENTIALS: every call needs credentials, including calls from this machine`,
    );
  return healthy(
    coded`API_LOCAL_OPEN_CALLS: api.local is open: calls of this machine without credentials act as the owner`,
  );
}

/** Whether all configured listeners of the API are open. */
export function listenersFinding(problems: readonly Text[]): HealthFinding {
  if (problems.length === 0) return healthy(coded`ALL_LISTENERS_OPEN: all listeners are open`);
  const whatToDo = coded`FREE_THE_PORT: correct the configuration or free the port; the gateway retries by itself`;
  return { state: 'warning', text: joined(problems, '\n'), whatToDo };
}

/** A certificate that expires in less than this is a warning, ms: `tls: auto` renews 30 days before. */
const EXPIRES_SOON_MS = 14 * 86_400_000;

/** Certificates of listeners, and the gateway's own authority. */
interface Certificates {
  readonly authority?: { readonly name: string; readonly fingerprint: string };
  readonly listeners: readonly { readonly name: string; readonly untilMs: number }[];
}

/** Whether the certificates of the listeners are valid, and what identifies the gateway's own authority. */
export function certificatesFinding(
  { authority, listeners }: Certificates = { listeners: [] },
  clock: Pick<Clock, 'nowMs' | 'isTrusted'>,
): HealthFinding {
  const soon = listeners.filter(({ untilMs }) => untilMs < clock.nowMs() + EXPIRES_SOON_MS);
  if (soon.length > 0 && clock.isTrusted()) {
    const lines = soon.map(
      ({ name, untilMs }) =>
        coded`CERTIFICATE_EXPIRES: ${name}: the certificate expires ${new Date(untilMs).toISOString()}`,
    );
    const whatToDo = coded`RENEW_CERTIFICATE: renew the files of the certificate; the gateway reads them twice a day and at a reload`;
    return { state: 'warning', text: joined(lines, '\n'), whatToDo };
  }
  if (listeners.length === 0) return healthy(coded`NO_LISTENER_TLS: no listener has TLS`);
  const valid = coded`CERTIFICATES_VALID: valid for at least 14 days`;
  return healthy(authority === undefined ? valid : joined([valid, authorityText(authority)]));
}

/** What people compare before they trust the authority. */
export function authorityText({ name, fingerprint }: NonNullable<Certificates['authority']>): CodedText {
  return coded`OWN_AUTHORITY: certificate authority of this gateway: ${name}, SHA-256 ${fingerprint}`;
}
