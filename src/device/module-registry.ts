import { didYouMean } from '../base/did-you-mean.js';
import { fault } from '../base/fault.js';
import type { FunctionDeclaration } from './declare.js';
import type { ModuleDefinition, OpenInstances } from './module.js';

/** The board, as needed by health checks and configuration checks. */
export interface BoardFacts {
  readonly name: string;
  /** The board should have been detected, but no board file matches this machine. */
  readonly isUnknown: boolean;
  /** Its parts, by the names used in properties; absent if there is no description. */
  readonly parts?: BoardParts;
  /** Functions of the board itself, which belong to no module: its lines, and what can be simulated on it. */
  readonly functions?: readonly FunctionDeclaration[];
}

/** The parts that a board file names. */
export interface BoardParts {
  /** Lines per chip: name → offset. */
  readonly gpio: readonly { readonly chip: string; readonly lines: Readonly<Record<string, number>> }[];
  /** PWM channels per chip: name → number. */
  readonly pwm?:
    readonly { readonly chip: string; readonly channels: Readonly<Record<string, number>> }[] | undefined;
  readonly leds: readonly { readonly name: string }[];
  /** Present on a simulated machine, which then has no other parts. */
  readonly simulated?: unknown;
}

/** The modules of a gateway, by GUID and by name. */
export class ModuleRegistry {
  /** The board that the modules were created for. */
  readonly board: BoardFacts;
  readonly #byId = new Map<string, ModuleDefinition>();
  readonly #byName = new Map<string, ModuleDefinition>();

  constructor(definitions: Iterable<ModuleDefinition>, board: BoardFacts = NO_BOARD) {
    this.board = board;
    for (const definition of definitions) {
      this.#byId.set(definition.id, definition);
      for (const name of [definition.name, ...(definition.aliases ?? [])])
        this.#byName.set(name.toLowerCase(), definition);
    }
  }

  all(): IterableIterator<ModuleDefinition> {
    return this.#byId.values();
  }

  /** Finds a module by GUID (in any case), name or alias. */
  find(idOrName: string): ModuleDefinition | undefined {
    return this.#byId.get(idOrName.toUpperCase()) ?? this.#byName.get(idOrName.toLowerCase());
  }

  /** The functions of the board and of the modules, the latter with access to these instances. */
  functions(instances: OpenInstances): FunctionDeclaration[] {
    return [
      ...(this.board.functions ?? []),
      ...[...this.all()].flatMap((module) => module.functions?.(instances) ?? []),
    ];
  }

  /** As `find`; throws `MODULE_MISSING`. */
  get(idOrName: string): ModuleDefinition {
    const definition = this.find(idOrName);
    if (definition === undefined) {
      const names = [...this.all()].map(({ name }) => name);
      throw fault('MODULE_MISSING', idOrName, didYouMean(idOrName, names));
    }
    return definition;
  }
}

const NO_BOARD: BoardFacts = { name: 'generic', isUnknown: false };

/** Whether an instance of `child` can be connected to one of `parent`. */
export function areCompatible(child: ModuleDefinition, parent: ModuleDefinition): boolean {
  return child.requires !== undefined && child.requires.id === parent.provides?.id;
}
