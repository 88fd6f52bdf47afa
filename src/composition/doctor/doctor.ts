import { coded, joined, type Text } from '../../base/codes/coded-text.js';
import { findingTexts, healthy, type HealthFinding } from '../../base/health-check.js';
import { ConfigurationError, codedFinding } from '../../config/document.js';
import type { ConfigSource } from '../../config/config-source.js';
import { loadConfig } from '../../config/load.js';
import type { GatewayConfig, TreeNode } from '../../config/schema/gateway-schema.js';
import type { ModuleRegistry } from '../../device/module-registry.js';
import { isClockSynchronised } from '../../service/clock-synchronisation.js';
import { clockFinding } from '../../service/health-findings.js';
import { checkMachine, type MachineCheckOptions } from '../../service/machine/machine-check.js';
import type { CheckRecord } from '../../service/health.js';
import { reviewFacts } from '../review-facts.js';

/** A finding, as `stellwerk doctor` and `GW_RunDoctor` report it. */
interface DoctorCheck extends Omit<CheckRecord, 'Since'> {
  /** The chips that it advises to enable: `bme280@1-0076`. */
  readonly Chips: readonly string[];
}

/** What a configuration requires of the machine, as far as the configuration can be read. */
export interface ConfiguredMachine extends Pick<MachineCheckOptions, 'modules' | 'instances'> {
  readonly finding: HealthFinding;
}

/** Reads and reviews a configuration; the finding has its problems. */
export async function readConfiguredMachine(
  source: ConfigSource,
  makeModules: (config: GatewayConfig) => Promise<ModuleRegistry>,
): Promise<ConfiguredMachine> {
  const path = source.file;
  try {
    const { promise: modules, resolve } = Promise.withResolvers<ModuleRegistry>();
    const { tree, findings } = await loadConfig(
      source,
      async (config) => {
        resolve(makeModules(config));
        return modules;
      },
      reviewFacts,
    );
    const [first, ...others] = findings.filter(({ severity }) => severity === 'problem');
    const finding =
      first === undefined
        ? healthy(coded`NO_ERRORS: ${path} has no errors`)
        : problem(
            joined([
              codedFinding(path, first),
              ...(others.length > 0 ? [coded`AND_MORE: and ${others.length} more`] : []),
            ]),
            coded`CHECK_LISTS_THEM: stellwerk check ${path} lists them all`,
          );
    return { modules: await modules, instances: instancesOf(tree), finding };
  } catch (thrown) {
    if (!(thrown instanceof ConfigurationError)) throw thrown;
    const [first] = thrown.findings;
    const isHidden = thrown.findings.some(({ text }) => /EACCES/.test(text.toString()));
    const finding = isHidden
      ? problem(
          coded`NOT_READABLE_FOR_YOU: this user cannot read ${path}`,
          coded`DOCTOR_AS_ROOT: run sudo stellwerk doctor`,
        )
      : problem(
          coded`NOT_USABLE_FIRST_ERROR: ${path} is not usable; first error in line ${first?.line ?? 1}: ${first?.text ?? ''}`,
          coded`CHECK_LISTS_THEM: stellwerk check ${path} lists them all`,
        );
    return { modules: await makeModules({}), instances: [], finding };
  }
}

/** A failed check. */
export const problem = (text: Text, whatToDo: Text): HealthFinding => ({
  state: 'failed',
  text,
  whatToDo,
});

function instancesOf(nodes: readonly TreeNode[]): MachineCheckOptions['instances'] {
  return nodes.flatMap((node) => [
    ...(node.kind === 'instance'
      ? [{ name: node.name, module: node.module, properties: node.properties ?? {} }]
      : []),
    ...instancesOf(node.children),
  ]);
}

/** Checks the configuration, the clock and the machine; returns the findings by name. */
export async function examine(
  { finding, ...configured }: ConfiguredMachine,
  place: Pick<MachineCheckOptions, 'dataDirectory' | 'isGateway' | 'root'>,
): Promise<Map<string, HealthFinding>> {
  return new Map<string, HealthFinding>([
    ['configuration', finding],
    ['clock', clockFinding(await isClockSynchronised())],
    ...(await checkMachine({ ...configured, ...place })),
  ]);
}

/** The findings, followed by the gateway's health checks that have no finding of the same name. */
export function combineChecks(
  own: ReadonlyMap<string, HealthFinding>,
  checks: readonly CheckRecord[],
): DoctorCheck[] {
  return [
    ...[...own].map(([Name, { state, text, whatToDo, chips = [] }]) => ({
      Name,
      State: state,
      ...findingTexts({ text, whatToDo }),
      Chips: chips,
    })),
    ...checks
      .filter(({ Name }) => !own.has(Name))
      .map(({ Since: _since, ...check }) => ({ ...check, Chips: [] })),
  ];
}
