/** Runs contracts with node:test, for a machine that has the gateway's own packages and nothing else. */
import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert';
import { test, type TestContext } from 'node:test';
import type { Asserts, ContractCase } from './suite.js';

const asserts = (context: TestContext): Asserts => ({
  ok,
  notOk: (value) => ok(!value),
  equal: strictEqual,
  strictSame: deepStrictEqual,
  rejects: (promise, command) => rejects(promise, command),
  pass: (_text, { skip }) => context.skip(skip),
});

/** Runs one case of a contract without tap. */
export const withNodeTest: ContractCase = (name, body) => test(name, (context) => body(asserts(context)));
