import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { filesOf, textOf } from '../../law/sources.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { runCli } from '../../tools/gateway/run-cli.js';

const SOUND = 'remoteAccess: { username: owner@example.org, password: swordfish }\n';
const CONFIGURATION_PAGE = 'docs/use/configuration.md';
const TREE = `tree:
  - { instance: A, ident: a, module: Relay, properties: { Lin: RELAY1 } }
  - category: C
    ident: c
    ikon: Bulb
    children: []
  - category: D
    ident: d
    children:
      - { link: L, ident: a b, target: a }
      - { instance: B, ident: b, module: Relay, properties: { Line: RELAI1 } }
      - { link: M, ident: m, target: a/STATE }
      - { variable: V, ident: v, type: float, profile: Own, value: soon }
`;

/** The findings of `check` for a file, without the file's name. */
async function found(t: Test, text: string): Promise<string[]> {
  const file = join(await tempDirectory(t), 'gateway.yaml');
  await writeFile(file, text);
  const { stderr } = await runCli(['check', file]);
  return stderr
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replace(`${file}:`, ''));
}

t.test('check knows the subjects of the log, and so does the page', async (t) => {
  const used = filesOf('src').flatMap((file) =>
    file.endsWith('.ts')
      ? Array.from(textOf(file).matchAll(/\.subject\('(\w+)'\)/g), ([, name = '']) => name)
      : [],
  );
  const subjects = [...new Set(used)].sort();
  t.ok(subjects.length > 10);
  const levels = subjects.map((name) => `${name}: debug`).join(', ');
  t.strictSame(await found(t, `board: simulated\n${SOUND}log: { level: { ${levels} } }\n`), []);
  const [, row = ''] =
    /^\| `log\.level` .* per subject, as in the example: ([^.]*)\./m.exec(textOf(CONFIGURATION_PAGE)) ?? [];
  t.strictSame(Array.from(row.matchAll(/`(\w+)`/g), ([, name]) => name).sort(), subjects);
});

t.test('check prints schema errors and problems of valid entries together', async (t) => {
  const lines = await found(t, `board: simulated\n${SOUND}${TREE}log: { levl: info }\n`);
  t.strictSame(lines, [
    '4:59: tree[0].properties.Lin: Relay has no such property; did you mean Line?',
    '7:5: tree[1].ikon: there is no such key; did you mean icon?',
    '12:27: tree[2].children[0].ident: expected letters, digits and _ only',
    '13:69: tree[2].children[1].properties.Line: the board simulated has no line RELAI1; did you mean RELAY1?',
    "15:68: tree[2].children[3].value: a variable of type float can't have this value; give a number",
    '16:8: log.levl: there is no such key; did you mean level?',
  ]);
});

t.test('with an unknown board, check does not check lines and passwords', async (t) => {
  const misspelt = await found(t, `bord: simulated\n${SOUND}${TREE}`);
  t.match(misspelt[0], '1:1: bord: there is no such key; did you mean board?');
  t.notMatch(misspelt.join('\n'), /RELAI1|everybody/);
  const unknown = await found(t, `board: simulatd\n${SOUND}${TREE}`);
  t.match(
    unknown[0],
    '1:8: board: Configuration is not valid: there is no board simulatd; did you mean simulated?',
  );
  t.notMatch(unknown.join('\n'), /RELAI1|everybody/);
});

t.test('check prints only findings on stderr, even of a file with a script', async (t) => {
  const script = 'tree:\n  - { script: S, ident: s, text: "foo(" }\n';
  const lines = await found(t, `board: simulated\n${SOUND}${script}`);
  t.equal(lines.length, 1, lines.join('\n'));
  t.match(lines[0], "tree[0].text: the script can't be compiled: ");
});

t.test('only regular files of a limited size are read, and links to them', async (t) => {
  const directory = await tempDirectory(t);
  const [large, secret, link] = ['large', 'secret', 'link'].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ];
  await writeFile(large, 'x'.repeat(1024 * 1024 + 1));
  await writeFile(secret, 'swordfish');
  await symlink(secret, link);
  const text = (password: string) => `board: simulated
remoteAccess: { username: owner@example.org, passwordFile: ${password} }
metrics: { passwordFile: ${large} }
webServers:
  - { name: a, host: 127.0.0.1, port: 80, serve: front, tls: { certificate: /dev/null, key: ${large} } }
backup:
  targets:
    - { name: nas, webdav: { url: "https://nas.example", username: me, passwordFile: /dev/null } }
tree:
  - instance: Broker
    ident: broker
    module: MQTT Client
    properties: { Url: "mqtts://127.0.0.1:1", CaFile: /dev/null }
`;
  const lines = await found(t, text('/dev/null'));
  for (const [key, reason] of [
    ['remoteAccess.passwordFile', 'it is not a regular file'],
    ['metrics.passwordFile', 'it is larger than 1048576 bytes'],
    ['webServers[0].tls.certificate', 'it is not a regular file'],
    ['webServers[0].tls.key', 'it is larger than 1048576 bytes'],
    ['backup.targets[0].webdav.passwordFile', 'it is not a regular file'],
    ['tree[0].properties.CaFile', 'it is not a regular file'],
  ] as const)
    t.ok(
      lines.some((line) => line.includes(` ${key}: `) && line.includes(reason)),
      key,
    );
  t.notMatch((await found(t, text(link))).join('\n'), /remoteAccess/);
});
