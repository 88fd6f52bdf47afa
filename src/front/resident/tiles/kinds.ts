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
  | 'time'
  | 'reading'
  | 'contact'
  | 'script'
  | 'image'
  | 'sound'
  | 'chart'
  | 'document'
  | 'unknown';

/** What the owner may change about a tile with an item of class `stellwerk.tile`. */
export interface TileOptions {
  readonly name?: string;
  readonly icon?: string;
  /** A slider sends while it is dragged, at most four times a second. */
  readonly live?: boolean;
}

/** A tile: what it shows and operates. */
export interface Tile extends TileOptions {
  readonly key: string;
  readonly kind: TileKind;
  /** On a page with tiles of several rooms: the name of its room. */
  readonly room?: string;
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
  Pulse: ['pulse', 'STATE'],
  Shutter: ['shutter', 'POSITION'],
  PWM: ['level', 'LEVEL'],
  LED: ['level', 'BRIGHTNESS'],
};

/** Media of type 1 to 5 (interface §1); dashboards and streams cannot be shown. */
const mediaKinds: readonly TileKind[] = ['unknown', 'image', 'sound', 'unknown', 'chart', 'document'];

/** Tiles with a row of controls are two columns wide, in a grid of their own. */
export function isWide({ kind }: Tile): boolean {
  return kind === 'shutter' || kind === 'level' || kind === 'choice';
}

/** Action ids up to this one mean "none". */
const NO_ACTION = 1;
/** Whether the owner has disabled an object, or the device that it belongs to. */
function isDisabled(model: Model, { entry }: TreeNode): boolean {
  const { disabled, parentID } = entry.value;
  const parent = model.find(parentID)?.entry.value;
  return disabled || (parent?.type === objectType.instance && parent.disabled);
}

/** Whether residents may set the variable. */
export function isOperable(model: Model, variable: TreeNode): boolean {
  const { action = 0, customAction = 0, residents } = variable.entry.value.data;
  const isSettable = residents === 'set' || (customAction || action) > NO_ACTION;
  return isSettable && !isDisabled(model, variable);
}

/** The tiles of an object, none for what does not concern residents. `name` is the link that leads to it. */
export function tilesOf(model: Model, object: TreeNode, name: TreeNode = object): Tile[] {
  const entry = object.entry.value;
  if (entry.hidden || name.entry.value.hidden) return [];
  const base = { named: name, suffix: undefined, object, variable: undefined };
  const key = `${name.id}`;
  switch (object.type) {
    case objectType.instance:
      return instanceTiles(model, object, name);
    case objectType.variable:
      return [{ ...base, key, kind: kindOfVariable(model, object), variable: object }];
    case objectType.script:
      return isDisabled(model, object) ? [] : [{ ...base, key, kind: 'script' }];
    case objectType.media:
      return [{ ...base, key, kind: mediaKinds[entry.data.type ?? 0] ?? 'unknown' }];
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
  const base = { named, suffix: undefined, object: instance };
  const known = modules[instance.entry.value.data.moduleName ?? ''];
  const main = known === undefined ? undefined : model.child(instance.id, known[1]);
  if (known !== undefined && main !== undefined && !main.entry.value.hidden)
    return [{ ...base, key: `${named.id}`, kind: kindOfVariable(model, main, known[0]), variable: main }];
  const variables = variablesOf(model, instance).filter(({ entry }) => roleOf(entry.value.data) === 'main');
  if (variables.length === 0 && known === undefined) return [];
  return variables.map((variable) => ({
    ...base,
    key: `${named.id}.${variable.id}`,
    kind: kindOfVariable(model, variable),
    suffix: variables.length > 1 ? variable : undefined,
    object: variables.length > 1 ? variable : instance,
    variable,
  }));
}

/** The variables of an instance that are not hidden; of a variable, itself. */
export function variablesOf(model: Model, object: TreeNode): readonly TreeNode[] {
  if (object.type === objectType.variable) return [object];
  return model
    .children(object.id)
    .filter(({ type, entry }) => type === objectType.variable && !entry.value.hidden);
}

export function roleOf({ role = 'main' }: TreeNode['entry']['value']['data']) {
  return role;
}

/** The kind of a variable, from its action, type and profile; `own` is that of its module. */
export function kindOfVariable(model: Model, variable: TreeNode, own?: TileKind): TileKind {
  const { data } = variable.entry.value;
  const profile = model.profileOf(variable);
  const name = variable.profileName;
  if (!isOperable(model, variable)) return data.type === variableType.boolean ? 'contact' : 'reading';
  if (own !== undefined) return own;
  if (data.type === variableType.boolean) return 'switch';
  if (name === '~HexColor') return 'colour';
  if (name.startsWith('~UnixTimestamp')) return 'time';
  if ((profile?.associations.length ?? 0) > 0) return 'choice';
  if (data.type === variableType.string) return 'text';
  return hasRange(profile) ? 'level' : 'text';
}

function hasRange(profile: Profile | undefined): profile is Profile {
  return profile !== undefined && profile.minValue < profile.maxValue;
}
