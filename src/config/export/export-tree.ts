import { HIDDEN, maskUrls } from '../../base/url-secrets.js';
import { GATEWAY_IDENT } from '../../kernel/tree.js';
import type { ModuleRegistry } from '../../device/module-registry.js';
import { moduleKind, type ModuleDefinition } from '../../device/module.js';
import { completeStored, defaultsOf, isSecretProperty } from '../../device/properties.js';
import type { Instance } from '../../kernel/instances.js';
import { initialValue } from '../../kernel/convert.js';
import type { Kernel } from '../../kernel/kernel.js';
import { defaultLogging } from '../../kernel/logging.js';
import { shownFile } from '../../kernel/media.js';
import { objectType, typeName, type TreeObject } from '../../kernel/object.js';
import type { Profile } from '../../kernel/profiles/profile-data.js';
import { ACTION_DISABLED, type Variable } from '../../kernel/variables.js';
import { isDeepStrictEqual } from 'node:util';
import { colorText, eventEntry, type EventExport } from './export-event.js';
import { ExportPaths } from './export-paths.js';
import { compactionKinds, mediaTypes } from '../schema/gateway-schema.js';
import { variableTypeNames } from '../../kernel/value.js';
import { declaredVariables } from '../../device/instance-variables.js';
import { declaredImages } from '../apply/variable-settings.js';

/** Longer texts are not exported as values: they are not settings, and the file would exceed its limit. */
const LONGEST_VALUE = 4096;

type Entry = Record<string, unknown>;

/** The source of an export. */
export interface ExportSource {
  readonly kernel: Kernel;
  readonly modules: ModuleRegistry;
  /** Script texts by id. */
  readonly texts: ReadonlyMap<number, string>;
  /** The idents of the configurators, which have a separate section. */
  readonly configurators: readonly string[];
  /** The names of the gateway's own variables by ident, in the order of their positions from 0. */
  readonly status: Readonly<Record<string, { readonly name: string }>>;
  /** The name of an action by its id. */
  readonly actionName: (id: string) => string | undefined;
  /** Whether to export the values of variables. */
  readonly values: boolean;
}

/** The sections of a `gateway.yaml` that describe a tree, and what they lack. */
interface ExportSections {
  readonly profiles: Readonly<Record<string, Entry>>;
  readonly tree: readonly Entry[];
  /** Notes on what the sections cannot express or leave out. */
  readonly notes: readonly string[];
  /** Objects without an ident in the tree, with their ident in the file. */
  readonly idents: readonly (readonly [id: number, ident: string, path: string])[];
  /** Paths of secret properties that are set. */
  readonly secrets: readonly string[];
}

/**
 * Exports the tree and the profiles as sections of a `gateway.yaml` from which the same tree can be
 * re-created.
 */
export function exportTree(from: ExportSource): ExportSections {
  return new Exporter(from).sections();
}

class Exporter {
  readonly #from: ExportSource;
  readonly #paths: ExportPaths;
  readonly #notes: string[] = [];
  readonly #secrets: string[] = [];
  /** Images that are hidden by default. */
  readonly #hiddenImages = new Set<TreeObject>();

  constructor(from: ExportSource) {
    this.#from = from;
    this.#paths = new ExportPaths(from.kernel.tree.root, (object) => this.#isExcluded(object));
  }

  sections(): ExportSections {
    const { tree, profiles } = this.#from.kernel;
    const { root } = tree;
    const entries = this.#children(root);
    if (root.name !== 'stellwerk' || root.icon !== '' || root.info !== '')
      this.#notes.push(`the root has a custom name, icon or text: ${JSON.stringify(root.name)}`);
    const typeKeys = [...profiles.all()].filter(({ readOnly }) => !readOnly);
    typeKeys.sort((a, b) => (a.name < b.name ? -1 : 1));
    return {
      profiles: Object.fromEntries(typeKeys.map((profile) => [profile.name, profileEntry(profile)])),
      tree: entries,
      notes: this.#notes,
      idents: this.#paths.withoutIdent.map((one) => [
        one.id,
        this.#paths.ident(one),
        this.#paths.path(one) ?? '',
      ]),
      secrets: this.#secrets,
    };
  }

  /** Whether an object cannot be re-created from a file; notes why. Everything below it is omitted too. */
  #isExcluded(object: TreeObject): boolean {
    if (!object.is(objectType.instance)) return false;
    const module = this.#from.modules.find(object.data.moduleId);
    const what = `${nameOf(object)} is omitted with all objects below it`;
    if (module === undefined) this.#notes.push(`${what}: there is no module ${object.data.moduleName}`);
    else if (object.data.asleep === true)
      this.#notes.push(`${what}: it is a copy whose changes have never been applied (SVC_ApplyChanges)`);
    return module === undefined || object.data.asleep === true;
  }

  #children(parent: TreeObject, without: ReadonlySet<TreeObject> = new Set()): Entry[] {
    let last = 0;
    const entries: Entry[] = [];
    for (const object of this.#paths.childrenOf(parent)) {
      if (without.has(object)) continue;
      const entry = this.#entry(object, last + 1);
      if (entry === undefined) continue;
      last = object.position;
      entries.push(entry);
    }
    return entries;
  }

  /** The entry of an object; undefined for what the gateway creates itself in the same form. */
  #entry(object: TreeObject, expected: number): Entry | undefined {
    const kind = typeName[object.type].toLowerCase();
    const { position, icon, info, hidden, disabled, publish } = object;
    const typeKeys = this.#typeKeys(object);
    const below = this.#children(object, typeKeys.variables);
    if (this.#isOfGateway(object, typeKeys.entry, below)) return undefined;
    return {
      [kind]: object.name,
      ident: this.#paths.ident(object),
      ...(position !== expected && { position }),
      ...(icon !== '' && { icon }),
      ...(info !== '' && { info }),
      ...((hidden || this.#hiddenImages.has(object)) && { hidden }),
      ...(disabled && { disabled }),
      ...(publish !== '' && { publish }),
      ...typeKeys.entry,
      ...(below.length > 0 && { children: below }),
    };
  }

  #isOfGateway(object: TreeObject, typeKeys: Entry, below: readonly Entry[]): boolean {
    const { parent, ident, name, position, icon, info, hidden, disabled, publish } = object;
    const isRoot = parent?.parent === null;
    const isPlain = below.length === 0 && icon === '' && info === '' && !disabled && publish === '';
    if (isRoot && this.#from.configurators.includes(ident)) {
      if (!isPlain || hidden || position !== 0)
        this.#addNote(
          object,
          'the front has settings, or objects below it, beyond its entry in configurators',
        );
      return true;
    }
    if (!isPlain) return false;
    if (isRoot && ident === GATEWAY_IDENT && object.is(objectType.category))
      return name === 'Gateway' && position === 1000 && hidden;
    if (hidden) return false;
    if (parent?.ident === GATEWAY_IDENT && parent.parent?.parent === null && object.is(objectType.variable))
      return (
        this.#from.status[ident]?.name === name &&
        Object.keys(this.#from.status).indexOf(ident) === position &&
        object.data.logging === undefined &&
        object.data.customProfile === '' &&
        object.data.customAction === 0 &&
        object.data.residents === undefined
      );
    if (
      !object.is(objectType.instance) ||
      position !== 0 ||
      Object.keys(typeKeys).some((key) => key !== 'module')
    )
      return false;
    const module = this.#from.modules.get(object.data.moduleId);
    return (
      module.kind === moduleKind.core &&
      parent?.ident === GATEWAY_IDENT &&
      name === module.name &&
      ident === module.prefix
    );
  }

  /** The type-specific keys of an object, and the variables and images that need no entry. */
  #typeKeys(object: TreeObject): { entry: Entry; variables?: ReadonlySet<TreeObject> } {
    if (object.is(objectType.instance)) return this.#instance(object);
    if (object.is(objectType.variable)) return { entry: this.#variable(object) };
    if (object.is(objectType.link)) {
      const { targetId } = object.data;
      return { entry: { target: targetId === 0 ? '' : (this.#at(object, targetId) ?? '') } };
    }
    if (object.is(objectType.event)) return { entry: eventEntry(object, this.#events(object)) };
    if (object.is(objectType.script)) return { entry: this.#script(object) };
    if (object.is(objectType.media)) {
      const { type, file, cached } = object.data;
      const shown = withoutUrlSecrets(file);
      if (shown !== file) this.#secrets.push(`${this.#paths.path(object)}: file`);
      const isRendered = mediaTypes[type] === 'chart' || mediaTypes[type] === 'dashboard';
      if (isRendered && file !== '')
        this.#addNote(object, `its content ${file} refers to objects source ID; the IDs will be different`);
      return {
        entry: { type: mediaTypes[type], ...(file !== '' && { file: shown }), ...(cached && { cached }) },
      };
    }
    return { entry: {} };
  }

  #instance(object: Instance): { entry: Entry; variables: ReadonlySet<TreeObject> } {
    const module = this.#from.modules.get(object.data.moduleId);
    const properties = completeStored(module, object.data.properties);
    const standard = defaultsOf(module);
    const shown = Object.entries(properties).flatMap(([name, value]) =>
      isDeepStrictEqual(value, standard[name])
        ? []
        : [[name, this.#shown(object, module, [name, value])] as const],
    );
    const variables = new Set<TreeObject>();
    const settings: Record<string, Entry> = {};
    for (const { ident, name, position = 0, counter = false } of declaredVariables(module, properties)) {
      const variable = object.children?.byIdent(ident);
      if (!variable?.is(objectType.variable)) continue;
      variables.add(variable);
      const { icon, info, hidden, disabled, publish } = variable;
      const below = this.#children(variable);
      const setting: Entry = {
        ...(variable.name !== name && { name: variable.name }),
        ...(variable.position !== position && { position: variable.position }),
        ...(icon !== '' && { icon }),
        ...(info !== '' && { info }),
        ...(hidden && { hidden }),
        ...(disabled && { disabled }),
        ...(publish !== '' && { publish }),
        ...this.#settings(variable, counter),
        ...(below.length > 0 && { children: below }),
      };
      if (Object.keys(setting).length > 0) settings[ident] = setting;
    }
    // An image that a user has changed is an entry below the instance.
    for (const { ident, name, position = 0, isHidden = false } of declaredImages(module, properties)) {
      const image = object.children?.byIdent(ident);
      if (image !== undefined && isHidden) this.#hiddenImages.add(image);
      if (image === undefined || image.name !== name || image.position !== position) continue;
      const { icon, info, hidden, disabled, children } = image;
      const isChanged = icon !== '' || info !== '' || hidden !== isHidden || disabled;
      if (!isChanged && (children?.size ?? 0) === 0) variables.add(image);
    }
    const connection = this.#connection(object, module);
    const entry = {
      module: module.name,
      ...(shown.length > 0 && { properties: Object.fromEntries(shown) }),
      ...(connection !== undefined && { connection }),
      ...(Object.keys(settings).length > 0 && { variables: settings }),
    };
    return { entry, variables };
  }

  /** The `connection` key, if it differs from what the object's place implies. */
  #connection(object: Instance, module: ModuleDefinition): string | undefined {
    const { connectionId } = object.data;
    if (module.requires === undefined || connectionId === object.parentId) return undefined;
    if (connectionId !== 0) return this.#at(object, connectionId);
    return object.parent?.is(objectType.instance) ? '' : undefined;
  }

  #shown(object: TreeObject, module: ModuleDefinition, [name, value]: readonly [string, unknown]): unknown {
    const isSecret = isSecretProperty(module, name) && value !== '';
    const shown: unknown = isSecret ? HIDDEN : withoutUrlSecrets(value);
    if (!isDeepStrictEqual(shown, value)) this.#secrets.push(`${this.#paths.path(object)}: ${name}`);
    return shown;
  }

  #variable(object: Variable): Entry {
    const { type, value, residents } = object.data;
    const isLong = typeof value === 'string' && value.length > LONGEST_VALUE;
    if (this.#from.values && isLong)
      this.#addNote(object, `its value is longer than ${LONGEST_VALUE} characters`);
    const isOfGateway = isGatewayPlace(object.parent);
    const hasValue = this.#from.values && !isLong && !isOfGateway && value !== initialValue(type);
    return {
      type: variableTypeNames[type],
      ...(hasValue && { value }),
      ...(residents && { residents }),
      ...this.#settings(object),
    };
  }

  /** User settings of a variable. */
  #settings(object: Variable, isCounter = false): Entry {
    const { type, customProfile, customAction, logging } = object.data;
    const isProfileValid = this.#from.kernel.profiles.find(customProfile)?.type === type;
    if (customProfile !== '' && !isProfileValid)
      this.#addNote(object, `there is no profile ${customProfile} of its type`);
    const action = customAction === ACTION_DISABLED ? false : this.#at(object, customAction);
    return {
      ...(isProfileValid && { profile: customProfile }),
      ...(customAction !== 0 && action !== undefined && { action }),
      ...(logging !== undefined &&
        !isDeepStrictEqual(logging, defaultLogging({ isCounter })) && {
          archive: archiveEntry(logging, isCounter),
        }),
    };
  }

  #script(object: TreeObject<3>): Entry {
    const text = this.#from.texts.get(object.id);
    const { file } = object.data;
    if (text === undefined) this.#addNote(object, `its text ${file} cannot be read`);
    return {
      ...(file !== `${object.id}.js` && { file }),
      ...(text !== undefined && text !== '' && { text }),
    };
  }

  #events(event: TreeObject): EventExport {
    const { kernel, actionName } = this.#from;
    return {
      find: (id) => kernel.tree.find(id),
      path: (id) => this.#at(event, Number(id)),
      actionName,
      note: (text) => this.#addNote(event, text),
    };
  }

  /** The path of a referenced object; undefined, with a note, if it is not in the file. */
  #at(source: TreeObject, id: number): string | undefined {
    if (id === 0) return undefined;
    const object = this.#from.kernel.tree.find(id);
    const path = object === undefined ? undefined : this.#paths.path(object);
    if (path === undefined)
      this.#addNote(
        source,
        object === undefined
          ? `it refers to #${id}, which does not exist`
          : `it refers to ${nameOf(object)}, which is not in this file`,
      );
    return path;
  }

  #addNote(object: TreeObject, text: string): void {
    this.#notes.push(`${this.#paths.path(object) ?? nameOf(object)}: ${text}`);
  }
}

/** Whether an object is the category of the gateway's own variables. */
const isGatewayPlace = (object: TreeObject | null): boolean =>
  object?.ident === GATEWAY_IDENT && object.parent?.parent === null;

/** Masks the secrets in URLs anywhere in a value. */
export function withoutUrlSecrets(value: unknown): unknown {
  if (typeof value === 'string') return maskUrls(shownFile(value));
  if (Array.isArray(value)) return value.map(withoutUrlSecrets);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withoutUrlSecrets(one)]));
}

function archiveEntry(
  { active, counter, ignoreZeros, graph, compaction }: NonNullable<Variable['data']['logging']>,
  isCounter: boolean,
): unknown {
  const entry = {
    ...(!active && { active }),
    ...(counter !== isCounter && { type: counter ? 'counter' : 'gauge' }),
    ...(ignoreZeros && { ignoreZeros }),
    ...(!graph && { graph }),
    ...(compaction.length > 0 && {
      compaction: compaction.map(({ months, kind }) => ({ months, to: compactionKinds[kind] })),
    }),
  };
  return Object.keys(entry).length === 0 ? active : entry;
}

function profileEntry({ type, icon, prefix, suffix, min, max, step, digits, associations }: Profile): Entry {
  return {
    type: variableTypeNames[type],
    ...(icon !== '' && { icon }),
    ...(prefix !== '' && { prefix }),
    ...(suffix !== '' && { suffix }),
    ...(min !== 0 && { min }),
    ...(max !== 0 && { max }),
    ...(step !== 0 && { step }),
    ...(digits !== 0 && { digits }),
    ...(associations.length > 0 && {
      associations: associations.map(({ value, name, icon: typeKeys, color }) => ({
        value,
        ...(name !== '' && { name }),
        ...(typeKeys !== '' && { icon: typeKeys }),
        ...(color !== -1 && { color: colorText(color) }),
      })),
    }),
  };
}

const nameOf = (object: TreeObject): string => `#${object.id} ${JSON.stringify(object.name)}`;
