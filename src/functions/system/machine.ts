import { Value } from '@sinclair/typebox/value';
import { fault } from '../../base/fault.js';
import type { FetchRequest } from '../../base/fetch-request.js';
import { array, declare, int, text, type FunctionDeclaration } from '../../device/declare.js';
import * as shapes from '../machine-shapes.js';
import type { Ports } from '../ports.js';

/** How long a URL may take to be read unless said, and at most, ms: a script that waits for one holds a process. */
const FETCH_MS = 30_000;
const FETCH_MOST_MS = 120_000;
/** What is sent at most, bytes: of webhooks, the largest take less. */
const BODY_LIMIT = 1024 * 1024;
/** The longest that an answer to an echo request is waited for, ms. */
const PING_MOST_MS = 60_000;

/** A name or an address, and nothing that a program could take for an option. */
const HOST = /^(?:[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,251}[A-Za-z0-9_.])?|[0-9A-Fa-f:]{2,39}(?:%[\w.-]{1,15})?)$/;

/** The machine that the gateway runs on, and what can be reached from it (interface §9, "System"). */
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
      help: 'How busy each processor and all together were since the call before, in percent; at first since the boot.',
      run: async () => (await machine()).processors(),
    }),
    declare({
      name: 'Sys_GetMemoryInfo',
      parameters: [],
      result: 'array',
      shape: shapes.memory,
      help: 'Memory and swap space of the machine and what is free of them, in bytes.',
      run: async () => (await machine()).memory(),
    }),
    declare({
      name: 'Sys_GetProcessInfo',
      parameters: [],
      result: 'array',
      shape: shapes.processFigures,
      help: "The gateway's own handles, threads and memory in bytes, and how many processes it sees.",
      run: async () => (await machine()).process(),
    }),
    declare({
      name: 'Sys_GetBattery',
      parameters: [],
      result: 'array',
      shape: shapes.battery,
      help: 'The battery that the machine runs on, in percent and seconds; -1 is not known.',
      run: async () => (await machine()).battery(),
    }),
    declare({
      name: 'Sys_GetHardDiskInfo',
      parameters: [],
      result: 'array',
      shape: shapes.drives,
      help: 'The file systems of the machine with size and free space in bytes, by numbers from 0.',
      run: async () => (await machine()).drives(),
    }),
    declare({
      name: 'Sys_GetNetworkInfo',
      parameters: [],
      result: 'array',
      shape: shapes.networks,
      help: 'The network interfaces of the machine with addresses, Mbit/s and bytes in and out.',
      run: async () => (await machine()).networks(),
    }),
    declare({
      name: 'Sys_GetSpooler',
      parameters: [],
      result: 'array',
      shape: shapes.printJobs,
      help: 'What waits to be printed; nothing where the machine has no print service.',
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
      help: 'Reads an http or https URL: 10 MiB and 30 s at most.',
      run: async (_caller, wanted) => (await machine()).content(wishOf(wanted, {})),
    }),
    declare({
      name: 'Sys_GetURLContentEx',
      parameters: [url, array('Options', shapes.urlOptions)],
      result: 'string',
      help: 'Requests a URL with Method (GET, POST, PUT, PATCH, DELETE, HEAD), Body, Timeout (ms), Headers (["Name: value", …]), AuthUser, AuthPass, VerifyPeer and VerifyHost.',
      run: async (_caller, wanted, options) => (await machine()).content(wishOf(wanted, options)),
    }),
  ];
}

/** Throws `PARAMETER_TYPE`, `PARAMETER_UNKNOWN`, `PARAMETER_BOUNDS`. */
function wishOf(url: string, given: unknown[] | Record<string, unknown>): FetchRequest {
  // An empty map is an empty list where PHP writes it.
  if (Array.isArray(given) && given.length > 0)
    throw fault('PARAMETER_TYPE', 'Options', 'it takes names with values');
  const known = shapes.urlOptions.properties;
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(known, name)) throw fault('PARAMETER_UNKNOWN', name, 'Options');
    const mistake = Value.Errors(known[name as keyof typeof known], value).First();
    if (mistake !== undefined) throw fault('PARAMETER_TYPE', `Options.${name}`, mistake.message);
  }
  const options = given as Partial<typeof shapes.urlOptions.static>;
  const { Timeout = FETCH_MS, Headers = [], AuthUser, AuthPass = '', VerifyPeer = true } = options;
  if (Timeout < 1 || Timeout > FETCH_MOST_MS) throw fault('PARAMETER_BOUNDS', 'Options.Timeout');
  const { Body, Method = Body === undefined ? 'GET' : 'POST' } = options;
  if (!shapes.METHODS.includes(Method))
    throw fault('PARAMETER_TYPE', 'Options.Method', `it is one of ${shapes.METHODS.join(', ')}`);
  if (Body !== undefined && ['GET', 'HEAD'].includes(Method))
    throw fault('PARAMETER_TYPE', 'Options.Body', `a ${Method} request has none`);
  if (Buffer.byteLength(Body ?? '') > BODY_LIMIT) throw fault('TEXT_TOO_LONG', 'Options.Body', BODY_LIMIT);
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

/** What says where a request ends: with a wrong one, a part of the body would be read as a request of its own. */
const FRAMING = /^(content-length|transfer-encoding|connection)$/i;

/** A line of a request's head (RFC 9110 §5): nothing in it can begin another. */
function headerOf(line: string): [string, string] {
  const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)$/.exec(line) ?? [];
  if (name === undefined || value === undefined)
    throw fault('PARAMETER_TYPE', 'Options.Headers', 'a header is "Name: value"');
  if (FRAMING.test(name))
    throw fault('PARAMETER_TYPE', 'Options.Headers', `the gateway itself sends ${name}`);
  return [name, value];
}

function ping({ machine }: Ports): FunctionDeclaration {
  return declare({
    name: 'Sys_Ping',
    parameters: [text('Host'), int('Timeout')],
    result: 'boolean',
    help: 'Whether a host answers an echo request within so many milliseconds, 60,000 at most.',
    run: async (_caller, host, timeoutMs) => {
      if (!HOST.test(host)) throw fault('PARAMETER_TYPE', 'Host', 'it takes a name or an address');
      if (timeoutMs < 1 || timeoutMs > PING_MOST_MS) throw fault('PARAMETER_BOUNDS', 'Timeout');
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
    help: 'Size and free space of the disk that the data directory is on, and what the directory takes, in bytes.',
    run: async () => (await machine()).room(),
  });
}
