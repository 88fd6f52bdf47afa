import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { hashPassword } from '../../../src/base/credentials/password-hash.js';
import { OWNER } from '../../tools/gateway/api-fixture.js';
import { rpc } from '../../tools/client/json-rpc.js';
import { startGateway } from '../../tools/gateway/gateway-fixture.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { runCli } from '../../tools/gateway/run-cli.js';

/** Marks the position that the message names; removed from the file. */
const HERE = '«';

const HEAD = `board: simulated
remoteAccess: { username: ${OWNER.username}, password: ${OWNER.password} }
`;
const API = 'api: { port: 0 }\n';
const RELAY = '  - { instance: Lamp, ident: lamp, module: Relay, properties: { Line: RELAY1 } }\n';
const BROKER = `  - instance: Broker
    ident: broker
    module: MQTT Client
    properties: { Url: "mqtt://127.0.0.1:1" }
    children:
      - instance: Plug
        ident: plug
        module: MQTT Device
        properties:
          Topics:
            - { Ident: A, Type: boolean, StateTopic: a }
`;
const tree = (nodes: string) => `${HEAD}${API}tree:\n${nodes}`;
const event = (rest: string) => tree(`${RELAY}  - event: E\n    ident: e\n${rest}`);

interface Fault {
  readonly what: string;
  readonly file: string;
  /** The key and the text that follow file, line and column. */
  readonly text: string;
  /** An error prevents the start; a problem only affects its entry. */
  readonly isFatal?: true;
}

const faults: readonly Fault[] = [
  {
    what: 'an unknown line',
    file: tree('  - { instance: L, ident: l, module: Relay, properties: { Line: «RELAI1 } }\n'),
    text: 'tree[0].properties.Line: the board simulated has no line RELAI1; did you mean RELAY1?',
  },
  {
    what: 'an unknown line in a list',
    file: tree(
      '  - instance: G\n    ident: g\n    module: Level Group\n    properties:\n      Lines:\n        - SENSE1\n        - «SENSE99\n',
    ),
    text: 'tree[0].properties.Lines[1]: the board simulated has no line SENSE99',
  },
  {
    what: 'a line used twice',
    file: tree(`${RELAY}  - { instance: B, ident: b, module: GPIO Output, properties: { Line: «RELAY1 } }\n`),
    text: 'tree[1].properties.Line: line RELAY1 is already used by Lamp (line 5); choose another',
  },
  {
    what: 'an LED that the board does not have',
    file: tree('  - { instance: L, ident: l, module: LED, properties: { Led: «nowhere } }\n'),
    text: 'tree[0].properties.Led: the board simulated has no LED nowhere; it has ',
  },
  {
    what: 'Toggles with a missing target',
    file: tree(
      `${RELAY}  - { instance: B, ident: b, module: Button, properties: { Line: BUTTON1, Toggles: «lamb } }\n`,
    ),
    text: 'tree[1].properties.Toggles: there is no object at lamb; did you mean lamp?',
  },
  {
    what: 'Toggles with a read-only target',
    file: tree(
      '  - { instance: S, ident: s, module: GPIO Input, properties: { Line: SENSE1 } }\n' +
        '  - { instance: B, ident: b, module: Button, properties: { Line: BUTTON1, Toggles: «s } }\n',
    ),
    text: 'tree[1].properties.Toggles: s is read-only; name an output',
  },
  {
    what: 'an unknown profile of a variable',
    file: tree('  - { variable: V, ident: v, type: float, profile: «~Temprature }\n'),
    text: 'tree[0].profile: there is no profile ~Temprature; did you mean ~Temperature?',
  },
  {
    what: 'a profile of another type',
    file: tree('  - { variable: V, ident: v, type: boolean, profile: «~Temperature }\n'),
    text: 'tree[0].profile: the profile ~Temperature is for float variables, and this one is boolean; choose another, like ~Switch',
  },
  {
    what: 'an unknown profile of a topic',
    file: tree(BROKER.replace('StateTopic: a', 'StateTopic: a, Profile: «~Wat')),
    text: 'tree[0].children[0].properties.Topics[0].Profile: there is no profile ~Wat',
  },
  {
    what: 'a profile of another type of a Modbus address, below a gateway',
    file: tree(`  - instance: Port
    ident: port
    module: Client Socket
    properties: { Host: 127.0.0.1, Port: 1, Open: false }
    children:
      - instance: Unit
        ident: unit
        module: ModBus Gateway
        children:
          - { instance: A, ident: a, module: ModBus Address, properties: { DataType: 7, ReadFunctionCode: 3, Profile: «~Switch } }
`),
    text: 'tree[0].children[0].children[0].properties.Profile: the profile ~Switch is for boolean variables',
  },
  {
    what: 'a missing base of a configurator',
    file: `${tree(RELAY)}configurators: [{ title: T, ident: wf, base: «lamb, passwordRequired: false }]\n`,
    text: 'configurators[0].base: there is no object at lamb; did you mean lamp?',
  },
  {
    what: 'a configurator with the ident of an entry',
    file: `${tree(RELAY)}configurators: [{ title: T, ident: «lamp, base: /, passwordRequired: false }]\n`,
    text: 'configurators[0].ident: tree[0] has this ident; choose another',
  },
  {
    what: 'an event whose variable is missing',
    file: event('    trigger: { variable: «lamp/STAT, on: change }\n    script: print(1)\n'),
    text: 'tree[1].trigger.variable: there is no object at lamp/STAT; did you mean lamp/STATE?',
  },
  {
    what: 'an event whose variable is an instance',
    file: event('    trigger: { variable: «lamp, on: change }\n    script: print(1)\n'),
    text: 'tree[1].trigger.variable: lamp is not a variable; it has lamp/STATE',
  },
  {
    what: 'an unknown action',
    file: event('    cyclic: { everyS: 5 }\n    action: { name: «Togle, target: lamp/STATE }\n'),
    text: 'tree[1].action.name: there is no action Togle; did you mean Toggle?',
  },
  {
    what: 'an action with a missing target',
    file: event('    cyclic: { everyS: 5 }\n    action: { name: Toggle, target: «lamp/STATEE }\n'),
    text: 'tree[1].action.target: there is no object at lamp/STATEE; did you mean lamp/STATE?',
  },
  {
    what: 'an action that does not support its target',
    file: event(
      '    cyclic: { everyS: 5 }\n    action: { name: Set a variable, target: «lamp/STATE, value: true }\n',
    ),
    text: "tree[1].action.target: the action Set a variable can't be performed on lamp/STATE; only its device sets it: use the action Switch to a value",
  },
  {
    what: 'an action without its value',
    file: event('    cyclic: { everyS: 5 }\n    action: «{ name: Switch to a value, target: lamp/STATE }\n'),
    text: 'tree[1].action: the action Switch to a value requires a value; add value',
  },
  {
    what: 'a value of the wrong type, of an action',
    file: event(
      '    cyclic: { everyS: 5 }\n    action: { name: Switch to a value, target: lamp/STATE, value: «warm }\n',
    ),
    text: "tree[1].action.value: a variable of type boolean can't have this value; give true or false",
  },
  {
    what: 'a value of the wrong type, of a trigger',
    file: event('    trigger: { variable: lamp/STATE, on: value, value: «3 }\n    script: print(1)\n'),
    text: "tree[1].trigger.value: a variable of type boolean can't have this value; give true or false",
  },
  {
    what: 'a value of the wrong type, of a variable',
    file: tree('  - { variable: V, ident: v, type: float, value: «warm }\n'),
    text: "tree[0].value: a variable of type float can't have this value; give a number",
  },
  {
    what: 'a value of the wrong type, of a property',
    file: tree('  - { instance: L, ident: l, module: Relay, properties: { Line: RELAY1, MaxOnS: «soon } }\n'),
    text: 'tree[0].properties.MaxOnS: Expected number',
    isFatal: true,
  },
  {
    what: 'an unknown word in a list',
    file: tree(BROKER.replace('Type: boolean', 'Type: «bolean')),
    text: 'tree[0].children[0].properties.Topics[0].Type: expected boolean or integer or float or string; did you mean boolean?',
    isFatal: true,
  },
  {
    what: 'an unknown key, in a list',
    file: tree(BROKER.replace('StateTopic: a', '«StateTopik: a')),
    text: 'tree[0].children[0].properties.Topics[0].StateTopik: there is no such key; did you mean StateTopic?',
    isFatal: true,
  },
  {
    what: 'an unknown key without a similar one',
    file: `${HEAD}${API}«heating: { on: true }\n`,
    text: 'heating: there is no such key; known here: board, ',
    isFatal: true,
  },
  {
    what: 'inconsistent properties, in a list',
    file: tree(
      BROKER.replace('StateTopic: a', 'StateTopic: a, Type: float, Scale: «0').replace('Type: boolean, ', ''),
    ),
    text: 'tree[0].children[0].properties.Topics[0].Scale: the instance stays closed: ',
  },
  {
    what: 'inconsistent properties',
    file: tree(RELAY.replace('RELAY1', 'RELAY1, MinOnS: «2, MaxOnS: 1')),
    text: 'tree[0].properties.MinOnS: the instance stays closed: MinOnS is longer than MaxOnS: make it shorter',
  },
  {
    what: 'a missing target of a link',
    file: tree(`${RELAY}  - { link: L, ident: l, target: «lamb }\n`),
    text: 'tree[1].target: there is no object at lamb; did you mean lamp?',
  },
  {
    what: 'an instance below one that it cannot use',
    file: tree(
      '  - instance: Port\n    ident: port\n    module: Virtual I/O\n    children:\n      - «{ instance: P, ident: p, module: MQTT Device }\n',
    ),
    text: "tree[0].children[0]: MQTT Device can't be connected to Virtual I/O; choose one of these: MQTT Client",
  },
  {
    what: 'a missing certificate',
    file: `${HEAD}${API}webServers:\n  - { name: w, host: 127.0.0.1, port: 0, serve: front, tls: { certificate: «none.pem, key: key.pem } }\n`,
    text: "webServers[0].tls.certificate: it can't be read: ENOENT",
  },
  {
    what: 'an invalid certificate',
    file: `${HEAD}${API}webServers:\n  - { name: w, host: 127.0.0.1, port: 0, serve: front, tls: { certificate: «cert.pem, key: cert.pem } }\n`,
    text: "webServers[0].tls.certificate: it can't be used: ",
  },
  {
    what: 'a missing directory',
    file: `${HEAD}${API}webServers:\n  - { name: w, host: 127.0.0.1, port: 0, serve: { directory: «none } }\n`,
    text: "webServers[0].serve.directory: it can't be served: ENOENT",
  },
  {
    what: 'two web servers on one port',
    file: `${HEAD}${API}webServers:
  - { name: a, host: 127.0.0.1, port: 9, serve: front }
  - { name: b, host: 0.0.0.0, port: «9, serve: front, insecure: true }
`,
    text: 'webServers[1].port: port 9 is already used by the web server a (line 5); choose another',
  },
  {
    what: 'a Server Socket on the port of a web server',
    file: `${HEAD}${API}webServers:
  - { name: a, host: 127.0.0.1, port: 9, serve: front }
tree:
  - { instance: S, ident: s, module: Server Socket, properties: { Port: «9 } }
`,
    text: 'tree[0].properties.Port: port 9 is already used by the web server a (line 5); choose another',
  },
  {
    what: 'an unusable password hash',
    file: `${HEAD}${API}configurators: [{ title: T, ident: wf, base: /, passwordHash: «scrypt$16384$8$1$abc }]\n`,
    text: 'configurators[0].passwordHash: this hash is damaged and no password matches it; create another with stellwerk hash-password',
  },
  {
    what: 'an alias of an unknown prefix',
    file: `${HEAD}api: { port: 0, aliases: { IPS: «SVCC } }\n`,
    text: 'api.aliases.IPS: no function begins with SVCC_; did you mean SVC?',
  },
  {
    what: 'an origin that matches none',
    file: `${HEAD}api: { port: 0, allowedOrigins: [«panel.example] }\n`,
    text: 'api.allowedOrigins[0]: this is not an origin and matches nothing; write it like https://panel.example, without a path',
  },
  {
    what: 'a syntax error in a script',
    file: event('    cyclic: { everyS: 5 }\n    script: |\n      const a = 1;\n\n      const b = «;\n'),
    text: "tree[1].script: the script can't be compiled: Unexpected token ';'",
  },
  {
    what: 'a syntax error in a script of the tree',
    file: tree('  - script: S\n    ident: s\n    text: |-\n      print(1);\n      print(«;\n'),
    text: "tree[0].text: the script can't be compiled: Unexpected token ';'",
  },
  {
    what: 'a syntax error in the action of a schedule',
    file: event(
      '    schedule:\n      actions:\n        - { name: On, script: print(1) }\n        - name: Off\n          script: |\n            const «;\n      groups: []\n',
    ),
    text: "tree[1].schedule.actions[1].script: the script can't be compiled: Unexpected token ';'",
  },
  {
    what: 'a missing variable of a condition',
    file: event(
      '    cyclic: { everyS: 5 }\n    script: print(1)\n    conditions: [{ all: [{ variable: «lamp/STAT, value: true }] }]\n',
    ),
    text: 'tree[1].conditions[0].all[0].variable: there is no object at lamp/STAT; did you mean lamp/STATE?',
  },
  {
    what: 'a value of the wrong type, of a condition',
    file: event(
      '    cyclic: { everyS: 5 }\n    script: print(1)\n    conditions: [{ variable: lamp/STATE, value: «soon }]\n',
    ),
    text: "tree[1].conditions[0].value: a variable of type boolean can't have this value; give true or false",
  },
  {
    what: 'a missing action of a variable',
    file: tree('  - { variable: V, ident: v, type: float, action: «none }\n'),
    text: 'tree[0].action: there is no object at none',
  },
  {
    what: 'a profile of another type, of a variable of an instance',
    file: tree(RELAY.replace('} }', '}, variables: { STATE: { profile: «~Temperature } } }')),
    text: 'tree[0].variables.STATE.profile: the profile ~Temperature is for float variables, and this one is boolean',
  },
  {
    what: 'a missing connection',
    file: tree('  - { instance: P, ident: p, module: MQTT Device, connection: «nowhere }\n'),
    text: 'tree[0].connection: there is no object at nowhere',
  },
  {
    what: 'a connection to an instance that cannot be its parent',
    file: tree(`${RELAY}  - { instance: P, ident: p, module: MQTT Device, connection: «lamp }\n`),
    text: "tree[1].connection: MQTT Device can't be connected to Relay; choose one of these: MQTT Client",
  },
  {
    what: 'an invalid time of day',
    file: event('    cyclic: { at: «"25:00" }\n    script: print(1)\n'),
    text: 'tree[1].cyclic.at: 25:00 is not a time of day; write it like 06:00',
    isFatal: true,
  },
  {
    what: 'a missing file of an instance',
    file: tree(
      '  - { instance: B, ident: b, module: MQTT Client, properties: { Url: "mqtts://127.0.0.1:1", CaFile: «/none/ca.pem } }\n',
    ),
    text: "tree[0].properties.CaFile: it can't be read: ENOENT",
  },
];

/** The file without the mark, and the beginning of the expected message. */
function placed(file: string, { file: marked, text: message }: Fault): { text: string; line: string } {
  const before = marked.slice(0, marked.indexOf(HERE));
  const line = before.split('\n').length;
  const column = before.length - before.lastIndexOf('\n');
  return { text: marked.replace(HERE, ''), line: `${file}:${line}:${column}: ${message}` };
}

interface Health {
  readonly Checks: readonly { readonly Name: string; readonly Text: string }[];
}

for (const fault of faults)
  t.test(`check and a start report ${fault.what}, with line and column`, async (t) => {
    const directory = await tempDirectory(t);
    await writeFile(join(directory, 'cert.pem'), 'no certificate\n');
    const file = join(directory, 'gateway.yaml');
    const { text, line } = placed(file, fault);
    const started = startGateway(t, text, { directory });
    if (fault.isFatal === true) {
      await t.rejects(started, { message: new RegExp(`^${RegExp.escape(line)}`, 'm') });
      return;
    }
    const gateway = await started;
    const { Checks } = (await rpc(gateway, 'GW_GetHealth')) as Health;
    const shown = Checks.find(({ Name }) => Name === 'configuration')?.Text ?? '';
    t.ok(shown.startsWith(line), `${shown}\n${line}`);
    const { Problems } = (await rpc(gateway, 'GW_ReloadConfiguration')) as { Problems: string[] };
    t.ok(Problems[0]?.startsWith(line), 'a reload reports the same');
    t.ok(Problems.length === 1 || /port|tls|serve/.test(fault.text), Problems.join('\n'));
  });

t.test('check prints all findings, and never that a file with findings is valid', async (t) => {
  const directory = await tempDirectory(t);
  const file = join(directory, 'gateway.yaml');
  const check = async (text: string) => {
    await writeFile(file, text);
    return runCli(['check', file]);
  };
  const two = tree('  - { link: A, ident: a, target: x }\n  - { link: B, ident: b, target: y }\n');
  const found = await check(two);
  t.strictSame([found.code, found.stdout], [78, `${file}: 2 errors\n`]);
  t.match(found.stderr, /:5:34: tree\[0\]\.target: .*\n.*:6:34: tree\[1\]\.target: /);
  const warned = await check(`board: simulated\n${API}log: { level: { devise: debug } }\n`);
  t.strictSame([warned.code, warned.stdout], [0, `${file}: 2 warnings\n`]);
  t.match(warned.stderr, `${file}:1:1: warning: remoteAccess: without it, all calls are rejected`);
  t.match(
    warned.stderr,
    `${file}:3:25: warning: log.level.devise: the log has no subject devise; did you mean device?`,
  );
  const hash = await hashPassword('x');
  const sound = `board: simulated\nremoteAccess: { username: a, passwordHash: "${hash}" }\n${API}`;
  t.strictSame(await check(sound), { code: 0, stdout: `${file}: fine\n`, stderr: '' });
});

t.test('references to objects that calls created are no problem of the running gateway', async (t) => {
  const file = tree(
    '  - { link: L, ident: l, target: made }\n  - { variable: V, ident: v, type: float, profile: Own }\n',
  );
  const gateway = await startGateway(t, file);
  const problems = async () =>
    ((await rpc(gateway, 'GW_ReloadConfiguration')) as { Problems: string[] }).Problems.length;
  t.equal(await problems(), 2);
  await rpc(gateway, 'SVC_CreateVariableProfile', 'Own', 2);
  const id = await rpc(gateway, 'SVC_CreateCategory');
  await rpc(gateway, 'SVC_SetIdent', id, 'made');
  t.equal(await problems(), 0);
});
