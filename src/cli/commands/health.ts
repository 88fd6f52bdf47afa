import type { HealthState } from '../../base/health-check.js';
import type { CheckRecord, HealthRecord } from '../../service/health.js';
import { messageOf } from '../../base/fault.js';
import { command, UsageError } from '../command.js';
import { exitCode } from '../exit-codes.js';
import { escapeControls, jsonText, styled, type TextStyle } from '../output/terminal.js';
import {
  configuredListeners,
  gatewayClient,
  gatewayOptions,
  type GatewayArguments,
  type ListenerPlace,
} from '../arguments/locate-gateway.js';

const styles: Readonly<Record<HealthState, TextStyle>> = { ok: 'green', warning: 'yellow', failed: 'red' };

/** Where every listener reports whether the gateway is alive. */
const LIVE_PATH = '/health/live';
/** How long a listener may take to reply; the gateway's watchdog acts after 30 s. */
const ALIVE_LIMIT_MS = 10_000;

/** `stellwerk health`: the gateway's checks as a table. */
export const health = command({
  usage: 'health [options]',
  about: 'Shows the health checks of the gateway: state, since when, finding, and what to do.',
  options: {
    ...gatewayOptions,
    json: { type: 'boolean', help: 'as JSON (the result of GW_GetHealth)' },
    alive: {
      type: 'boolean',
      help: 'only whether the gateway on this machine replies, on any of its listeners;\nneeds no password, prints nothing if it does',
    },
  },
  words: [0, 0],
  exits: '0 all is well, 1 a check is not, 69 the gateway cannot be reached, 78 errors in the configuration',
  run: async (options) => {
    if (options.alive === true) return requireAlive(options);
    const gateway = await gatewayClient(options);
    const record = (await gateway.call('GW_GetHealth')) as HealthRecord;
    process.stdout.write(options.json === true ? `${jsonText(record)}\n` : healthTable(record.Checks));
    return record.State === 'ok' ? exitCode.ok : exitCode.failed;
  },
});

/**
 * Exits with 0 if a listener of the configured gateway on this machine reports that it is alive; otherwise
 * with 69 and the reason for each of them.
 */
async function requireAlive(options: GatewayArguments & { readonly json?: boolean }): Promise<number> {
  if (options.url !== undefined || options.json === true)
    throw new UsageError('--alive goes with --config only: it is about the gateway on this machine');
  const reasons: string[] = [];
  for (const listener of await configuredListeners(options)) {
    const reason = await reasonNotAlive(listener);
    if (reason === undefined) return exitCode.ok;
    reasons.push(`${listener.origin}: ${reason}\n`);
  }
  process.stderr.write(`The gateway is not alive.\n${reasons.join('')}`);
  return exitCode.unavailable;
}

/** Why a listener does not report that the gateway is alive; undefined if it does. */
function reasonNotAlive({ isTls, host, port }: ListenerPlace): Promise<string | undefined> {
  const { get } = process.getBuiltinModule(isTls ? 'node:https' : 'node:http');
  const options = {
    host,
    port,
    path: LIVE_PATH,
    // Any name is accepted for this path; that of the listener may have characters that a header cannot.
    headers: { host: 'localhost' },
    // The certificate may be for other names of this machine, and nothing confidential is sent or received.
    rejectUnauthorized: false,
    timeout: ALIVE_LIMIT_MS,
  };
  return new Promise((resolve) => {
    const request = get(options, (response) => {
      response.resume();
      resolve(response.statusCode === 200 ? undefined : `HTTP status ${response.statusCode}`);
    });
    request.on('timeout', () => request.destroy(new Error(`no reply in ${ALIVE_LIMIT_MS / 1000} s`)));
    request.on('error', (error) => resolve(messageOf(error)));
  });
}

/** A check of a gateway; `Since` is unknown for one that was just run. */
type Row = Omit<CheckRecord, 'Since'> & { readonly Since?: number };

/** The checks, one per line, each followed by what to do. */
export function healthTable(checks: readonly Row[]): string {
  const width = Math.max(...checks.map(({ Name }) => Name.length));
  return checks
    .map(({ Name, State, Since, Text, WhatToDo }) => {
      const since = Since === undefined ? '' : `${sinceOf(Since)}  `;
      const head = `${styled(styles[State], State.padEnd(7))}  ${Name.padEnd(width)}  ${since}`;
      const indent = ' '.repeat(width + 11 + since.length);
      const lines = [...Text.split('\n'), ...(WhatToDo === '' ? [] : [WhatToDo])].map(escapeControls);
      return `${head}${lines.join(`\n${indent}`)}\n`;
    })
    .join('');
}

/** `2026-08-02 10:11:12`, local time. */
const sinceOf = (seconds: number): string => new Date(seconds * 1000).toLocaleString('sv-SE');
