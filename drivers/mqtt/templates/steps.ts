import { AsyncLocalStorage } from 'node:async_hooks';

/** Characters of an error: it may quote a value, which may be as long as a message. */
const ERROR_LIMIT = 500;

/** Stops a template: what it does is not possible with these values. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';

  constructor(message: string) {
    super(message.length > ERROR_LIMIT ? `${message.slice(0, ERROR_LIMIT)}…` : message);
  }
}

/** Steps per rendering: evaluated nodes, calls, iterations, and parts of steps for values. */
const STEP_LIMIT = 50_000;
/** Steps of an item of a list or dictionary that is visited, compared or copied. */
export const ITEM = 1 / 8;
/** Steps of a character that is searched or copied. */
const CHARACTER = 1 / 64;

class StepCounter {
  #steps = 0;

  add(steps: number): void {
    this.#steps += steps;
    if (!(this.#steps <= STEP_LIMIT))
      throw new TemplateError(`the template needs more than ${STEP_LIMIT} steps`);
  }
}

/** All functions that visit values charge the rendering that called them. */
const rendering = new AsyncLocalStorage<StepCounter>();

/** Renders within the limit of steps. */
export const withStepLimit = <T>(render: () => T): T => rendering.run(new StepCounter(), render);

/**
 * Charges the rendering in progress, if there is one, before or while the work is done. Lists are shared by
 * reference, so that a short template can nest them to a value with any number of leaves: functions that visit
 * nested values charge for each visit.
 */
export const spend = (steps: number): void => rendering.getStore()?.add(steps);

/** Charges for characters that are searched or copied. */
export const spendCharacters = (count: number): void => spend(count * CHARACTER);
