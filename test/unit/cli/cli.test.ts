import t from 'tap';
import { command, UsageError } from '../../../src/cli/command.js';
import { paramsOf, type ParameterFacts } from '../../../src/cli/arguments/parameters.js';
import { generatePassword } from '../../../src/cli/arguments/new-password.js';
import { changeText } from '../../../src/cli/output/message-text.js';
import { escapeControls, jsonText } from '../../../src/cli/output/terminal.js';
import { TreeReplica, type Snapshot } from '../../../src/cli/output/tree-replica.js';
import { hasAccess, writeSetup } from '../../../src/config/first-access.js';
import { parameterKinds, type ParameterKind } from '../../../src/device/declare.js';
import { Kernel } from '../../../src/kernel/kernel.js';
import { message } from '../../../src/kernel/messages.js';
import { objectType } from '../../../src/kernel/object.js';
import { profileEntryOf } from '../../../src/kernel/profiles/profiles.js';
import { SnapshotReader } from '../../../src/kernel/snapshot.js';

const parameter = (Description: string, kind: ParameterKind, Enumeration: string[] = []): ParameterFacts => ({
  Description,
  Type_: parameterKinds.indexOf(kind),
  Enumeration,
});
const NOW_MS = new Date(2026, 10, 22, 15, 30, 10).getTime();

t.test('a word of the command line is converted to the type of the parameter', async (t) => {
  const [boolean, integer, float, string, variant, array] = parameterKinds.map((kind) =>
    parameter(`${kind}ID`, kind),
  );
  const type = parameter('Type', 'integer', ['vtBoolean', 'vtInteger']);
  const cases: [ParameterFacts | undefined, string, unknown][] = [
    [boolean, 'true', true],
    [boolean, 'yes', 'yes'],
    [integer, '12', 12],
    [integer, 'ground_floor/hall_relay', 'ground_floor/hall_relay'],
    [integer, 'setpoint', '/setpoint'],
    [integer, 'Ground floor', '/Ground floor'],
    [integer, '../x', '../x'],
    [integer, 'now', NOW_MS / 1000],
    [integer, '-2h', NOW_MS / 1000 - 7200],
    [integer, 'yesterday', new Date(2026, 10, 21).getTime() / 1000],
    [integer, '2026-11-01', new Date(2026, 10, 1).getTime() / 1000],
    [integer, '2026-11-01T12:00:00Z', Date.UTC(2026, 10, 1, 12) / 1000],
    [integer, '-1w', new Date(2026, 10, 15, 15, 30, 10).getTime() / 1000],
    [integer, '/yesterday', '/yesterday'],
    [type, 'vtInteger', 1],
    [type, 'VTINTEGER', 1],
    [float, '-5.5', -5.5],
    [string, 'BUTTON1', 'BUTTON1'],
    [string, '"BUTTON1"', 'BUTTON1'],
    [string, 'true', 'true'],
    [string, '007', '007'],
    [string, '{"a":1}', '{"a":1}'],
    [string, '', ''],
    [variant, '21.5', 21.5],
    [variant, 'null', null],
    [variant, 'setpoint', 'setpoint'],
    [array, '[1,"a"]', [1, 'a']],
    [undefined, '1', 1],
    [undefined, 'a', 'a'],
  ];
  for (const [facts, word, value] of cases)
    t.strictSame(paramsOf([word], facts ? [facts] : [], NOW_MS), [value], `${facts?.Description} ${word}`);
  t.throws(() => paramsOf(['vtIntger'], [type], NOW_MS), {
    name: 'UsageError',
    message: 'Type takes vtBoolean, vtInteger, not vtIntger; did you mean vtInteger?',
  });
});

t.test('parameters are either all named or all positional', async (t) => {
  const parameters = [parameter('ID', 'integer'), parameter('Name', 'string')];
  t.strictSame(paramsOf(['Name=a=b', 'ID=setpoint'], parameters, NOW_MS), { Name: 'a=b', ID: '/setpoint' });
  t.strictSame(paramsOf(['5', 'Name=x'], parameters, NOW_MS), [5, 'Name=x']);
  t.strictSame(paramsOf([], parameters, NOW_MS), []);
  t.throws(() => paramsOf(['Nam=x', 'ID=5'], parameters, NOW_MS), {
    name: 'UsageError',
    message: 'there is no parameter Nam; did you mean Name?',
  });
});

t.test('a word that is neither a number nor a time is not looked up as an object', async (t) => {
  const messageFor = (name: string, word: string) => {
    try {
      return paramsOf([word], [parameter(name, 'integer')], NOW_MS);
    } catch (thrown) {
      return (thrown as Error).message;
    }
  };
  for (const word of ['yesterdayy', '2026-13-01', '-2x', 'a/b'])
    t.match(messageFor('EndTime', word), new RegExp(`^EndTime takes a time: 2026-03-29, .*, not ${word}$`));
  t.equal(messageFor('Position', 'abc'), 'Position takes an integer, not abc');
  t.strictSame(messageFor('Position', 'now'), [NOW_MS / 1000]);
  t.strictSame(messageFor('VariableID', 'yesterdayy'), ['/yesterdayy']);
});

t.test(
  'options may be anywhere, negative numbers are no options, and misspelt ones are reported',
  async (t) => {
    const messages: unknown[] = [];
    const probe = command({
      usage: 'probe FILE',
      about: 'Probes.',
      options: {
        url: { type: 'string', value: 'URL', help: 'where' },
        json: { type: 'boolean', help: 'JSON' },
      },
      words: [1, 3],
      exits: '0 done',
      run: async (...given) => {
        messages.push(given);
        return 0;
      },
    });
    t.equal(await probe.run(['a', '-5.5', '--url', 'x', '-.5']), 0);
    t.equal(await probe.run(['--json', '--', '--b']), 0);
    t.same(messages, [
      [{ url: 'x' }, ['a', '-5.5', '-.5']],
      [{ json: true }, ['--b']],
    ]);
    const rejected: [string[], RegExp][] = [
      [[], /missing/],
      [['a', 'b', 'c', 'd'], /unexpected argument d/],
      [['a', '--urll', 'x'], /no option urll; did you mean url\?/],
      [['a', '-x'], /no option x/],
      [['a', '--url'], /argument/],
      [['a', '--json=1'], /argument/],
    ];
    for (const [args, why] of rejected)
      await t.rejects(probe.run(args), { name: UsageError.name, message: why });
    t.match(probe.help, /^usage: stellwerk probe FILE\n\nProbes\.\n\n {2}--url URL +where\n/);
  },
);

function houseOf(kernel: Kernel): TreeReplica {
  const reader = new SnapshotReader(kernel.tree);
  let text = '';
  for (let slice = reader.read(); slice !== undefined; slice = reader.read()) text += slice;
  const profiles = Object.fromEntries(
    [...kernel.profiles.all()].map((profile) => [profile.name, profileEntryOf(profile)]),
  );
  return new TreeReplica({
    timestamp: reader.timestamp,
    objects: JSON.parse(`{${text}}`) as Snapshot['objects'],
    profiles: profiles as unknown as Snapshot['profiles'],
  });
}

/** Follows a kernel from its snapshot on, and returns the lines that a watcher prints. */
function watching(kernel: Kernel): { tree: TreeReplica; lines: string[] } {
  const tree = houseOf(kernel);
  const lines: string[] = [];
  kernel.changes.listen((change) => {
    const record = { ...change, TimeStamp: change.TimeStamp, Data: [...change.Data] };
    if (record.Message !== message.OM_UNREGISTER) tree.take(record);
    const phrase = changeText(record, tree);
    if (phrase !== undefined) lines.push(`${tree.path(record.SenderID)}: ${phrase.text}`);
    if (record.Message === message.OM_UNREGISTER) tree.take(record);
  });
  return { tree, lines };
}

t.test('a watcher prints names, values formatted by their profiles, and changed objects', async (t) => {
  const kernel = new Kernel({ counter: 1000, random: Math.random });
  const { tree, variables, links } = kernel;
  const floor = tree.create(objectType.category, {}, { name: 'Floor', ident: 'floor' });
  const warm = variables.create(2, { parent: floor, name: 'Warm', profile: '~Temperature', value: 20 });
  const { tree: watched, lines } = watching(kernel);
  variables.update(warm, 21.25, 0);
  variables.update(warm, 21.25, 0);
  variables.setQualityProblem(warm, { state: 1, reason: 'OVERDUE', text: 'no value' });
  variables.setQualityProblem(warm, { state: 2, reason: 'UNREACHABLE', text: 'not connected' });
  variables.setQualityProblem(warm, undefined);
  tree.set(floor, 'name', 'Ground');
  const text = variables.create(3, { name: 'Text' });
  tree.move(text, floor);
  variables.update(text, 'on\u001b[2J', 0);
  tree.set(text, 'hidden', true);
  const link = links.create({ name: 'Link' });
  links.setTarget(link, warm.id);
  tree.delete(link);
  t.same(lines, [
    'floor/Warm: 20.0 °C → 21.3 °C',
    'floor/Warm: 21.3 °C, as before',
    'floor/Warm: is stale (OVERDUE): no value',
    'floor/Warm: is bad (UNREACHABLE): not connected',
    'floor/Warm: is good again',
    'floor: is called “Ground”',
    `#${text.id}: a new variable`,
    'Text: is called “Text”',
    'floor/Text: is now below floor',
    'floor/Text: “” → “on\u001b[2J”',
    'floor/Text: is hidden',
    `#${link.id}: a new link`,
    'Link: is called “Link”',
    'Link: points to floor/Warm',
    'Link: is deleted',
  ]);
  t.equal(watched.path(link.id), `#${link.id}`, 'deleted objects are forgotten');
  t.ok(watched.isWithin(text.id, new Set([floor.id])));
  t.notOk(watched.isWithin(floor.id, new Set([text.id])));
  t.ok(watched.isWithin(floor.id, new Set([0])));
});

t.test('every message of the table is printed, or belongs to one that is', async (t) => {
  const tree = houseOf(new Kernel({ counter: 0, random: Math.random }));
  const phrase = (Message: number) =>
    changeText({ TimeStamp: 1, SenderID: 0, Message, Data: ['x', 1] }, tree)?.text;
  const untold = Object.entries(message).filter(([, number]) => phrase(number)?.startsWith('message '));
  t.same(untold, []);
  t.equal(phrase(10_999), 'message 10999 ["x",1]', 'an unknown message of a newer version');
});

t.test('debug data is printed as text if it is text', async (t) => {
  const tree = houseOf(new Kernel({ counter: 0, random: Math.random }));
  const shown = (data: Buffer | string, format: number) =>
    changeText(
      {
        TimeStamp: 1,
        SenderID: 0,
        Message: message.KL_DEBUG,
        Data: ['received a/b', typeof data === 'string' ? data : data.toString('hex'), format, 0],
      },
      tree,
    )?.text;
  t.equal(shown(Buffer.from('{"t": "21,5 °C"}\r\n'), 1), 'received a/b: “{"t": "21,5 °C"}\r\n”');
  t.equal(shown(Buffer.from([0x01, 0x03, 0x41]), 1), 'received a/b: 010341');
  t.equal(shown(Buffer.from([0xc3, 0x28]), 1), 'received a/b: c328', 'not UTF-8');
  t.equal(
    shown(Buffer.from([0x41, 0xc2, 0x9b]), 1),
    'received a/b: 41c29b',
    'a control character of Unicode',
  );
  t.equal(shown('4142', 0), 'received a/b: 4142', 'a text that looks like hexadecimal digits');
});

t.test('a name or a value cannot contain control sequences', async (t) => {
  t.equal(jsonText({ a: 'ü\u001b\u009b' }), '{"a":"ü\\u001b\\u009b"}');
  t.equal(escapeControls('a\u001b[31m\n\u009b2Jü'), 'a\\x1b[31m\\x0a\\x9b2Jü');
});

t.test('the first configuration is written, or added to an existing one', async (t) => {
  const access = { username: 'own: er', passwordHash: 'scrypt$1', board: undefined };
  t.match(
    writeSetup(undefined, { ...access, board: 'auto' }),
    /\nboard: auto\nremoteAccess:\n {2}username: "own: er"\n/,
  );
  const kept = '# mine\napi: { port: 1 } # here\n\ntree:\n  # nothing yet\n  - { category: A, ident: a }\n';
  t.equal(
    writeSetup(kept, access),
    `${kept}remoteAccess:\n  username: "own: er"\n  passwordHash: scrypt$1\n`,
    'everything else stays',
  );
  t.ok(hasAccess('remoteAccess: { username: a }\n'));
  t.notOk(hasAccess(kept));
  t.match(writeSetup('# only this\n', access), /# only this\n+remoteAccess:/);
});

t.test('a generated password has 80 bits, and is different each time', async (t) => {
  const made = Array.from({ length: 50 }, generatePassword);
  t.ok(made.every((word) => /^([a-km-z2-9]{4}-){3}[a-km-z2-9]{4}$/.test(word)));
  t.equal(new Set(made).size, made.length);
});
