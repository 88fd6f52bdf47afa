import type { FunctionDeclaration } from '../device/declare.js';
import { objectAt } from '../kernel/object-path.js';
import { requestActionFunctions } from './tree/request-action.js';
import { archiveFunctions } from './archive/archive.js';
import { CountingAudit } from './registry/audit.js';
import { categoryFunctions } from './tree/categories.js';
import { chartFunctions } from './chart/chart-functions.js';
import { propertyFunctions } from './devices/properties.js';
import { pushDeviceFunctions } from './web-front/push-devices.js';
import { frontCommandFunctions } from './web-front/front-commands.js';
import { frontItemFunctions } from './web-front/items.js';
import { frontMessageFunctions } from './web-front/front-messages.js';
import { connectionFunctions } from './system/connections.js';
import { deviceDescriptionFunctions } from './devices/device-descriptions.js';
import { executeFunctions } from './system/execute.js';
import { debugFunctions } from './devices/debug.js';
import { configurationFormFunctions } from './devices/configuration-form.js';
import { builtInActionFunctions } from './events/actions.js';
import { eventConditionFunctions } from './events/conditions.js';
import { eventScheduleFunctions } from './events/schedules.js';
import { cyclicTimeFunctions } from './events/cyclic-times.js';
import { eventDecisionFunctions } from './events/decisions.js';
import { eventFunctions } from './events/events.js';
import { deletionFunctions } from './deletion/deletion-functions.js';
import { backupFunctions } from './system/backups.js';
import { chipFunctions } from './system/chips.js';
import { updateFunctions } from './system/updates.js';
import { targetBackupFunctions } from './system/target-backups.js';
import { configurationFunctions } from './system/configuration.js';
import { gatewayFunctions } from './system/gateway.js';
import { hardwareFunctions } from './devices/hardware.js';
import { iconFunctions } from './tree/icons.js';
import { instanceFunctions } from './devices/instances.js';
import { kernelInfoFunctions } from './system/kernel-info.js';
import { linkFunctions } from './tree/links.js';
import { mediaFunctions } from './tree/media.js';
import { machineFunctions } from './system/machine.js';
import { moduleFunctions } from './devices/modules.js';
import { unsupportedFunctions } from './system/unsupported.js';
import { objectFunctions } from './tree/objects.js';
import type { Ports } from './ports.js';
import { processFunctions } from './system/process.js';
import { profileFunctions } from './tree/profiles.js';
import { reflectionFunctions } from './reflection/reflection-functions.js';
import { Registry, type RegistryOptions } from './registry/registry.js';
import { scriptFunctions } from './tree/scripts.js';
import { hardwareSearchFunctions } from './devices/hardware-search.js';
import { snapshotFunctions } from './tree/snapshot.js';
import { scriptThreadFunctions } from './tree/script-threads.js';
import { taskFunctions } from './system/tasks.js';
import { statisticsFunctions } from './system/statistics.js';
import { timerFunctions } from './events/timers.js';
import { utilityFunctions } from './utility/utility-functions.js';
import { bulkValueFunctions } from './tree/bulk-values.js';
import { valueFunctions } from './tree/values.js';
import { variableFunctions } from './tree/variables.js';
import { frontAccessFunctions } from './web-front/front-access.js';

/** What the registry needs in addition to the ports of its functions. */
interface CommandReferenceOptions extends Pick<RegistryOptions, 'aliases' | 'durability' | 'audit'> {
  /** Functions contributed by modules and the board. */
  readonly extraFunctions?: readonly FunctionDeclaration[];
}

const families = [
  valueFunctions,
  requestActionFunctions,
  hardwareFunctions,
  objectFunctions,
  categoryFunctions,
  variableFunctions,
  profileFunctions,
  linkFunctions,
  instanceFunctions,
  hardwareSearchFunctions,
  propertyFunctions,
  moduleFunctions,
  kernelInfoFunctions,
  machineFunctions,
  debugFunctions,
  configurationFormFunctions,
  connectionFunctions,
  processFunctions,
  statisticsFunctions,
  timerFunctions,
  snapshotFunctions,
  scriptFunctions,
  mediaFunctions,
  iconFunctions,
  scriptThreadFunctions,
  utilityFunctions,
  frontAccessFunctions,
  frontCommandFunctions,
  archiveFunctions,
  frontItemFunctions,
  frontMessageFunctions,
  pushDeviceFunctions,
  eventFunctions,
  cyclicTimeFunctions,
  eventScheduleFunctions,
  eventConditionFunctions,
  eventDecisionFunctions,
  builtInActionFunctions,
  chartFunctions,
  bulkValueFunctions,
  gatewayFunctions,
  configurationFunctions,
  backupFunctions,
  targetBackupFunctions,
  updateFunctions,
  chipFunctions,
  deletionFunctions,
  taskFunctions,
  unsupportedFunctions,
  deviceDescriptionFunctions,
  executeFunctions,
] as const;

/** Creates the registry with the complete command reference of a gateway. */
export function createRegistry(
  given: Ports,
  { extraFunctions: brought = [], ...options }: CommandReferenceOptions,
): Registry {
  const audit = new CountingAudit(options.audit);
  const read: Ports['system']['audit'] = (limit, role) => {
    audit.flush();
    return given.system.audit(limit, role);
  };
  const readLines: Ports['system']['auditLines'] = (limit, role) => {
    audit.flush();
    return given.system.auditLines(limit, role);
  };
  const ports: Ports = { ...given, system: { ...given.system, audit: read, auditLines: readLines } };
  const registry: Registry = new Registry({
    functions: [
      ...families.flatMap((family) => family(ports)),
      ...reflectionFunctions(ports, () => registry),
      ...brought,
    ],
    clock: ports.clock,
    log: ports.log,
    idAt: (path) => objectAt(ports.kernel.tree, path).id,
    ...options,
    audit,
  });
  return registry;
}
