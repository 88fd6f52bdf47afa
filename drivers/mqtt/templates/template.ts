import { makeFilters } from './filters.js';
import { makeGlobals } from './functions.js';
import { Interpreter, type Environment } from './interpreter.js';
import type { TemplateClock } from './moments.js';
import { parseTemplate, type Node } from './syntax.js';
import { TESTS } from './tests.js';
import { fromJson, type Value } from './value.js';

/** What templates of a gateway share: filters, tests and functions. */
export const makeEnvironment = (clock: TemplateClock): Environment => ({
  filters: makeFilters(TESTS, clock),
  tests: TESTS,
  globals: makeGlobals(clock),
});

/**
 * A template in the language that Home Assistant uses in discovery payloads (Jinja 3.1 with the functions of
 * its documentation, except those that read states). It never runs code: the tree of its syntax is
 * interpreted, within limits of steps and of text.
 */
export class Template {
  readonly text: string;
  readonly #program: Node;
  readonly #environment: Environment;

  /** Throws a `TemplateError` that says what is wrong. */
  constructor(text: string, environment: Environment) {
    this.text = text;
    this.#program = parseTemplate(text);
    this.#environment = environment;
  }

  /** The output for these variables. Throws a `TemplateError`. */
  render(variables: ReadonlyMap<string, Value>): string {
    return new Interpreter(this.#environment, variables).render(this.#program);
  }
}

/** The variables of a template that reads a payload: `value`, and `value_json` if it is JSON. */
export function payloadVariables(payload: string): Map<string, Value> {
  const variables = new Map<string, Value>([['value', payload]]);
  try {
    variables.set('value_json', fromJson(payload));
  } catch {
    // It is no JSON.
  }
  return variables;
}
