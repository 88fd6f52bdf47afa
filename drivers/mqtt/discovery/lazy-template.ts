import { TemplateError, type Value } from '../templates/value.js';

/** Compiles templates. It is loaded by the first instance that needs it. */
export interface TemplateEngine {
  /** Throws a `TemplateError`. */
  compile(text: string): CompiledTemplate;
}

interface CompiledTemplate {
  /** Throws a `TemplateError`. */
  render(variables: ReadonlyMap<string, Value>): string;
}

/** A template that is parsed when it is first needed: most entities are declared before any message. */
export class LazyTemplate {
  readonly text: string;
  readonly #constants: ReadonlyMap<string, Value> | undefined;
  #compiled: CompiledTemplate | TemplateError | undefined;

  /** `constants` are variables that it always has. */
  constructor(text: string, constants?: ReadonlyMap<string, Value>) {
    this.text = text;
    this.#constants = constants;
  }

  /** What is wrong with the template; undefined if nothing is. */
  problem(engine: TemplateEngine): string | undefined {
    const compiled = this.#compile(engine);
    return compiled instanceof TemplateError ? compiled.message : undefined;
  }

  /** Its output without surrounding white space. Throws a `TemplateError`. */
  render(engine: TemplateEngine, variables: ReadonlyMap<string, Value>): string {
    const compiled = this.#compile(engine);
    if (compiled instanceof TemplateError) throw compiled;
    const all = this.#constants === undefined ? variables : new Map([...this.#constants, ...variables]);
    return compiled.render(all).trim();
  }

  #compile(engine: TemplateEngine): CompiledTemplate | TemplateError {
    if (this.#compiled !== undefined) return this.#compiled;
    try {
      this.#compiled = engine.compile(this.text);
    } catch (thrown) {
      if (!(thrown instanceof TemplateError)) throw thrown;
      this.#compiled = thrown;
    }
    return this.#compiled;
  }
}

/** What a source applies to its payload. */
export type PayloadTemplate = Pick<LazyTemplate, 'text' | 'problem' | 'render'>;

/** Templates whose outputs are one value; they are separated by commas. */
export class JoinedTemplate implements PayloadTemplate {
  readonly #parts: readonly PayloadTemplate[];

  constructor(parts: readonly PayloadTemplate[]) {
    this.#parts = parts;
  }

  get text(): string {
    return this.#parts.map(({ text }) => text).join(',');
  }

  problem(engine: TemplateEngine): string | undefined {
    return this.#parts.map((one) => one.problem(engine)).find((one) => one !== undefined);
  }

  render(engine: TemplateEngine, variables: ReadonlyMap<string, Value>): string {
    return this.#parts.map((one) => one.render(engine, variables)).join(',');
  }
}
