import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ROOT, textOf } from '../../law/sources.js';
import { rpc } from '../../tools/client/json-rpc.js';
import { startGateway } from '../../tools/gateway/gateway-fixture.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { runCli } from '../../tools/gateway/run-cli.js';

const PAGE = textOf('docs/use/scripts.md');
const SAMPLE = textOf('docs/start/sample/gateway.yaml').replace('port: 3777', 'port: 0');
/** An example: its language, its file, its text, and the output that follows it. */
const EXAMPLES = [
  ...PAGE.matchAll(/```(js|ts)\n(\/\/ ([\w.]+)\n[^]*?)```\n(?:\n```text\n([^]*?)\n```)?/g),
].map(([, , text = '', file = '', output = '']) => ({ text, file, output }));

t.test('every script of the page prints what the page shows', async (t) => {
  t.ok(EXAMPLES.length >= 6);
  const gateway = await startGateway(t, SAMPLE);
  const scripts = join(gateway.directory, 'data', 'scripts');
  mkdirSync(scripts, { recursive: true });
  for (const { file, text } of EXAMPLES) writeFileSync(join(scripts, file), text);
  for (const { file, output } of EXAMPLES) {
    const id = await rpc(gateway, 'SVC_CreateScript', 0);
    t.equal(await rpc(gateway, 'SVC_SetScriptFile', id, file), true);
    t.equal(await rpc(gateway, 'SVC_RunScriptWait', id), output, file);
  }
});

/** The compiler's errors for some scripts, with the declarations and the configuration of the page. */
async function compiled(files: Readonly<Record<string, string>>, declarations: string): Promise<string> {
  const directory = await tempDirectory(t);
  const [, config = ''] = /```json\n([^]*?)```/.exec(PAGE) ?? [];
  const all = { ...files, 'functions.d.ts': declarations, 'tsconfig.json': config };
  for (const [name, text] of Object.entries(all)) writeFileSync(join(directory, name), text);
  try {
    return execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', directory, '--pretty', 'false'], {
      encoding: 'utf8',
    });
  } catch (thrown) {
    return String((thrown as { stdout: string }).stdout);
  }
}

t.test('with the output of stellwerk types an editor knows all names, and finds errors', async (t) => {
  const { code, stdout, stderr } = await runCli(['types']);
  t.strictSame([code, stderr], [0, '']);
  const right = Object.fromEntries(EXAMPLES.map(({ file, text }) => [file, text]));
  t.equal(await compiled(right, stdout), '', 'all examples of the page');
  const wrong = `SetValue('hall', 1);
GetVlaue(1);
const name: number = SVC_GetName(1);
SVC_CreateVariable(7);
SVC_GetVariable(1).VariableVlaue;
print(process.env);
VARIABLE.toFixed();
`;
  const said = await compiled({ 'wrong.ts': wrong }, stdout);
  t.strictSame(
    [...said.matchAll(/wrong\.ts\((\d+),/g)].map(([, line]) => Number(line)),
    [1, 2, 3, 4, 5, 6, 7],
    said,
  );
});

t.test('the declarations match the globals of a script', async (t) => {
  const gateway = await startGateway(t, SAMPLE);
  const { stdout } = await runCli(['types']);
  const declared = [...stdout.matchAll(/^declare (?:const|function) (\w+)/gm)].map(([, name = '']) => name);
  const own = `const all = Object.getOwnPropertyNames(globalThis);
    const plain = new Set(['globalThis', 'undefined', 'NaN', 'Infinity', 'eval', 'parseInt', 'parseFloat', 'isNaN', 'isFinite',
      'escape', 'unescape', 'decodeURI', 'decodeURIComponent', 'encodeURI', 'encodeURIComponent']);
    print(all.filter((name) => !plain.has(name) && !/^[A-Z]\\w*$/.test(name) || /^(SELF|SENDER|[A-Z]+_|[A-Z]+VALUE$)/.test(name)))`;
  const found = JSON.parse((await rpc(gateway, 'SVC_RunScriptTextWait', own)) as string) as string[];
  t.strictSame(
    found.filter((name) => /^\w+$/.test(name) && !declared.includes(name)),
    [],
  );
  const text = `print(${JSON.stringify(declared)}.filter((name) => !(name in globalThis)))`;
  t.equal(await rpc(gateway, 'SVC_RunScriptTextWait', text), '[]');
});
