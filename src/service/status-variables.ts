import type { Clock } from '../base/clock.js';
import type { Kernel } from '../kernel/kernel.js';
import { objectType, type TreeObject } from '../kernel/object.js';
import { GATEWAY_IDENT } from '../kernel/tree.js';
import { variableType, type Value, type VariableType } from '../kernel/value.js';
import type { HealthRecord } from './health.js';

const MEGABYTE = 1_000_000;

/** The gateway's own variables by ident, in the order of their positions from 0. */
export const statusVariables = {
  HEALTH: { name: 'Health', type: variableType.string },
  PROBLEMS: { name: 'Problems', type: variableType.integer },
  CLOCK_TRUSTED: { name: 'Clock is set', type: variableType.boolean },
  BYTES_WRITTEN: { name: 'Bytes written to the disk today', type: variableType.integer },
} as const satisfies Record<string, { name: string; type: VariableType }>;

/**
 * The variables with the gateway's state, so that clients can read the results of the health checks from the
 * tree.
 */
export class StatusVariables {
  readonly #kernel: Kernel;
  readonly #clock: Clock;

  constructor(kernel: Kernel, clock: Clock) {
    this.#kernel = kernel;
    this.#clock = clock;
  }

  /** Creates the missing ones; returns the category that contains them. */
  declare(): TreeObject {
    const place = this.#place();
    const { variables } = this.#kernel;
    for (const [position, [ident, { name, type }]] of Object.entries(statusVariables).entries()) {
      const found = place.children?.byIdent(ident);
      if (found === undefined)
        variables.create(type, { parent: place, ident, name, position, role: 'diagnostic' });
      else if (found.is(objectType.variable)) variables.setRole(found, 'diagnostic');
    }
    return place;
  }

  /** Updates the variables; skips unchanged values. */
  show({ Checks }: HealthRecord, { bytesToday }: { bytesToday: number }): void {
    const bad = Checks.filter(({ State }) => State !== 'ok');
    const text = bad.map(
      ({ Name, State, Text, WhatToDo }) =>
        `${Name} ${State}: ${[...Text.split('\n'), WhatToDo].filter((part) => part !== '').join('; ')}`,
    );
    this.#set('HEALTH', text.length === 0 ? 'ok' : text.join('\n'));
    this.#set('PROBLEMS', bad.length);
    this.#set('CLOCK_TRUSTED', this.#clock.isTrusted());
    // Rounded to MB, because a variable that changed with each commit would cause the next one.
    this.#set('BYTES_WRITTEN', Math.floor(bytesToday / MEGABYTE) * MEGABYTE);
  }

  #set(ident: keyof typeof statusVariables, value: Value): void {
    const variable = this.#place().children?.byIdent(ident);
    if (variable?.is(objectType.variable) && variable.data.value !== value)
      this.#kernel.variables.update(variable, value, this.#clock.nowMs());
  }

  #place(): TreeObject {
    const { tree } = this.#kernel;
    return (
      tree.root.children?.byIdent(GATEWAY_IDENT) ??
      tree.create(
        objectType.category,
        {},
        { ident: GATEWAY_IDENT, name: 'Gateway', position: 1000, hidden: true },
      )
    );
  }
}
