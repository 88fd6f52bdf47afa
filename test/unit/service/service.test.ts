import t from 'tap';
import { healthy } from '../../../src/base/health-check.js';
import { ManualClock } from '../../../src/base/clock.js';
import type { Log } from '../../../src/base/log.js';
import { silentLog } from '../../../src/base/log.js';
import { Kernel } from '../../../src/kernel/kernel.js';
import { releaseWhenIdle } from '../../../src/service/memory.js';
import { Health } from '../../../src/service/health.js';
import { ServiceLog, type LogAlert } from '../../../src/service/log.js';
import { StatusVariables } from '../../../src/service/status-variables.js';

t.test('the log has a level per subject, priorities for the journal, and readable texts', async (t) => {
  const lines: string[] = [];
  const loud: LogAlert[] = [];
  const journal = new ServiceLog(
    { write: (text) => void lines.push(text), form: 'journal' },
    { default: 'warn', gpio: 'debug' },
  );
  journal.onAlert((line) => void loud.push(line));
  journal.root.info({}, 'unheard');
  journal.root.error({ instance: 5 }, 'heard');
  journal.root.subject('gpio').debug({}, 'logged too');
  t.match(lines, [
    /^<3>\{"level":50,.*"subject":"gateway","instance":5,"msg":"heard"\}\n$/,
    /^<7>\{"level":20,.*"subject":"gpio"/,
  ]);
  t.same(loud, [{ level: 'error', subject: 'gateway', text: 'heard' }]);
  journal.setLevels({ default: 'info', gpio: 'silent' });
  journal.root.info({}, 'logged now');
  journal.root.subject('gpio').error({}, 'not logged now');
  t.equal(lines.length, 3);

  const shown: string[] = [];
  const terminal = new ServiceLog({ write: (text) => void shown.push(text), form: 'terminal' });
  terminal.root.info({ port: 3777, host: '127.0.0.1' }, 'listening');
  t.match(shown, [/^\d\d:\d\d:\d\d info {2}gateway: listening \(port 3777, host 127\.0\.0\.1\)\n$/]);

  const quoted = 'no reply from "http://host/?token=SECRET"';
  terminal.root.warn({ quoted }, quoted);
  const plain = new ServiceLog({ write: (text) => void shown.push(text), form: 'json' });
  plain.root.warn({ quoted }, quoted);
  t.match(shown[1], /no reply from "http:\/\/host\/\?token=\*\*\*" \(quoted no reply/);
  t.match(JSON.parse(shown[2] ?? ''), { quoted: 'no reply from "http://host/?token=***"' });
  t.ok(shown[2]?.endsWith('}\n'));
  t.notMatch(shown.join(), /SECRET/);
  t.match(terminal.records.find({ sinceMs: 0, level: 'warn', subject: '', limit: 10 }), [
    { Level: 'warn', Text: /\?token=\*\*\*" \(quoted no reply/ },
  ]);
});

t.test('the newest lines of the log can be found as they were written', (t) => {
  const log = new ServiceLog({ write: () => undefined, form: 'json' }, { gpio: 'silent' });
  const find = (query: object) =>
    log.records.find({ sinceMs: 0, level: 'debug', subject: '', limit: 500, ...query });
  log.root.info({ port: 3777 }, 'listening');
  log.root.subject('gpio').error({}, 'not written');
  log.root.subject('device').error({ instance: 5, err: new Error('gone') }, 'lost');
  const [listening, lost] = find({});
  t.match(listening, { Level: 'info', Subject: 'gateway', Text: 'listening (port 3777)', InstanceID: 0 });
  t.match(lost, { Level: 'error', Subject: 'device', Text: 'lost (instance 5): gone', InstanceID: 5 });
  t.strictSame(find({ level: 'warn' }), [lost]);
  t.strictSame(find({ subject: 'gateway' }), [listening]);
  t.strictSame(find({ limit: 1 }), [lost]);
  t.strictSame(find({ sinceMs: (lost?.TimeMs ?? 0) + 1 }), []);
  for (let n = 0; n < 600; n++) log.root.subject(`part ${n % 2}`).info({}, `${n} ${'x'.repeat(2000)}`);
  const all = find({});
  t.equal(all.length, 500);
  t.ok(all.at(-1)?.Text.startsWith('599 ') && all.every(({ Text }) => Text.length <= 1000));
  t.end();
});

t.test('health is the most severe of its checks, each with since when and what to do', async (t) => {
  const clock = new ManualClock(1_000_000);
  const said: string[] = [];
  const note = (level: string) => (_details: object, text: string) => void said.push(`${level} ${text}`);
  const log: Log = { ...silentLog, info: note('info'), warn: note('warn'), error: note('error') };
  const health = new Health(clock, log);
  health.set('store', healthy());
  let clockFinding = healthy('set');
  health.addCheck('clock', () => clockFinding);
  t.equal(health.record().State, 'ok');
  clock.advance(5000);
  health.set('store', { state: 'failed', text: 'the disk is full', whatToDo: 'make room' });
  clock.advance(5000);
  health.set('store', { state: 'failed', text: 'the disk is very full', whatToDo: 'make room' });
  clockFinding = { state: 'warning', text: 'not set', whatToDo: '' };
  t.match(health.record(), {
    State: 'failed',
    Checks: [
      { Name: 'store', State: 'failed', Since: 1005, Text: 'the disk is very full', WhatToDo: 'make room' },
      {
        Name: 'limits',
        State: 'ok',
        Since: 1000,
        Text: 'no limit took effect within the last hour',
        WhatToDo: '',
      },
      { Name: 'clock', State: 'warning', Since: 1010, Text: 'not set', WhatToDo: '' },
    ],
  });
  health.set('store', healthy('written again'));
  t.same(said, ['error the disk is full; make room', 'warn not set', 'info written again']);

  const kernel = new Kernel({ counter: 0, random: Math.random });
  const status = new StatusVariables(kernel, clock);
  status.declare();
  const size = kernel.tree.size;
  status.declare();
  t.equal(kernel.tree.size, size, 'declared once');
  status.show(health.record(), { bytesToday: 7_300_000 });
  const counter = kernel.changes.counter;
  status.show(health.record(), { bytesToday: 7_300_000 });
  t.equal(kernel.changes.counter, counter, 'an unchanged one is not written again');
  const place = kernel.tree.root.children?.byIdent('stellwerk');
  const value = (ident: string) => {
    const variable = place?.children?.byIdent(ident);
    return variable?.is(2) ? variable.data.value : undefined;
  };
  t.equal(value('HEALTH'), 'clock warning: not set');
  t.equal(value('PROBLEMS'), 1);
  t.equal(value('BYTES_WRITTEN'), 7_000_000, 'in integer MB');
});

t.test('the memory that the start needed is released once, when the loop is idle', async (t) => {
  const clock = new ManualClock();
  const state = { busy: 0.9, released: 0 };
  const cancel = releaseWhenIdle(clock, {
    resident: () => 88 * 2 ** 20,
    busy: () => state.busy,
    release: async () => void state.released++,
  });
  clock.advance(50_000);
  t.equal(state.released, 0);
  state.busy = 0;
  clock.advance(5_000);
  t.equal(state.released, 1);
  await new Promise(setImmediate);
  clock.advance(600_000);
  t.equal(state.released, 1);
  cancel();
  state.busy = 0.9;
  const cancelBusy = releaseWhenIdle(clock, {
    resident: () => 88 * 2 ** 20,
    busy: () => state.busy,
    release: async () => void state.released++,
  });
  clock.advance(60_000);
  t.equal(state.released, 2, 'after a minute at the latest');
  cancelBusy();
});

t.test('memory is released when the loop is idle after a burst, within a limit of its cost', async (t) => {
  const clock = new ManualClock();
  const MIB = 2 ** 20;
  const state = { resident: 100 * MIB, busy: 0, released: 0, takesMs: 0, tookMs: 0, leaves: 110 * MIB };
  const timed = {
    every: (ms: number, callback: () => void) => clock.every(ms, callback),
    monotonicNs: () => clock.monotonicNs() + BigInt(state.tookMs) * 1_000_000n,
  };
  const cancel = releaseWhenIdle(timed, {
    resident: () => state.resident,
    busy: () => state.busy,
    release: async () => {
      state.released++;
      state.tookMs += state.takesMs;
      state.resident = state.leaves;
    },
  });
  const pass = async (s: number) => {
    for (let n = 0; n < s; n++) {
      clock.advance(1000);
      await new Promise(setImmediate);
    }
    return state.released;
  };
  t.equal(await pass(60), 1, 'after the start');
  state.resident = 120 * MIB;
  t.equal(await pass(60), 1, 'a little more');
  state.resident = 400 * MIB;
  state.busy = 0.9;
  t.equal(await pass(60), 1, 'not while there is work');
  state.busy = 0.01;
  t.equal(await pass(6), 2);
  t.equal(await pass(600), 2, 'the remaining memory is in use');
  state.resident = 300 * MIB;
  state.takesMs = 200;
  t.equal(await pass(6), 3);
  state.resident = 300 * MIB;
  t.equal(await pass(190), 3, 'it took 0.2 s: not again within 200 s');
  t.equal(await pass(20), 4);
  cancel();
  state.resident = 900 * MIB;
  t.equal(await pass(600), 4);
});
