import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Program, hasProgram } from '../tools/program.js';

/**
 * Linux counts processor time in hundredths of a second, whatever the kernel's own clock (proc(5),
 * `USER_HZ`).
 */
const TICK_MS = 10;

/**
 * The cores of the server and of the load; on a machine with one core, or without taskset, nothing is pinned.
 */
export interface Cores {
  readonly server: number | undefined;
  readonly load: number | undefined;
}

/** Pins this process, which is the load, to the last core, and returns the core for servers. */
export function takeCores(): Cores {
  if (availableParallelism() < 2 || !hasProgram('taskset')) return { server: undefined, load: undefined };
  const load = cpus().length - 1;
  pin(load);
  return { server: 0, load };
}

/** All threads of this process. One may end between listing and pinning, which makes taskset fail. */
function pin(core: number): void {
  for (let tries = 3; tries > 0; tries--)
    try {
      execFileSync('taskset', ['-a', '-c', '-p', String(core), String(process.pid)], { stdio: 'ignore' });
      return;
    } catch (thrown) {
      if (tries === 1) throw thrown;
    }
}

/** A program on one core. */
export function pinned(
  core: number | undefined,
  [command, ...args]: readonly [string, ...string[]],
  options: { env?: NodeJS.ProcessEnv } = {},
): Program {
  return core === undefined
    ? new Program(command, args, options)
    : new Program('taskset', ['-c', String(core), command, ...args], options);
}

/** The id of a running program. */
export function idOf({ process: { pid } }: Program): number {
  if (pid === undefined) throw new Error('it never ran');
  return pid;
}

/** Processor time of a process's main thread, ms, to the nanosecond (`schedstat` in proc(5)). */
export function mainThreadMs(pid: number): number {
  const [ns] = readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ', 1);
  return Number(ns) / 1e6;
}

/** Processor time that a process has used, with all its threads, ms. */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // The name is in parentheses and may contain anything; 14 and 15 are counted from the process id.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** Resident memory of a process, MiB. */
export function residentMiB(pid: number): number {
  const [, kib] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
  return Number(kib) / 1024;
}

/**
 * Bytes that a process, with all its threads, has written to disks. Throws if the kernel does not count them.
 */
export function writtenBytes(pid: number): number {
  const [, bytes] = /^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'latin1')) ?? [];
  if (bytes === undefined) throw new Error('written bytes are not counted here');
  return Number(bytes);
}

/** After this time without work, a gateway has released the memory of a burst; it checks every 5 s. */
export const RELEASED_MS = 10_000;

/** Waits until a process is idle: it used less than `most` ms of processor time in half a second. */
export async function idle(pid: number, most = 20): Promise<void> {
  for (let tries = 0; tries < 60; tries++) {
    const before = cpuMs(pid);
    await sleep(500);
    if (cpuMs(pid) - before <= most) return;
  }
  throw new Error(`process ${pid} does not become idle`);
}

/** Processor time that makes a round valid: on a shared machine, its duration may contain hardly any. */
const ROUND_MS = 250;
/** A round ends in any case after this multiple of its duration. */
const MAX_ROUNDS = 3;

/** Detects the end of a round: its duration has passed, and the process has used enough processor time. */
export function roundEnd(pid: number, seconds: number): () => boolean {
  const startMs = performance.now();
  const cpuBefore = cpuMs(pid);
  let lookMs = startMs + seconds * 1000;
  return () => {
    const nowMs = performance.now();
    if (nowMs < lookMs) return false;
    lookMs = nowMs + 20;
    return cpuMs(pid) - cpuBefore >= ROUND_MS || nowMs > startMs + seconds * 1000 * MAX_ROUNDS;
  };
}
