import { startWorld, type World } from '../tools/api-world.js';
import { Desk } from '../tools/desk.js';

/** What a suite is served by: a real port before the whole command reference. */
export interface Served extends World {
  readonly desk: Desk;
  /** Functions worth calling, aliases too; none that creates objects without end. */
  readonly methods: readonly string[];
}

/** Starts an API before the whole command reference over a small tree; it ends with the test. */
export async function serve(t: Parameters<typeof startWorld>[0]): Promise<Served> {
  const desk = new Desk();
  t.teardown(() => desk[Symbol.asyncDispose]());
  desk.kernel.changes.limits = { messages: 1000, bytes: 1024 * 1024 };
  for (let type = 0; type <= 3; type++) await desk.call('SVC_CreateVariable', type);
  await desk.lamp();
  const world = await startWorld(t, {}, { dispatcher: desk.registry, kernel: desk.kernel });
  return { ...world, desk, methods: desk.registry.names().filter((name) => !/_Create/.test(name)) };
}

/** What the gateway logged as its own mistake. */
export function mistakes({ desk, log }: Served): string[] {
  return [...desk.errors, ...log.lines.filter((line) => line.startsWith('error'))];
}
