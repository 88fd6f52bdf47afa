import type { ImageDeclaration, VariableDeclaration } from '../../../src/device/module.js';
import { buildEntity } from './components.js';
import type { DeviceRecord } from './device-record.js';
import { IMAGE_PART, identOf, type EntityModel, type Source, type VariableModel } from './model.js';

/** A device as variables. */
export interface DeviceModel {
  readonly entities: readonly EntityModel[];
  /** What was not understood, each with the name of its entity. */
  readonly problems: readonly string[];
}

const ROLES = ['main', 'state', 'detail', 'diagnostic'] as const;

/** Builds the entities of a device. Whatever is wrong with one of them does not affect the others. */
export function buildDevice({ entities: announced }: DeviceRecord): DeviceModel {
  const entities: EntityModel[] = [];
  const problems: string[] = [];
  const idents = new Set<string>();
  for (const one of announced) {
    const entity = buildEntity(one);
    problems.push(...entity.problems.map((problem) => `${entity.name}: ${problem}`));
    const own = entity.variables.map(({ part }) => identOf(entity, part));
    if (own.some((ident) => idents.has(ident))) {
      problems.push(`${entity.name}: another entity has its unique id`);
      continue;
    }
    for (const ident of own) idents.add(ident);
    entities.push(entity);
  }
  return { entities, problems };
}

/** The variables of a device: what it is for first, then by name. */
export function declareDevice({ entities }: DeviceModel): VariableDeclaration[] {
  const all = entities.flatMap((entity, index) =>
    entity.variables.map((variable) => ({ entity, index, variable })),
  );
  const rank = ({ variable: { role } }: (typeof all)[number]) => ROLES.indexOf(role);
  all.sort((a, b) => rank(a) - rank(b) || a.index - b.index);
  return all.map(({ entity, variable }, index) => declared(entity, variable, index + 1));
}

/** The images of a device with this name, after its variables. Those that are not what it is for are hidden. */
export function declareImages({ entities }: DeviceModel, device: string): ImageDeclaration[] {
  let position = entities.reduce((count, { variables }) => count + variables.length, 0);
  return entities.flatMap((entity) => {
    const time = entity.variables.find(({ sources }) => sources.some(isImage));
    if (time === undefined) return [];
    position += 1;
    const ident = identOf(entity, IMAGE_PART);
    const name = entity.isDevice && device !== '' ? device : entity.name;
    return [{ ident, name, position, isHidden: time.role !== 'state' }];
  });
}

const isImage = ({ decodeImage }: Source) => decodeImage !== undefined;

function declared(entity: EntityModel, variable: VariableModel, position: number): VariableDeclaration {
  const { part, name, type, role, profile, command, expireAfterS } = variable;
  return {
    ident: identOf(entity, part),
    name,
    type,
    role,
    ...(profile === undefined
      ? {}
      : typeof profile === 'string'
        ? { profile }
        : { profile: profile.name, profileDefinition: profile }),
    action: command !== undefined,
    position,
    ...(expireAfterS === undefined ? {} : { staleAfterS: expireAfterS }),
  };
}
