import t from 'tap';
import { confirmationOf, pagesOf } from '../../../src/front/resident/items.js';
import { allTiles, sectionOf, type Section } from '../../../src/front/resident/sections.js';
import { Model } from '../../../src/front/web/model.js';
import { objectType, type ObjectData } from '../../../src/front/web/objects.js';

const BASE = 10000;

interface Row {
  readonly id: number;
  readonly parentID?: number;
  readonly type?: number;
  readonly ident?: string;
  readonly data?: ObjectData;
}

/** A model of an area with these objects below its base; without a type, an object is a category. */
function createModel(rows: readonly Row[]): Model {
  const model = new Model();
  const all: readonly Row[] = [{ id: BASE, parentID: 0 }, ...rows];
  const objects = all.map(({ id, parentID = BASE, type = objectType.category, ident = '', data = {} }) => {
    const texts = { name: `Object ${id}`, ident, info: '', icon: '', summary: '' };
    return [
      `ID${id}`,
      { ...texts, position: 0, hidden: false, disabled: false, type, parentID, data },
    ] as const;
  });
  model.replace({
    timestamp: 100,
    timezone: 'Europe/Berlin',
    server: { date: 1000, version: '1' },
    archive: {},
    area: { configurator: 1, base: BASE, title: 'Home' },
    profiles: {},
    objects: Object.fromEntries(objects),
  });
  return model;
}

const link = (id: number, parentID: number, targetID: number): Row => ({
  id,
  parentID,
  type: objectType.link,
  data: { targetID },
});

const lamp = (id: number, parentID: number): Row => ({
  id,
  parentID,
  type: objectType.variable,
  data: { type: 0, value: false, residents: 'set' },
});

/** The section of an object, as the IDs of the categories in it, with those of their sections. */
function nested(model: Model, id: number): unknown {
  const node = model.find(id);
  if (node === undefined) throw new Error(`no object ${id}`);
  const shape = ({ node, sections }: Section): unknown => [node.id, ...sections.map(shape)];
  return shape(sectionOf(model, node));
}

t.test('rooms that link to each other have each of their sections once', async (t) => {
  const rooms = [1, 2, 3].map((id) => ({ id }));
  const lamps = rooms.map(({ id }) => lamp(100 + id, id));
  const links = rooms.flatMap(({ id }) =>
    rooms.filter((other) => other.id !== id).map((other) => link(1000 + 10 * id + other.id, id, other.id)),
  );
  const model = createModel([...rooms, ...lamps, ...links]);
  t.strictSame(nested(model, BASE), [BASE, [1, [2], [3]], [2, [1], [3]], [3, [1], [2]]]);
  t.strictSame(nested(model, 1), [1, [2, [3]], [3, [2]]]);
});

t.test('the sections of many rooms that link to each other are few', async (t) => {
  const ids = Array.from({ length: 6 }, (_, index) => index + 1);
  const links = ids.flatMap((id) => ids.map((other) => link(1000 + 10 * id + other, id, other)));
  const model = createModel([
    ...ids.map((id) => ({ id })),
    ...ids.map((id) => lamp(100 + id, id)),
    ...links,
    link(2000, 6, BASE),
  ]);
  const base = model.find(BASE);
  t.equal(base && allTiles(sectionOf(model, base)).length, 36);
});

t.test('a category is shown where it is and where links lead to it', async (t) => {
  const model = createModel([
    { id: 1 },
    { id: 2, parentID: 1 },
    { id: 3, parentID: 1 },
    { id: 4, parentID: 3 },
    lamp(101, 2),
    lamp(102, 4),
    link(201, 2, 4),
  ]);
  t.strictSame(nested(model, BASE), [BASE, [1, [2, [4]], [3, [4]]]]);
});

t.test('a dimmer that must be confirmed includes its switch', async (t) => {
  const settable = (ident: string, type: number): Omit<Row, 'id'> => ({
    parentID: 30001,
    type: objectType.variable,
    ident,
    data: { type, value: type === 0 ? false : 0, action: 30001 },
  });
  const model = createModel([
    { id: 30001, type: objectType.instance, ident: 'lamp', data: { moduleName: 'PWM' } },
    { id: 20001, ...settable('STATE', 0) },
    { id: 20002, ...settable('LEVEL', 1) },
    { id: 20003, ...settable('OTHER', 0) },
  ]);
  const item = (ID: string, ParentID: string, configuration: object) => ({
    ID,
    ParentID,
    ClassName: `stellwerk.${ID}`,
    Configuration: JSON.stringify(configuration),
    Position: 0,
    Visible: true,
  });
  const pages = pagesOf([
    item('page', '', { title: 'Page' }),
    item('tile', 'page', { object: 'lamp', confirm: true }),
  ]);
  t.strictSame([20001, 20002, 20003].map(confirmationOf(model, pages)), [true, true, false]);
});
