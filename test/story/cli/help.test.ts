import t from 'tap';
import { textOf } from '../../law/sources.js';
import { runCli } from '../../tools/gateway/run-cli.js';

t.test(
  'every command has help, and docs/reference/cli.md has a section, with all its options there or on its page',
  async (t) => {
    const page = textOf('docs/reference/cli.md');
    // Where a command has a page of its own, its section links to it.
    const pages = page + textOf('docs/reference/recordings.md') + textOf('docs/box/update.md');
    const headings = page.match(/^## .*$/gm)?.join(' ') ?? '';
    const overview = await runCli(['--help']);
    t.equal(overview.code, 0);
    const names = [...overview.stdout.matchAll(/^ {2}([a-z-]+) {2,}\w/gm)].map(([, name = '']) => name);
    t.ok(names.length >= 9);
    for (const name of names) {
      const { code, stdout, stderr } = await runCli([name, '--help']);
      t.strictSame([code, stderr], [0, ''], name);
      t.match(
        stdout,
        new RegExp(`^usage: stellwerk ${name}\\b[^]*--help[^]*Exit codes: 0 [^]*64 wrong usage`),
      );
      t.match(headings, new RegExp(`\\b${name}\\b`));
      const options = [...stdout.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, option = '']) => option);
      t.strictSame(
        options.filter((option) => !pages.includes(option)),
        [],
        name,
      );
    }
    t.strictSame(await runCli(['help', 'call']), await runCli(['call', '--help']));
    t.match(await runCli(['--version']), { code: 0, stdout: /^stellwerk \d+\.\d+\.\d+\n$/ });
  },
);

t.test('wrong usage ends with 64 and prints the usage', async (t) => {
  const wrong: [string[], RegExp][] = [
    [[], /^usage: stellwerk COMMAND/],
    [['wacth'], /no command wacth; did you mean watch\?\nusage: /],
    [['toString'], /no command toString/],
    [['watch', '--form', '1'], /no option form; did you mean from\?\nusage: stellwerk watch/],
    [['call', '--url', 'ftp://x', 'GetValue'], /--url must look like http:/],
    [['call', '--url', 'http://a@127.0.0.1:1', 'GetValue'], /give --password-file/],
    [
      ['call', '--url', 'http://a@127.0.0.1:1', '--password-file', '/none', 'GetValue'],
      /\/none cannot be read/,
    ],
    [['call', '--url', 'http://127.0.0.1:1', '--ca', '/none', 'GetValue'], /\/none cannot be used/],
    [['call', '--url', 'http://100%:b@127.0.0.1:1', 'GetValue'], /write % as %25/],
    [['serve', '--config', 'x'], /give --config FILE and --data DIR/],
    [['restore', 'x.db'], /give the data directory/],
  ];
  for (const [args, why] of wrong)
    t.match(await runCli(args), { code: 64, stdout: '', stderr: why }, args.join(' '));
});

t.test('call --help explains a function without a gateway, and lists those that match a name', async (t) => {
  const { code, stdout } = await runCli(['call', '--help', 'svc_createvariable']);
  t.equal(code, 0);
  t.match(
    stdout,
    /^SVC_CreateVariable\(integer VariableType\) → integer\n\n[A-Z].*\.\n {2}VariableType: 0 vtBoolean, 1/,
  );
  t.match((await runCli(['call', '--help', 'SimulateLine'])).stdout, /string Line, boolean Active/);
  const some = await runCli(['call', '--help', 'VariableProfile']);
  t.ok(some.stdout.split('\n').filter((line) => /^SVC_\w*VariableProfile\w*\(/.test(line)).length > 5);
  t.match(await runCli(['call', '--help', 'SVC_GetObjekt']), {
    code: 64,
    stderr: /did you mean SVC_GetObject\?/,
  });
});
