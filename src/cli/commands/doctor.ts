import { healthy, type HealthFinding } from '../../base/health-check.js';
import { systemClock } from '../../base/clock.js';
import { messageOf } from '../../base/fault.js';
import { RpcError, ServerError } from '../../client/index.js';
import {
  combineChecks,
  examine,
  problem,
  readConfiguredMachine,
  type ConfiguredMachine,
} from '../../composition/doctor/doctor.js';
import { ConfigurationError } from '../../config/document.js';
import { createModuleList } from '../../composition/module-list.js';
import { authorityText } from '../../service/health-findings.js';
import type { CheckRecord, HealthRecord } from '../../service/health.js';
import { command, UsageError } from '../command.js';
import { exitCode } from '../exit-codes.js';
import { healthTable } from './health.js';
import { jsonText } from '../output/terminal.js';
import {
  authorityIn,
  configPath,
  configSource,
  locateData,
  gatewayClient,
  gatewayOptions,
  ownAuthority,
} from '../arguments/locate-gateway.js';

const { url: _url, ...options } = gatewayOptions;

/** `stellwerk doctor`: reports what is missing on this machine, with or without a running gateway. */
export const doctor = command({
  usage: 'doctor [options]',
  about: `Checks this machine and reports what is missing for the gateway, and how to fix it: rights of the service's
user, lines and ports that are in use or missing, the clock, disk space, wear of the card. If the gateway runs
and its password is known, its health checks are included. Changes nothing.`,
  options: {
    ...options,
    data: {
      type: 'string',
      value: 'DIR',
      help: 'the data directory; default /var/lib/stellwerk, in a checkout data/',
    },
    json: { type: 'boolean', help: 'as a list of checks: Name, State, Text, WhatToDo' },
  },
  words: [0, 0],
  exits: '0 nothing is missing, 1 something is missing',
  run: async ({ data, json, ...given }) => {
    const config = await configurationOf(given.config);
    const dataDirectory = placeOfData(data, config.path);
    const own = await examine(config, { dataDirectory: dataDirectory ?? '/', isGateway: false });
    const authority = dataDirectory === undefined ? undefined : ownAuthority(dataDirectory);
    const ca = given.ca ?? authority;
    const { finding, checks } = await gatewayChecks(
      { ...given, ...(ca !== undefined && { ca }) },
      config.path !== undefined,
    );
    own.set('gateway', finding);
    if (checks.some(({ Name }) => Name === 'outputs')) own.delete('outputs');
    const known = authority === undefined ? undefined : authorityIn(authority);
    if (known !== undefined && !checks.some(({ Name }) => Name === 'certificates'))
      own.set('certificates', healthy(authorityText(known)));
    const all = combineChecks(own, checks);
    process.stdout.write(json === true ? `${jsonText(all)}\n` : healthTable(all));
    return all.every(({ State }) => State === 'ok') ? exitCode.ok : exitCode.failed;
  },
});

/** The machine as configured; without a configuration, it has no instances. */
async function configurationOf(
  given: string | undefined,
): Promise<ConfiguredMachine & { readonly path: string | undefined }> {
  const makeModules = createModuleList(systemClock());
  try {
    const source = configSource(configPath(given));
    return { ...(await readConfiguredMachine(source, makeModules)), path: source.file };
  } catch (thrown) {
    if (!(thrown instanceof UsageError)) throw thrown;
    const finding = problem('there is no configuration', 'sudo stellwerk setup creates the first one');
    return { modules: await makeModules({}), instances: [], path: undefined, finding };
  }
}

/** The data directory; undefined if there is none yet. */
function placeOfData(data: string | undefined, config: string | undefined): string | undefined {
  try {
    return locateData(data, config).data;
  } catch (thrown) {
    if (thrown instanceof UsageError && data === undefined) return undefined;
    throw thrown;
  }
}

/** Checks whether the gateway replies, and reads its own checks if the caller may. */
async function gatewayChecks(
  given: Parameters<typeof gatewayClient>[0],
  isConfigured: boolean,
): Promise<{ finding: HealthFinding; checks: readonly CheckRecord[] }> {
  try {
    const gateway = await gatewayClient(given, false);
    const { Checks } = (await gateway.call('GW_GetHealth')) as HealthRecord;
    return { finding: healthy('it replies'), checks: Checks };
  } catch (thrown) {
    return { finding: answerFinding(thrown, isConfigured), checks: [] };
  }
}

function answerFinding(thrown: unknown, isConfigured: boolean): HealthFinding {
  if (thrown instanceof RpcError && thrown.reason === 'UNAUTHORIZED')
    return healthy(
      'it replies; its own checks need its password (--password-file FILE, or stellwerk health)',
    );
  if (thrown instanceof ServerError)
    return problem(
      `it does not reply: ${messageOf(thrown)}`,
      'sudo systemctl start stellwerk; journalctl -u stellwerk says why it ended',
    );
  if (thrown instanceof UsageError && isConfigured)
    return problem(
      `it was not checked: ${messageOf(thrown)}`,
      'correct this file, or the option or key that names it',
    );
  if (thrown instanceof UsageError || thrown instanceof ConfigurationError)
    return problem('its address is unknown', 'correct the configuration first');
  throw thrown;
}
