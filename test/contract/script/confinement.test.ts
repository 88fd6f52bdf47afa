import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { confinedCommand, confinementFinding } from '../../../src/script/process-command.js';
import { parseMessage } from '../../../src/script/protocol.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { hasProgram } from '../../tools/program.js';
import { scriptFixture } from '../../tools/gateway/script-fixture.js';
import { withinPatience, until } from '../../tools/until.js';

/** The output of a command. */
async function outputOf(t: Test, [program = '', ...args]: readonly string[]): Promise<string> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], cwd: '/' });
  t.teardown(() => child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  await withinPatience('its end', once(child, 'close'));
  return output;
}

/** The output of a program that runs like a script's process: confined, but with all of Node's functions. */
const confinedOutput = (t: Test, paths: readonly string[], program: readonly string[]): Promise<string> =>
  outputOf(t, confinedCommand(process.pid, paths, program));

/**
 * JavaScript with all of Node's functions, as if a script had escaped from its context and from Node's
 * permissions.
 */
const attempts: readonly (readonly [name: string, code: string, result: string])[] = [
  ['a connection over TCP', 'connect({ port: PORT, host: "127.0.0.1" })', 'EPERM'],
  ['a connection over a unix socket', 'connect({ path: "/run/dbus/system_bus_socket" })', 'EPERM'],
  ['a server', 'new Promise((r, no) => net.createServer().on("error", no).listen(0, r))', 'EPERM'],
  ['a datagram', 'new Promise((r, no) => dgram.createSocket("udp4").on("error", no).bind(0, r))', 'EPERM'],
  ['a signal to the gateway', 'process.kill(process.ppid, "SIGTERM")', 'EPERM'],
  ['a test for a process', 'process.kill(1, 0)', 'EPERM'],
  ['a signal to the process group', 'process.kill(0, "SIGTERM")', 'EPERM'],
  ['a signal to all', 'process.kill(-1, 0)', 'EPERM'],
  ['a signal to itself', 'process.kill(process.pid, 0)', 'worked'],
  ['a program', 'execFileSync("/bin/true")', 'EPERM'],
  ['a shell', 'execFileSync("true", { shell: true })', 'EPERM'],
  ['the priority of the gateway', 'os.setPriority(process.ppid, 19)', 'EPERM'],
  ['a new file', 'fs.writeFileSync(`${DIRECTORY}/new`, "")', 'EPERM'],
  ['a change of a file', 'fs.appendFileSync(`${DIRECTORY}/secret`, "x")', 'EPERM'],
  ['a folder', 'fs.mkdirSync(`${DIRECTORY}/folder`)', 'EPERM'],
  ['a deletion', 'fs.rmSync(`${DIRECTORY}/secret`)', 'EPERM'],
  ['a new name', 'fs.renameSync(`${DIRECTORY}/secret`, `${DIRECTORY}/other`)', 'EPERM'],
  ['a link', 'fs.symlinkSync("/etc", `${DIRECTORY}/link`)', 'EPERM'],
  ['rights of a file', 'fs.chmodSync(`${DIRECTORY}/secret`, 0o777)', 'EPERM'],
  ['a time of a file', 'fs.utimesSync(`${DIRECTORY}/secret`, 0, 0)', 'EPERM'],
  [
    'a thread',
    'new Promise((r, no) => new Worker("0", { eval: true }).on("error", no).on("exit", r))',
    'worked',
  ],
];
const reading: typeof attempts = [
  ['a file of the gateway', 'fs.readFileSync(`${DIRECTORY}/secret`)', 'EACCES'],
  ['a folder', 'fs.readdirSync(DIRECTORY)', 'EACCES'],
  ['accounts', 'fs.readFileSync("/etc/passwd")', 'EACCES'],
  ['the environment of the gateway', 'fs.readFileSync(`/proc/${process.ppid}/environ`)', 'EACCES'],
  ['the memory of the gateway', 'fs.openSync(`/proc/${process.ppid}/mem`)', 'EACCES'],
  ['a device', 'fs.openSync("/dev/zero")', 'EACCES'],
];

t.test('a process that has escaped from its context cannot do any of this', async (t) => {
  const directory = await tempDirectory(t);
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as { port: number };
  await writeFile(join(directory, 'secret'), 'secret');
  const all = [...attempts, ...reading];
  const program = `
    import fs from 'node:fs'; import net from 'node:net'; import os from 'node:os'; import dgram from 'node:dgram';
    import { execFileSync } from 'node:child_process'; import { Worker } from 'node:worker_threads';
    const [PORT, DIRECTORY] = [${port}, ${JSON.stringify(directory)}];
    const connect = (to) => new Promise((r, no) => net.connect(to, r).on('error', no));
    const results = [];
    for (const one of [${all.map(([, code]) => `() => ${code}`).join(', ')}])
      try { await one(); results.push('worked'); } catch (e) { results.push(e.info?.code ?? e.code ?? String(e)); }
    console.log(JSON.stringify(results)); process.exit(0);`;
  const node = [process.execPath, '--openssl-config=/dev/null', '--input-type=module', '--eval', program];
  const output = await confinedOutput(t, [], node);
  const [json = '[]'] = /^\[.*\]$/m.exec(output) ?? [];
  const results = JSON.parse(json) as string[];
  t.equal(results.length, all.length, output);
  const hasLandlock = !output.includes('Landlock');
  for (const [i, [name, , expected]] of all.entries())
    if (i < attempts.length || hasLandlock) t.equal(results[i], expected, name);
  t.equal(readFileSync(join(directory, 'secret'), 'utf8'), 'secret');
});

/** System calls that JavaScript cannot make, by their numbers on this architecture. */
const CALLS = `
import ctypes, errno, os, platform, json
arm = platform.machine() == 'aarch64'
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
def call(x64, arm64, *args):
    number = arm64 if arm else x64
    if number < 0: return 'EPERM'
    if libc.syscall(ctypes.c_long(number), *[ctypes.c_long(a) for a in args]) >= 0: return 'worked'
    return errno.errorcode[ctypes.get_errno()]
parent = os.getppid()
print(json.dumps({
  'ptrace': call(101, 117, 16, parent, 0, 0),
  'process_vm_readv': call(310, 270, parent, 0, 0, 0, 0, 0),
  'process_vm_writev': call(311, 271, parent, 0, 0, 0, 0, 0),
  'pidfd_open': call(434, 434, parent, 0),
  'pidfd_getfd': call(438, 438, 0, 0, 0),
  'pidfd_send_signal': call(424, 424, 0, 9, 0, 0),
  'tgkill': call(234, 131, parent, parent, 0),
  'tkill': call(200, 130, parent, 0),
  'rt_sigqueueinfo': call(129, 138, parent, 0, 0),
  'fcntl F_SETOWN': call(72, 25, 0, 8, parent),
  'prctl PR_SET_PDEATHSIG': call(157, 167, 1, 0, 0, 0, 0),
  'ioctl TIOCSTI': call(16, 29, 0, 0x5412, 0),
  'ioctl GPIO_GET_CHIPINFO': call(16, 29, 0, 0x8044B401, 0),
  'sched_setscheduler': call(144, 119, parent, 0, 0),
  'prlimit64 of another': call(302, 261, parent, 7, 0, 0),
  'fork': call(57, -1),
  'clone': call(56, 220, 17, 0, 0, 0, 0),
  'execve': call(59, 221, 0, 0, 0),
  'execveat': call(322, 281, 0, 0, 0, 0, 0),
  'socket': call(41, 198, 1, 1, 0),
  'socketpair': call(53, 199, 1, 1, 0, 0),
  'sendmsg': call(46, 211, 1, 0, 0),
  'shmget': call(29, 194, 0, 4096, 0o1600),
  'mount': call(165, 40, 0, 0, 0, 0, 0),
  'unshare': call(272, 97, 0x10000000),
  'bpf': call(321, 280, 0, 0, 0),
  'perf_event_open': call(298, 241, 0, 0, 0, 0, 0),
  'io_uring_setup': call(425, 425, 1, 0),
  'userfaultfd': call(323, 282, 0),
  'keyctl': call(250, 219, 0, 0, 0),
  'openat2': call(437, 437, -100, 0, 0, 0),
  'fchmodat2': call(452, 452, -100, 0, 0o666, 0),
  'open for writing': call(257, 56, -100, 0, 1, 0),
  'clone3': 'EPERM' if call(435, 435, 0, 0) == 'ENOSYS' else 'worked',
  'of a newer kernel': 'EPERM' if call(470, 470, 0, 0) == 'ENOSYS' else 'worked',
}))
`;

const noPython = hasProgram('python3') ? false : 'python3 is not installed';
t.test('system calls without a JavaScript function are blocked too', { skip: noPython }, async (t) => {
  const where = 'import os, sys; print(os.path.realpath(sys.executable)); print(sys.base_prefix)';
  const found = execFileSync('python3', ['-c', where], { encoding: 'utf8' }).trim();
  const [python = '', prefix = ''] = found.split('\n');
  const output = await confinedOutput(t, [prefix], [python, '-I', '-S', '-c', CALLS]);
  const results = JSON.parse(/^\{.*\}$/m.exec(output)?.[0] ?? '{}') as Record<string, string>;
  t.ok(Object.keys(results).length > 30, output);
  for (const [name, result] of Object.entries(results)) t.equal(result, 'EPERM', name);
});

t.test(
  'system calls by the numbers of another architecture end the process',
  { skip: noPython },
  async (t) => {
    const x32 = 'import ctypes; ctypes.CDLL(None).syscall(ctypes.c_long(0x40000000 + 39)); print("went on")';
    const [launcher = '', ...args] = confinedCommand(
      process.pid,
      ['/'],
      ['/usr/bin/env', 'python3', '-c', x32],
    );
    const direct = confinedCommand(
      process.pid,
      ['/'],
      [
        execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim(),
        '-c',
        x32,
      ],
    );
    t.equal(
      spawnSync(launcher, args, { encoding: 'utf8' }).status,
      126,
      'env cannot execute another program',
    );
    const { signal, stdout } = spawnSync(direct[0] ?? '', direct.slice(1), { encoding: 'utf8' });
    t.same([signal, stdout], ['SIGSYS', '']);
  },
);

t.test('the process of a script is confined, and has a lower priority than the gateway', async (t) => {
  const { script, runId, engine } = await scriptFixture(t);
  const { id } = await script('Sleep(1e6)');
  const run = t.rejects(runId(id), { message: /was aborted/ });
  await until('it runs', async () => (await engine.threads()).some(({ ScriptID }) => ScriptID === id));
  // Tests share processes: there can be other children.
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ');
  const pid = children.find((one) =>
    readFileSync(`/proc/${one}/cmdline`, 'utf8').includes('/script/child.js'),
  );
  // The launcher confines itself and then becomes Node.
  const program = () => readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  await until('the launcher has executed Node', () => program() !== 'stellwerk-scrip');
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  t.match(status, /^NoNewPrivs:\t1$/m);
  t.match(status, /^Seccomp:\t2$/m);
  t.equal(readFileSync(`/proc/${pid}/oom_score_adj`, 'utf8'), '1000\n');
  const [, fields = ''] = /\) (.*)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
  t.equal(fields.split(' ')[16], '10', 'nice');
  engine.abort(id);
  await run;
});

const noStrace = hasProgram('strace') ? false : 'strace is not installed';
t.test(
  'without Landlock and seccomp, a process starts nevertheless and reports it',
  { skip: noStrace },
  async (t) => {
    const lacking = ['landlock_create_ruleset:error=ENOSYS', 'prctl:error=EINVAL', 'setpriority:error=EPERM'];
    const strace = ['strace', '-D', '-o', '/dev/null', ...lacking.flatMap((one) => ['-e', `inject=${one}`])];
    const node = [process.execPath, '--eval', 'console.log("it runs")'];
    const output = await outputOf(t, [...strace, ...confinedCommand(process.pid, [], node)]);
    t.match(output, /^it runs$/m);
    const { state, text } = confinementFinding(output) ?? {};
    t.equal(state, 'warning');
    for (const what of ['priority', 'Landlock', 'seccomp']) t.match(String(text), what);
  },
);

t.test('a missing kernel feature is a health finding', (t) => {
  t.equal(confinementFinding('[7:0x1] 20 ms: Mark-Compact'), undefined);
  const files = 'stellwerk-script: no restriction of files (Landlock): Function not implemented\n';
  t.match(confinementFinding(files), { state: 'ok', text: /Landlock/ });
  const calls = 'stellwerk-script: no filter of system calls (seccomp): Invalid argument\n';
  t.match(confinementFinding(files + calls), { state: 'warning', text: /Landlock.*; .*seccomp.*Invalid/ });
  t.end();
});

t.test('invalid data on a process’s channel cannot affect the gateway', (t) => {
  const failed = { is: 'failed', message: 'm', output: '', isBroken: false, isLast: false, peakBytes: 1 };
  const place = { file: 'a.js', line: 1, column: 2 };
  for (const message of [
    { is: 'call', method: 'GetValue', params: [1] },
    { is: 'include', what: { any: 1 } },
    { is: 'ended', output: 'o', peakBytes: 7 },
    { ...failed, at: undefined },
    { ...failed, at: place },
  ])
    t.strictSame(parseMessage(JSON.stringify(message)), message);
  for (const hostile of [
    'null',
    '7',
    '"text"',
    '[]',
    '{}',
    '{"is":"stop"}',
    '{"is":"call","method":1,"params":[]}',
    '{"is":"call","method":"a","params":{"length":1e9}}',
    '{"is":"ended","output":{"toString":1},"peakBytes":1}',
    '{"is":"ended","output":"","peakBytes":"1"}',
    JSON.stringify({ ...failed, at: null }),
    JSON.stringify({ ...failed, at: { ...place, file: 1 } }),
    JSON.stringify({ ...failed, message: null }),
    'not JSON',
  ])
    t.throws(() => parseMessage(hostile), hostile);
  t.end();
});
