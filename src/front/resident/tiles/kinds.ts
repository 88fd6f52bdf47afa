import { objectType, variableType, type Profile } from '../../web/objects.js';
import type { Model, TreeNode } from '../../web/model.js';

/** How a tile looks and is operated. */
type TileKind =
  | 'switch'
  | 'pulse'
  | 'shutter'
  | 'level'
  | 'choice'
  | 'colour'
  | 'text'
  | 'reading'
  | 'contact'
  | 'script'
  | 'media'
  | 'unknown';

/** A tile: what it shows and operates. */
export interface Tile {
  readonly key: string;
  readonly kind: TileKind;
  /** The object whose name the tile has: an instance, a variable, a link. */
  readonly named: TreeNode;
  /** Added to the name: several tiles of one instance differ by it. */
  readonly suffix: TreeNode | undefined;
  /** What the sheet shows. */
  readonly object: TreeNode;
  /** The variable that is shown and operated. */
  readonly variable: TreeNode | undefined;
}

/** Modules with a tile of their own, and the ident of the variable that it shows. */
const modules: Readonly<Record<string, readonly [TileKind, string]>> = {
  Relay: ['switch', 'STATE'],
  'GPIO Output': ['switch', 'STATE'],
  Pulse: ['pulse', 'STATE'],
  Shutter: ['shutter', 'POSITION'],
};

/** Action ids up to this one mean "none". */
const NO_ACTION = 1;
/** Whether residents may set the variable. */
function isOperable(variable: TreeNode): boolean {
  const { action = 0, customAction = 0, residents } = variable.entry.value.data;
  if (residents === 'set') return true;
  return customAction === 0 ? action > NO_ACTION : customAction > NO_ACTION;
}

/** The tiles of an object, none for what does not concern residents. `name` is the link that leads to it. */
export function tilesOf(model: Model, object: TreeNode, name: TreeNode = object): Tile[] {
  const entry = object.entry.value;
  if (entry.hidden || name.entry.value.hidden) return [];
  const base = { named: name, suffix: undefined, object };
  const key = `${name.id}`;
  switch (object.type) {
    case objectType.instance:
      return instanceTiles(model, object, name);
    case objectType.variable:
      return [{ ...base, key, kind: kindOfVariable(model, object), variable: object }];
    case objectType.script:
      return [{ ...base, key, kind: 'script', variable: undefined }];
    case objectType.media:
      return [{ ...base, key, kind: 'media', variable: undefined }];
    case objectType.link: {
      const target = model.find(entry.data.targetID ?? 0);
      // A link to a link or to a category is followed by whoever lists sections.
      return target === undefined || target.type === objectType.link ? [] : tilesOf(model, target, name);
    }
    default:
      return [];
  }
}

function instanceTiles(model: Model, instance: TreeNode, named: TreeNode): Tile[] {
  const known = modules[instance.entry.value.data.moduleName ?? ''];
  const main = known === undefined ? undefined : model.child(instance.id, known[1]);
  if (known !== undefined && main !== undefined)
    return [
      { key: `${named.id}`, kind: known[0], named, suffix: undefined, object: instance, variable: main },
    ];
  const variables = model
    .children(instance.id)
    .filter(({ type, entry }) => type === objectType.variable && isMain(entry.value) && !entry.value.hidden);
  return variables.map((variable) => ({
    key: `${named.id}.${variable.id}`,
    kind: kindOfVariable(model, variable),
    named,
    suffix: variables.length > 1 ? variable : undefined,
    object: variables.length > 1 ? variable : instance,
    variable,
  }));
}

function isMain({ data }: { readonly data: { readonly role?: string } }): boolean {
  return (data.role ?? 'main') === 'main';
}

/** The kind of a variable, from its action, type and profile. */
function kindOfVariable(model: Model, variable: TreeNode): TileKind {
  const { data } = variable.entry.value;
  const profile = model.profileOf(variable);
  const name = (data.customProfile ?? '') || (data.profile ?? '');
  if (!isOperable(variable)) return data.type === variableType.boolean ? 'contact' : 'reading';
  if (data.type === variableType.boolean) return 'switch';
  if (name === '~HexColor') return 'colour';
  if (name.startsWith('~UnixTimestamp') || data.type === variableType.string) return 'text';
  if ((profile?.associations.length ?? 0) > 0) return 'choice';
  return hasRange(profile) ? 'level' : 'text';
}

function hasRange(profile: Profile | undefined): profile is Profile {
  return profile !== undefined && profile.minValue < profile.maxValue;
}
