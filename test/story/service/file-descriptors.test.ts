import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import t from 'tap';
import { ownerLine } from '../../tools/gateway/api-fixture.js';
import { callText, resultOrCode, replyIn, rpc } from '../../tools/client/json-rpc.js';
import {
  configDirectory,
  startGatewayProcess,
  SIMULATED_CONFIG,
  SAMPLE_TREE,
} from '../../tools/gateway/gateway-fixture.js';
import { hasProgram } from '../../tools/program.js';
import { RawConnection, rawPost } from '../../tools/client/raw-http.js';
import { until } from '../../tools/until.js';

const HOUSE = `${SIMULATED_CONFIG.replace('port: 0', 'port: 0, allowExecute: true')}${SAMPLE_TREE}`;

const skip = hasProgram('prlimit')
  ? false
  : 'prlimit is not installed: the limits of a process cannot be changed';

/** Limits a process to `free` further descriptors; open ones stay open. */
function leave(pid: number, free: number): void {
  const taken = new Set(readdirSync(`/proc/${pid}/fd`).map(Number));
  let limit = 0;
  for (let left = free; left > 0 || taken.has(limit); limit++) if (!taken.has(limit)) left--;
  execFileSync('prlimit', ['--pid', String(pid), `--nofile=${limit}:`]);
}

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').map(Number).filter(Boolean);

/** Ends the processes of scripts; the last one is replaced. */
async function endChildren(pid: number): Promise<void> {
  const children = childrenOf(pid);
  for (const child of children) process.kill(child, 'SIGKILL');
  await until('they have exited', () => !childrenOf(pid).some((child) => children.includes(child)));
}

t.test('with few file descriptors the gateway continues, and with more it recovers', { skip }, async (t) => {
  const directory = await configDirectory(t, HOUSE);
  const gateway = await startGatewayProcess(t, directory);
  const { port, program } = gateway;
  const pid = Number(program.process.pid);
  await using kept = await RawConnection.open(port);
  const ask = async (method: string, ...params: unknown[]) => {
    kept.write(rawPost({ port, headers: [ownerLine], body: callText(method, params) }));
    const response = await kept.response();
    return response.status === 200 ? resultOrCode(replyIn(response)) : response.status;
  };
  // Its port is open before everything has started.
  t.ok(await until('ready', async () => (await ask('SVC_GetKernelRunlevel')) === 10103));
  const calls: [string, ...unknown[]][] = [
    ['SVC_RunScriptTextWait', 'print(6 * 7)'],
    ['SVC_Execute', '/bin/echo', 'x', false, true],
    ['Sys_GetURLContent', `http://127.0.0.1:${port}/api/`],
    ['SVC_CreateScript', 0],
    ['Sys_GetCPUInfo'],
    ['SVC_TrimKernel'],
  ];
  for (let free = 0; free <= 10; free++) {
    leave(pid, free);
    for (const [method, ...params] of calls) await ask(method, ...params);
    const clients = Array.from({ length: 20 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
    await until('all connected', () => clients.every((socket) => !socket.connecting));
    for (const socket of clients) socket.destroy();
    t.ok(await ask('SVC_GetSnapshot'), `${free} descriptors`);
    await endChildren(pid);
  }
  execFileSync('prlimit', ['--pid', String(pid), '--nofile=1024:']);
  const works = async () => (await ask('SVC_RunScriptTextWait', 'print(6 * 7)')) === '42';
  await until('a script runs again', works);
  t.equal(await ask('SVC_Execute', '/bin/echo', 'x', false, true), 'x\n');
  t.type(await ask('SVC_CreateScript', 0), 'number');
  t.equal(await rpc(gateway, 'SVC_GetKernelRunlevel'), 10103, 'and other clients can connect');
});
