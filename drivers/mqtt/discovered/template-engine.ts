import type { Clock } from '../../../src/base/clock.js';
import type { TemplateEngine } from '../discovery/lazy-template.js';
import { makeEnvironment, Template } from '../templates/template.js';

/** Compiles the templates of devices, with the local time of this machine. */
export function createTemplateEngine(clock: Pick<Clock, 'nowMs'>): TemplateEngine {
  const environment = makeEnvironment({
    nowMs: () => clock.nowMs(),
    offsetMinutes: (ms) => -new Date(ms).getTimezoneOffset(),
  });
  return { compile: (text) => new Template(text, environment) };
}
