import t from 'tap';
import { added, changed, draftOf, itemsOf, moved } from '../../../src/front/console/fronts/item-draft.js';

const item = (ID: string, [ParentID, Position]: readonly [string, number], kind = 'tile') => ({
  ID,
  ParentID,
  ClassName: kind.includes('.') ? kind : `stellwerk.${kind}`,
  Configuration: `{"title":"${ID}"}`,
  Position,
  Visible: true,
});

const ITEMS = [
  item('late', ['', 9], 'page'),
  item('first', ['', 2], 'page'),
  item('other', ['', 5], 'vendor.widget'),
  item('lamp', ['first', 1]),
  item('floor', ['first', 2], 'section'),
  item('door', ['first', 3]),
  item('window', ['floor', 1]),
];

const ids = (draft: ReturnType<typeof draftOf>) => itemsOf(draft).map(({ ID }) => ID);

t.test('items are a tree in the order of their positions, and a list again', async (t) => {
  const draft = draftOf(ITEMS);
  t.strictSame(ids(draft), ['first', 'lamp', 'floor', 'window', 'door', 'other', 'late']);
  t.strictSame(itemsOf(draftOf(itemsOf(draft))), itemsOf(draft), 'nothing is lost, also of other classes');
  t.match(itemsOf(draft).at(-1), { ID: 'late', Position: 3, Configuration: '{"title":"late"}' });
});

t.test('items move among the siblings of their class', async (t) => {
  const draft = draftOf(ITEMS);
  t.strictSame(ids(moved(draft, 'late', -1)), ['late', 'other', 'first', 'lamp', 'floor', 'window', 'door']);
  t.strictSame(ids(moved(draft, 'lamp', 1)).slice(0, 5), ['first', 'door', 'floor', 'window', 'lamp']);
  t.strictSame(moved(draft, 'first', -1), draft, 'the first stays');
});

t.test('items are added with a free ID, changed and removed with what is below them', async (t) => {
  const draft = added(
    added(draftOf(ITEMS), '', { className: 'stellwerk.page', configuration: {} }),
    'page1',
    {
      className: 'stellwerk.tile',
      configuration: {
        object: 1,
      },
    },
  );
  t.match(itemsOf(draft).slice(-2), [
    { ID: 'page1', ParentID: '' },
    { ID: 'tile1', ParentID: 'page1', Configuration: '{"object":1}' },
  ]);
  t.ok(ids(added(draft, 'floor', { className: 'stellwerk.tile', configuration: {} })).includes('tile2'));
  t.strictSame(ids(changed(draft, 'first', () => [])), ['other', 'late', 'page1', 'tile1']);
});
