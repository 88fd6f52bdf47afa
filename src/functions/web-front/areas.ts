import { fault } from '../../base/fault.js';
import { Area } from '../../kernel/area.js';
import type { Configurator } from '../../kernel/configurator.js';
import type { TreeObject } from '../../kernel/object.js';
import type { Ports } from '../ports.js';

/** The areas of configurators, cached because an area keeps track of link targets. */
export class Areas {
  readonly #ports: Ports;
  readonly #areas = new Map<number, { readonly baseId: number; readonly area: Area }>();

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** The area of a configurator. Throws `NOT_OF_TYPE`. */
  of(configuratorId: number): Area {
    const { baseId } = configuratorOf(this.#ports, configuratorId);
    const known = this.#areas.get(configuratorId);
    if (known?.baseId === baseId) return known.area;
    const area = new Area(this.#ports.kernel.tree, baseId, configuratorId);
    this.#areas.set(configuratorId, { baseId, area });
    return area;
  }
}

/** The configurator with an id. Throws `NOT_OF_TYPE`. */
export function configuratorOf({ configurators }: Ports, id: number): Configurator {
  const found = configurators.all().find((configurator) => configurator.id === id);
  if (found === undefined) throw fault('NOT_OF_TYPE', 'Configurator', id);
  return found;
}

/**
 * The base object of an area or an object below it, not counting the targets of links. Throws
 * `OBJECT_MISSING` for any other object.
 */
export function objectInArea({ kernel }: Ports, area: Area, id: number): TreeObject {
  const object = kernel.tree.find(id);
  if (object === undefined || !area.isBelowBase(id)) throw fault('OBJECT_MISSING', id);
  return object;
}
