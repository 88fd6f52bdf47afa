import { callWithinLimits, limited, TEXT_LIMIT } from './builtin.js';
import { known, type Callables } from './filters.js';
import { DICT, memberOf } from './functions.js';
import { existing, itemOf, operate, operateUnary, sliceOf } from './operators.js';
import { ITEM, spend, withStepLimit } from './steps.js';
import type { Node } from './syntax.js';
import { textOf } from './text.js';
import {
  Callable,
  Dict,
  isTrue,
  itemsOf,
  Missing,
  Namespace,
  TemplateError,
  Tuple,
  typeName,
  type Arguments,
  type Value,
} from './value.js';

/** Macros that call each other. */
const DEPTH_LIMIT = 50;

/** Filters, tests, and the names that every template sees. */
export interface Environment {
  readonly filters: Callables;
  readonly tests: Callables;
  readonly globals: ReadonlyMap<string, Value>;
}

class Scope {
  readonly names = new Map<string, Value>();
  readonly #outer: Scope | undefined;
  constructor(outer?: Scope) {
    this.#outer = outer;
  }

  find(name: string): Value | undefined {
    return this.names.has(name) ? this.names.get(name) : this.#outer?.find(name);
  }
}

/** Leaves a loop or its iteration. */
class LoopExit extends Error {
  readonly isBreak: boolean;
  constructor(isBreak: boolean) {
    super('break and continue are only possible in a loop');
    this.isBreak = isBreak;
  }
}

const NO_ARGUMENTS: Arguments = { positional: [], named: new Map() };

/** Renders one template once, within limits of steps and of text. */
export class Interpreter {
  readonly #environment: Environment;
  readonly #top = new Scope();
  #depth = 0;

  constructor(environment: Environment, variables: ReadonlyMap<string, Value>) {
    this.#environment = environment;
    for (const [name, value] of variables) this.#top.names.set(name, value);
  }

  /** The output. Throws a {@link TemplateError}. */
  render(program: Node): string {
    try {
      return withStepLimit(() => this.#run([program], this.#top));
    } catch (thrown) {
      if (thrown instanceof RangeError) throw new TemplateError('the template is nested too deeply');
      if (thrown instanceof LoopExit) throw new TemplateError(thrown.message);
      throw thrown;
    }
  }

  #run(body: readonly Node[], scope: Scope): string {
    let output = '';
    for (const node of body) {
      output += this.#output(node, scope);
      if (output.length > TEXT_LIMIT)
        throw new TemplateError(`the template makes more than ${TEXT_LIMIT} characters`);
    }
    return output;
  }

  #output(node: Node, scope: Scope): string {
    spend(1);
    switch (node.type) {
      case 'Program':
        return this.#run(node.body, scope);
      case 'Comment':
        return '';
      case 'If':
        return this.#run(isTrue(this.#value(node.test, scope)) ? node.body : node.alternate, scope);
      case 'For':
        return this.#loop(node, scope);
      case 'Set': {
        const value =
          node.value === null ? this.#run(node.body, new Scope(scope)) : this.#value(node.value, scope);
        this.#assign(node.assignee, value, scope);
        return '';
      }
      case 'Macro':
        scope.names.set(node.name.value, this.#macro(node, scope));
        return '';
      case 'FilterStatement':
        return textOf(this.#filtered(this.#run(node.body, new Scope(scope)), node.filter, scope));
      case 'Break':
      case 'Continue':
        throw new LoopExit(node.type === 'Break');
      default:
        return textOf(this.#value(node, scope));
    }
  }

  #loop(node: Extract<Node, { type: 'For' }>, scope: Scope): string {
    // `for x in list if test`: the test sees the item.
    const [source, test] =
      node.iterable.type === 'SelectExpression'
        ? [node.iterable.lhs, node.iterable.test]
        : [node.iterable, undefined];
    const all = itemsOf(this.#value(source, scope));
    const inner = (item: Value): Scope => {
      spend(1);
      const made = new Scope(scope);
      this.#assign(node.loopvar, item, made);
      return made;
    };
    const items = test === undefined ? all : all.filter((one) => isTrue(this.#value(test, inner(one))));
    if (items.length === 0) return this.#run(node.defaultBlock, new Scope(scope));
    let output = '';
    for (const [n, item] of items.entries()) {
      const body = inner(item);
      body.names.set('loop', loopFacts(items, n));
      try {
        output += this.#runLoopBody(node.body, body, (text) => void (output += text));
      } catch (thrown) {
        if (!(thrown instanceof LoopExit)) throw thrown;
        if (thrown.isBreak) break;
      }
      if (output.length > TEXT_LIMIT)
        throw new TemplateError(`the template makes more than ${TEXT_LIMIT} characters`);
    }
    return output;
  }

  /** The text before a `break` or `continue` belongs to the output. */
  #runLoopBody(body: readonly Node[], scope: Scope, keep: (text: string) => void): string {
    let output = '';
    for (const node of body) {
      try {
        output += this.#output(node, scope);
      } catch (thrown) {
        if (thrown instanceof LoopExit) keep(output);
        throw thrown;
      }
    }
    return output;
  }

  #assign(target: Node, value: Value, scope: Scope): void {
    if (target.type === 'Identifier') return void scope.names.set(target.value, value);
    if (target.type === 'TupleLiteral') {
      const items = itemsOf(value);
      if (items.length !== target.value.length)
        throw new TemplateError('the number of values to unpack is wrong');
      for (const [n, one] of target.value.entries()) this.#assign(one, items[n] as Value, scope);
      return;
    }
    if (target.type === 'MemberExpression' && target.property.type === 'Identifier' && !target.computed) {
      const object = this.#value(target.object, scope);
      if (object instanceof Namespace) return void object.attributes.set(target.property.value, value);
    }
    throw new TemplateError('only names and attributes of a namespace can be set');
  }

  #macro({ name, args, body }: Extract<Node, { type: 'Macro' }>, scope: Scope): Callable {
    return new Callable(name.value, ({ positional, named }) => {
      if (++this.#depth > DEPTH_LIMIT) throw new TemplateError('macros call each other too deeply');
      const inner = new Scope(scope);
      for (const [n, parameter] of args.entries()) {
        const isKeyword = parameter.type === 'KeywordArgumentExpression';
        const key = isKeyword ? parameter.key.value : (parameter as { value: string }).value;
        const given = n < positional.length ? positional[n] : named.get(key);
        const otherwise = () => (isKeyword ? this.#value(parameter.value, scope) : missing(key));
        const value = given === undefined ? otherwise() : given;
        inner.names.set(key, value);
      }
      const output = this.#run(body, inner);
      this.#depth--;
      return output;
    });
  }

  #value(node: Node, scope: Scope): Value {
    spend(1);
    switch (node.type) {
      case 'StringLiteral':
        return node.value;
      case 'IntegerLiteral':
        return BigInt(node.value);
      case 'FloatLiteral':
        return node.value;
      case 'Identifier':
        return this.#named(node.value, scope);
      case 'ArrayLiteral':
        return node.value.map((one) => this.#value(one, scope));
      case 'TupleLiteral':
        return new Tuple(node.value.map((one) => this.#value(one, scope)));
      case 'ObjectLiteral':
        return Dict.of(
          [...node.value].map(([key, one]) => [this.#value(key, scope), this.#value(one, scope)]),
        );
      case 'BinaryExpression':
        return this.#binary(node, scope);
      case 'UnaryExpression':
        return operateUnary(node.operator.value, this.#value(node.argument, scope));
      case 'Ternary':
        return this.#value(
          isTrue(this.#value(node.condition, scope)) ? node.trueExpr : node.falseExpr,
          scope,
        );
      case 'SelectExpression':
        return isTrue(this.#value(node.test, scope))
          ? this.#value(node.lhs, scope)
          : new Missing('the inline if-expression evaluated to false and no else section was defined');
      case 'TestExpression': {
        const given = { positional: [this.#value(node.operand, scope)], named: NO_ARGUMENTS.named };
        return (
          isTrue(callWithinLimits(known(this.#environment.tests, 'test', node.test.value), given)) !==
          node.negate
        );
      }
      case 'FilterExpression':
        return this.#filtered(this.#value(node.operand, scope), node.filter, scope);
      case 'MemberExpression':
        return this.#member(node, scope);
      case 'CallExpression': {
        const callee = existing(this.#value(node.callee, scope));
        if (!(callee instanceof Callable))
          throw new TemplateError(`'${typeName(callee)}' object is not callable`);
        return callWithinLimits(callee, this.#arguments(node.args, scope));
      }
      default:
        throw new TemplateError(`${node.type} is not possible here`);
    }
  }

  #named(name: string, scope: Scope): Value {
    const found = scope.find(name);
    if (found !== undefined) return found;
    return this.#environment.globals.get(name) ?? constant(name);
  }

  #binary({ operator, left, right }: Extract<Node, { type: 'BinaryExpression' }>, scope: Scope): Value {
    const first = this.#value(left, scope);
    if (operator.value === 'and') return isTrue(first) ? this.#value(right, scope) : first;
    if (operator.value === 'or') return isTrue(first) ? first : this.#value(right, scope);
    return limited(operate(operator.value, first, this.#value(right, scope)));
  }

  #member({ object, property, computed }: Extract<Node, { type: 'MemberExpression' }>, scope: Scope): Value {
    const value = this.#value(object, scope);
    if (property.type === 'SliceExpression') {
      const bounds = [property.start, property.stop, property.step];
      return sliceOf(
        value,
        bounds.map((one) => (one === undefined ? undefined : this.#value(one, scope))),
      );
    }
    if (!computed && property.type === 'Identifier') return memberOf(value, property.value);
    const key = this.#value(property, scope);
    const item = itemOf(value, key);
    return item instanceof Missing && typeof key === 'string' ? memberOf(value, key) : item;
  }

  #filtered(value: Value, filter: Node, scope: Scope): Value {
    const [name, given] =
      filter.type === 'CallExpression'
        ? [filter.callee, this.#arguments(filter.args, scope)]
        : [filter, NO_ARGUMENTS];
    if (name.type !== 'Identifier') throw new TemplateError('a filter must have a name');
    const all = { positional: [value, ...given.positional], named: given.named };
    const [, isNegated, test] = /^is (not )?(.+)$/.exec(name.value) ?? [];
    if (test === undefined)
      return callWithinLimits(known(this.#environment.filters, 'filter', name.value), all);
    return (
      isTrue(callWithinLimits(known(this.#environment.tests, 'test', test), all)) ===
      (isNegated === undefined)
    );
  }

  #arguments(nodes: readonly Node[], scope: Scope): Arguments {
    const positional: Value[] = [];
    const named = new Map<string, Value>();
    for (const node of nodes) {
      if (node.type === 'KeywordArgumentExpression')
        named.set(node.key.value, this.#value(node.value, scope));
      else if (node.type === 'SpreadExpression') {
        const items = itemsOf(this.#value(node.argument, scope));
        spend(items.length * ITEM);
        positional.push(...items);
      } else if (node.type === 'KeywordSpreadExpression') {
        const from = this.#value(node.argument, scope);
        if (!(from instanceof Dict)) continue;
        spend(from.size * ITEM);
        for (const [key, one] of from.entries()) named.set(textOf(key), one);
      } else positional.push(this.#value(node, scope));
    }
    return { positional, named };
  }
}

const missing = (name: string): Missing => new Missing(`'${name}' is undefined`);

function constant(name: string): Value {
  switch (name) {
    case 'true':
    case 'True':
      return true;
    case 'false':
    case 'False':
      return false;
    case 'none':
    case 'None':
      return null;
    case 'dict':
      return DICT;
    default:
      return missing(name);
  }
}

function loopFacts(items: readonly Value[], n: number): Namespace {
  const facts = new Namespace();
  const { length } = items;
  const all: Readonly<Record<string, Value>> = {
    index: BigInt(n + 1),
    index0: BigInt(n),
    revindex: BigInt(length - n),
    revindex0: BigInt(length - n - 1),
    first: n === 0,
    last: n === length - 1,
    length: BigInt(length),
    previtem: items[n - 1] ?? missing('loop.previtem'),
    nextitem: items[n + 1] ?? missing('loop.nextitem'),
    cycle: new Callable('cycle', ({ positional }) => positional[n % positional.length] ?? null),
  };
  for (const [name, value] of Object.entries(all)) facts.attributes.set(name, value);
  return facts;
}
