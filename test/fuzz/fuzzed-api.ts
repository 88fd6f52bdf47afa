import { startApi, type ApiFixture } from '../tools/gateway/api-fixture.js';
import { FunctionFixture } from '../tools/gateway/function-fixture.js';

/** The API under test: a real port with the complete command reference. */
export interface FuzzedApi extends ApiFixture {
  readonly desk: FunctionFixture;
  /** Functions to call, including aliases; none that creates objects without a limit. */
  readonly methods: readonly string[];
}

/** Starts an API with the complete command reference over a small tree; it ends with the test. */
export async function startFuzzedApi(t: Parameters<typeof startApi>[0]): Promise<FuzzedApi> {
  const fixture = new FunctionFixture();
  t.teardown(() => fixture[Symbol.asyncDispose]());
  fixture.kernel.changes.setLimits({ messages: 1000, bytes: 1024 * 1024 });
  for (let type = 0; type <= 3; type++) await fixture.call('SVC_CreateVariable', type);
  await fixture.lamp();
  const api = await startApi(t, {}, { dispatcher: fixture.registry, kernel: fixture.kernel });
  return {
    ...api,
    desk: fixture,
    methods: fixture.registry.names().filter((name) => !/_Create/.test(name)),
  };
}

/** Errors that the gateway logged as its own. */
export function loggedErrors({ desk: fixture, log }: FuzzedApi): string[] {
  return [...fixture.errors, ...log.lines.filter((line) => line.startsWith('error'))];
}
