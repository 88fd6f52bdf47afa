import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeEnvironment, payloadVariables, Template } from '../../../drivers/mqtt/templates/template.js';
import { TemplateError } from '../../../drivers/mqtt/templates/value.js';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';
import { interleaved, median, type Effort, type Report } from '../statistics.js';

/** Whether a template has an output; some need more than the payload. */
function isRendered({ template, value }: { template: Template; value: string }): boolean {
  try {
    return template.render(payloadVariables(value)) !== undefined;
  } catch {
    return false;
  }
}

interface Cases {
  readonly payloads: readonly { readonly value?: unknown; readonly variables?: object }[];
  readonly templates: readonly {
    readonly template: string;
    readonly outputs: readonly (readonly [payload: number, output: string | null])[];
  }[];
}

/** What a message of a device costs its template, compared with parsing the JSON of its payload. */
export async function templateFigures({ rounds, seconds }: Effort): Promise<Report> {
  const [payloadLine = '', templateLine = ''] = readFileSync(
    join(PACKAGE_ROOT, 'test/fixtures/mqtt/template-cases.jsonl'),
    'utf8',
  ).split('\n');
  const payloads = JSON.parse(payloadLine) as Cases['payloads'];
  const templates = JSON.parse(templateLine) as Cases['templates'];
  const environment = makeEnvironment({ nowMs: () => 1_800_000_000_000, offsetMinutes: () => 0 });
  const cases = templates.flatMap(({ template, outputs }) =>
    outputs.flatMap(([at, output]) => {
      const { value, variables } = payloads[at] ?? {};
      return output !== null && variables === undefined && typeof value === 'string' && value.startsWith('{')
        ? [{ template: new Template(template, environment), value }].filter(isRendered)
        : [];
    }),
  );
  let wrong = 0;
  const microseconds = async (run: (one: (typeof cases)[number]) => void): Promise<number> => {
    const startMs = performance.now();
    let count = 0;
    do {
      for (const one of cases) run(one);
      count += cases.length;
      await yieldToEventLoop();
    } while (performance.now() - startMs < seconds * 1000);
    return ((performance.now() - startMs) * 1000) / count;
  };
  const [ours, theirs] = await interleaved(rounds, [
    () =>
      microseconds(({ template, value }) => {
        try {
          template.render(payloadVariables(value));
        } catch (thrown) {
          if (!(thrown instanceof TemplateError)) throw thrown;
          wrong += 1;
        }
      }),
    () => microseconds(({ value }) => void JSON.parse(value)),
  ]);
  return {
    figures: [
      {
        name: 'a template per message',
        value: median(ours) / median(theirs),
        unit: '×',
        goal: undefined,
        ours: `${median(ours).toFixed(1)} µs, ${cases.length} templates with payloads`,
        baseline: `${median(theirs).toFixed(1)} µs to parse the JSON`,
      },
    ],
    wrong: wrong === 0 ? [] : [`${wrong} templates failed`],
  };
}
