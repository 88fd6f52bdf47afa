import { coded } from '../../base/codes/coded-text.js';
import { Errors } from '@sinclair/typebox/errors';
import { fault } from '../../base/fault.js';
import type { FetchRequest } from '../../base/requests/fetch-request.js';
import { array, declare, int, text, type FunctionDeclaration } from '../../device/declare.js';
import * as shapes from '../machine-shapes.js';
import type { Ports } from '../ports.js';

/** Default and maximum time limit for a URL, ms: a script that waits occupies a process. */
const FETCH_MS = 30_000;
const FETCH_LIMIT_MS = 120_000;
/** Maximum size of a request body, bytes; webhooks need less. */
const BODY_LIMIT = 1024 * 1024;
/** Maximum wait for an echo reply, ms. */
const PING_LIMIT_MS = 60_000;

/** A host name or address; nothing that a program could interpret as an option. */
const HOST = /^(?:[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,251}[A-Za-z0-9_.])?|[0-9A-Fa-f:]{2,39}(?:%[\w.-]{1,15})?)$/;

/** The machine of the gateway, and requests to other hosts (interface §9, "System"). */
export function machineFunctions(ports: Ports): FunctionDeclaration[] {
  return [...figures(ports), ...contents(ports), ping(ports), room(ports)];
}

function figures({ machine }: Ports): FunctionDeclaration[] {
  return [
    declare({
      name: 'Sys_GetCPUInfo',
      parameters: [],
      result: 'array',
      shape: shapes.processors,
      help: 'The load of each processor and of all together, in percent, since the previous call; the first call returns it since boot.',
      run: async () => (await machine()).processors(),
    }),
    declare({
      name: 'Sys_GetMemoryInfo',
      parameters: [],
      result: 'array',
      shape: shapes.memory,
      help: 'Total and available memory and swap space of the machine, in bytes.',
      run: async () => (await machine()).memory(),
    }),
    declare({
      name: 'Sys_GetProcessInfo',
      parameters: [],
      result: 'array',
      shape: shapes.processFigures,
      help: 'Handles, threads and memory (bytes) of the gateway, and the number of processes of the machine.',
      run: async () => (await machine()).process(),
    }),
    declare({
      name: 'Sys_GetBattery',
      parameters: [],
      result: 'array',
      shape: shapes.battery,
      help: 'The battery of the machine, in percent and seconds; -1 means unknown.',
      run: async () => (await machine()).battery(),
    }),
    declare({
      name: 'GW_GetMachine',
      parameters: [],
      result: 'array',
      shape: shapes.hardware,
      help: 'The machine that the gateway runs on: model, kernel, host name, uptime, temperature, supply voltage and wear of its card.',
      run: async () => (await machine()).hardware(),
    }),
    declare({
      name: 'Sys_GetHardDiskInfo',
      parameters: [],
      result: 'array',
      shape: shapes.drives,
      help: 'The file systems of the machine with size and free space in bytes, numbered from 0.',
      run: async () => (await machine()).drives(),
    }),
    declare({
      name: 'Sys_GetNetworkInfo',
      parameters: [],
      result: 'array',
      shape: shapes.networks,
      help: 'The network interfaces of the machine with addresses, speed in Mbit/s, and received and sent bytes.',
      run: async () => (await machine()).networks(),
    }),
    declare({
      name: 'Sys_GetSpooler',
      parameters: [],
      result: 'array',
      shape: shapes.printJobs,
      help: 'The print queue; empty if the machine has no print service.',
      run: async () => (await machine()).spooler(),
    }),
  ];
}

function contents({ machine }: Ports): FunctionDeclaration[] {
  const url = text('URL');
  return [
    declare({
      name: 'Sys_GetURLContent',
      parameters: [url],
      result: 'string',
      help: 'Reads an http or https URL, at most 10 MiB in 30 s.',
      run: async (_caller, requested) => (await machine()).content(fetchRequestOf(requested, {})),
    }),
    declare({
      name: 'Sys_GetURLContentEx',
      parameters: [url, array('Options', shapes.urlOptions)],
      result: 'string',
      help: 'Requests a URL with Method (GET, POST, PUT, PATCH, DELETE, HEAD), Body, Timeout (ms), Headers (["Name: value", …]), AuthUser, AuthPass, VerifyPeer and VerifyHost.',
      run: async (_caller, requested, options) =>
        (await machine()).content(fetchRequestOf(requested, options)),
    }),
  ];
}

/** Throws `PARAMETER_TYPE`, `PARAMETER_UNKNOWN`, `PARAMETER_BOUNDS`. */
function fetchRequestOf(url: string, given: unknown[] | Record<string, unknown>): FetchRequest {
  // PHP encodes an empty map as an empty list.
  if (Array.isArray(given) && given.length > 0)
    throw fault('PARAMETER_TYPE', 'Options', coded`EXPECTED_OBJECT: expected an object`);
  const known = shapes.urlOptions.properties;
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(known, name)) throw fault('PARAMETER_UNKNOWN', name, 'Options');
    const error = Errors(known[name as keyof typeof known], value).First();
    if (error !== undefined) throw fault('PARAMETER_TYPE', `Options.${name}`, error.message);
  }
  const options = given as Partial<typeof shapes.urlOptions.static>;
  const { Timeout = FETCH_MS, Headers = [], AuthUser, AuthPass = '', VerifyPeer = true } = options;
  if (Timeout < 1 || Timeout > FETCH_LIMIT_MS) throw fault('PARAMETER_BOUNDS', 'Options.Timeout');
  const { Body, Method = Body === undefined ? 'GET' : 'POST' } = options;
  if (!shapes.METHODS.includes(Method))
    throw fault(
      'PARAMETER_TYPE',
      'Options.Method',
      coded`EXPECTED_ONE_OF: expected one of ${shapes.METHODS.join(', ')}`,
    );
  if (Body !== undefined && ['GET', 'HEAD'].includes(Method))
    throw fault('PARAMETER_TYPE', 'Options.Body', coded`REQUEST_NO_BODY: a ${Method} request has no body`);
  if (Buffer.byteLength(Body ?? '') > BODY_LIMIT)
    throw fault('TEXT_TOO_LONG', 'Options.Body', BODY_LIMIT, 'bytes');
  return {
    url,
    method: Method,
    ...(Body !== undefined && { body: Body }),
    timeoutMs: Timeout,
    headers: Object.fromEntries(Headers.map(headerOf)),
    ...(AuthUser !== undefined && { login: { username: AuthUser, password: AuthPass } }),
    verifyPeer: VerifyPeer,
    verifyHost: options.VerifyHost ?? true,
  };
}

/**
 * Headers that delimit a request: a wrong one would make a part of the body another request (request
 * smuggling).
 */
const FRAMING_HEADERS = /^(content-length|transfer-encoding|connection)$/i;

/** Parses a header line (RFC 9110 §5); it cannot contain a line break. */
function headerOf(line: string): [string, string] {
  const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)$/.exec(line) ?? [];
  if (name === undefined || value === undefined)
    throw fault(
      'PARAMETER_TYPE',
      'Options.Headers',
      coded`HEADER_MUST_NAME_VALUE: a header must be "Name: value"`,
    );
  if (FRAMING_HEADERS.test(name))
    throw fault(
      'PARAMETER_TYPE',
      'Options.Headers',
      coded`GATEWAY_SETS_ITSELF: the gateway sets ${name} itself`,
    );
  return [name, value];
}

function ping({ machine }: Ports): FunctionDeclaration {
  return declare({
    name: 'Sys_Ping',
    parameters: [text('Host'), int('Timeout')],
    result: 'boolean',
    help: 'Whether a host replies to an echo request within a number of milliseconds, at most 60,000.',
    run: async (_caller, host, timeoutMs) => {
      if (!HOST.test(host))
        throw fault(
          'PARAMETER_TYPE',
          'Host',
          coded`EXPECTED_HOST_NAME_ADDRESS: expected a host name or an address`,
        );
      if (timeoutMs < 1 || timeoutMs > PING_LIMIT_MS) throw fault('PARAMETER_BOUNDS', 'Timeout');
      return (await machine()).ping(host, timeoutMs);
    },
  });
}

function room({ machine }: Ports): FunctionDeclaration {
  return declare({
    name: 'SVC_GetKernelDirSpace',
    parameters: [],
    result: 'array',
    shape: shapes.room,
    help: 'Size and free space of the disk of the data directory, and the size of the directory, in bytes.',
    run: async () => (await machine()).diskUsage(),
  });
}
