import type { HealthState } from '../../base/health-check.js';
import type { CheckRecord, HealthRecord } from '../../service/health.js';
import { command } from '../command.js';
import { exitCode } from '../exit-codes.js';
import { escapeControls, jsonText, styled, type Colour } from '../output/terminal.js';
import { gatewayClient, gatewayOptions } from '../arguments/locate-gateway.js';

const colours: Readonly<Record<HealthState, Colour>> = { ok: 'green', warning: 'yellow', failed: 'red' };

/** `stellwerk health`: the gateway's checks as a table. */
export const health = command({
  usage: 'health [options]',
  about: 'Shows the health checks of the gateway: state, since when, finding, and what to do.',
  options: { ...gatewayOptions, json: { type: 'boolean', help: 'as JSON (the result of GW_GetHealth)' } },
  words: [0, 0],
  exits: '0 all is well, 1 a check is not, 69 the gateway cannot be reached, 78 errors in the configuration',
  run: async (options) => {
    const gateway = await gatewayClient(options);
    const record = (await gateway.call('GW_GetHealth')) as HealthRecord;
    process.stdout.write(options.json === true ? `${jsonText(record)}\n` : healthTable(record.Checks));
    return record.State === 'ok' ? exitCode.ok : exitCode.failed;
  },
});

/** A check of a gateway; `Since` is unknown for one that was just run. */
type Row = Omit<CheckRecord, 'Since'> & { readonly Since?: number };

/** The checks, one per line, each followed by what to do. */
export function healthTable(checks: readonly Row[]): string {
  const width = Math.max(...checks.map(({ Name }) => Name.length));
  return checks
    .map(({ Name, State, Since, Text, WhatToDo }) => {
      const since = Since === undefined ? '' : `${sinceOf(Since)}  `;
      const head = `${styled(colours[State], State.padEnd(7))}  ${Name.padEnd(width)}  ${since}`;
      const indent = ' '.repeat(width + 11 + since.length);
      const lines = [...Text.split('\n'), ...(WhatToDo === '' ? [] : [WhatToDo])].map(escapeControls);
      return `${head}${lines.join(`\n${indent}`)}\n`;
    })
    .join('');
}

/** `2026-08-02 10:11:12`, local time. */
const sinceOf = (seconds: number): string => new Date(seconds * 1000).toLocaleString('sv-SE');
