/**
 * Synchronous calls over a socket pair and nothing else: `node line.js` starts itself as a child. SetValue(1,
 * count) makes the child request a value this number of times; variable 2 is then the duration of one request
 * in microseconds.
 */
import { spawn } from 'node:child_process';
import { readSync, writeSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { bareApi, listen } from './json-rpc-server.js';

const CHANNEL = 3;

function ask(): string {
  const chunk = Buffer.alloc(65_536);
  return chunk.toString('utf8', 0, readSync(CHANNEL, chunk, 0, chunk.length, null));
}

/** Waits for a count, makes this number of requests, and reports their duration. */
function child(): never {
  for (;;) {
    const { count } = JSON.parse(ask()) as { count: number };
    const start = process.hrtime.bigint();
    for (let i = 0; i < count; i++) {
      writeSync(CHANNEL, `${JSON.stringify({ is: 'call', method: 'GetValue', params: [1] })}\n`);
      JSON.parse(ask());
    }
    const us = Number(process.hrtime.bigint() - start) / 1000 / count;
    writeSync(CHANNEL, `${JSON.stringify({ is: 'ended', us })}\n`);
  }
}

function parent(): void {
  const [count, us] = [1, 2];
  const started = spawn(process.execPath, [import.meta.filename, 'child'], {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
  const channel = started.stdio[CHANNEL] as Duplex;
  const values = new Map<number, unknown>([[us, 0]]);
  channel.on('data', (bytes: Buffer) => {
    const message = JSON.parse(bytes.toString()) as { is: string; us: number };
    if (message.is === 'call') channel.write(`${JSON.stringify({ is: 'result', value: 21.5 })}\n`);
    else values.set(us, message.us);
  });
  const report = () => {
    values.set(us, 0);
    channel.write(JSON.stringify({ count: values.get(count) }));
  };
  listen(bareApi(values, report));
}

if (process.argv[2] === 'child') child();
else parent();
