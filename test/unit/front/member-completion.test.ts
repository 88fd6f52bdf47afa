import { CompletionContext } from '@codemirror/autocomplete';
import { javascript } from '@codemirror/lang-javascript';
import { ensureSyntaxTree } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import t from 'tap';
import { completeMembers } from '../../../src/front/console/editor/complete-members.js';
import { functionsOf, signatureOf } from '../../../src/front/console/editor/reference.js';

const integer = { type: 'integer' };
const reply = (schema: object) => ({ name: 'Result', schema });
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const functions = functionsOf({
  methods: [
    {
      name: 'GetEvent',
      params: [{ name: 'ID', required: true, schema: integer }],
      result: reply(ref('Event')),
    },
    { name: 'GetEvents', params: [], result: reply({ type: 'array', items: ref('Event') }) },
    { name: 'GetPair', params: [], result: reply({ type: 'array', items: [integer, integer] }) },
    { name: 'GetName', params: [], result: reply({ type: 'string' }) },
  ],
  components: {
    schemas: {
      Event: {
        type: 'object',
        required: ['ID'],
        properties: {
          ID: integer,
          Time: { type: 'object', required: ['Hour'], properties: { Hour: integer } },
          Actions: { type: 'array', items: ref('Action') },
        },
      },
      Action: {
        anyOf: [
          { type: 'object', properties: { Script: { type: 'string' } } },
          { type: 'object', properties: { Script: { type: 'string' }, Error: { type: 'string' } } },
        ],
      },
    },
  },
});

/** The members that are offered at the end of a text, or where `|` is. */
function offered(text: string): readonly string[] | undefined {
  const at = text.includes('|') ? text.indexOf('|') : text.length;
  const state = EditorState.create({
    doc: text.replace('|', ''),
    extensions: [javascript({ typescript: true })],
  });
  // On a busy machine the parser may not finish in the time that it has by default.
  ensureSyntaxTree(state, state.doc.length, 60_000);
  const found = completeMembers(new CompletionContext(state, at, false), functions);
  return found?.options.map(({ label }) => label);
}

const EVENT = ['ID', 'Time', 'Actions'];

t.test('the members of what a function returns are offered', async (t) => {
  for (const text of [
    'GetEvent(1).',
    'GetEvent(1).Ti',
    'GetEvent(1)?.',
    'const x = GetEvent(1).|\nprint(x)',
    '(GetEvent(1)).',
    '(await GetEvent(1)).',
    'const event = GetEvent(1);\nevent.',
    'let a = GetEvent(1), b = a;\nif (true) { print(b.|) }',
    'GetEvents()[0].',
    'for (const event of GetEvents()) print(event.|)',
    'GetEvents().filter((one) => one.|)',
    'GetEvents().filter((one) => one.ID > 1).map((one, at) => one.|)',
    'const found = GetEvents().find((one) => true); found.',
    'const event: Event = GetEvent(1); const f = () => { event.| }',
  ])
    t.strictSame(offered(text), EVENT, text);
  t.strictSame(offered('GetEvent(1).Time.'), ['Hour']);
  t.strictSame(offered('GetEvent(1).Actions[0].'), ['Script', 'Error'], 'of all alternatives');
  t.ok(offered('GetEvents().')?.includes('map'), 'lists have methods');
});

t.test('nothing is offered where the type is not known', async (t) => {
  for (const text of [
    'print(1).',
    'unknown.',
    'const a = b; const b = a; a.',
    'GetName().',
    'GetPair()[0].',
    'GetEvents().map((one, at) => at.|)',
    'GetEvents().reduce((one) => one.|)',
    'event.; const event = GetEvent(1)|',
    '"GetEvent(1).',
    '1.',
    'GetEv',
  ])
    t.strictSame(offered(text) ?? [], [], text);
});

t.test('a signature names the types', async (t) => {
  t.strictSame(
    functions.map((one) => signatureOf(one)),
    ['GetEvent(ID: number): Event', 'GetEvents(): Event[]', 'GetPair(): unknown[]', 'GetName(): string'],
  );
});
