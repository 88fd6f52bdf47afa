import type { FunctionDeclaration } from '../device/declare.js';
import { objectAt } from '../kernel/object-path.js';
import { requestActionFunctions } from './actions.js';
import { archiveFunctions } from './archive.js';
import { CountingAudit } from './audit.js';
import { categoryFunctions } from './categories.js';
import { chartFunctions } from './charts.js';
import { propertyFunctions } from './configuration.js';
import { pushDeviceFunctions } from './front-devices.js';
import { frontItemFunctions } from './front-items.js';
import { frontMessageFunctions } from './front-messages.js';
import { connectionFunctions } from './connections.js';
import { deviceDescriptionFunctions } from './descriptions.js';
import { executeFunctions } from './execute.js';
import { debugFunctions } from './debug.js';
import { configurationFormFunctions } from './form.js';
import { builtInActionFunctions } from './action-list.js';
import { eventConditionFunctions } from './event-conditions.js';
import { eventScheduleFunctions } from './event-schedules.js';
import { cyclicTimeFunctions } from './event-times.js';
import { eventFunctions } from './events.js';
import { gatewayFunctions } from './gateway.js';
import { hardwareFunctions } from './hardware.js';
import { iconFunctions } from './icons.js';
import { instanceFunctions } from './instances.js';
import { kernelInfoFunctions } from './kernel.js';
import { linkFunctions } from './links.js';
import { mediaFunctions } from './media.js';
import { machineFunctions } from './machine.js';
import { moduleFunctions } from './modules.js';
import { unsupportedFunctions } from './nothing.js';
import { objectFunctions } from './objects.js';
import type { Ports } from './ports.js';
import { processFunctions } from './process.js';
import { profileFunctions } from './profiles.js';
import { reflectionFunctions } from './reflection.js';
import { Registry, type RegistryOptions } from './registry.js';
import { scriptFunctions } from './scripts.js';
import { hardwareSearchFunctions } from './search.js';
import { snapshotFunctions } from './snapshot.js';
import { scriptThreadFunctions } from './threads.js';
import { statisticsFunctions } from './statistics.js';
import { timerFunctions } from './timers.js';
import { utilityFunctions } from './utility.js';
import { valueFunctions } from './values.js';
import { variableFunctions } from './variables.js';
import { frontAccessFunctions } from './webfront.js';

/** What a registry needs besides the ports of its functions. */
export interface CommandReferenceOptions extends Pick<RegistryOptions, 'aliases' | 'durability' | 'audit'> {
  /** Functions that modules and the board bring. */
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
  archiveFunctions,
  frontItemFunctions,
  frontMessageFunctions,
  pushDeviceFunctions,
  eventFunctions,
  cyclicTimeFunctions,
  eventScheduleFunctions,
  eventConditionFunctions,
  builtInActionFunctions,
  chartFunctions,
  gatewayFunctions,
  unsupportedFunctions,
  deviceDescriptionFunctions,
  executeFunctions,
] as const;

/** The whole command reference over a gateway's parts, ready to be called. */
export function createRegistry(
  given: Ports,
  { extraFunctions: brought = [], ...options }: CommandReferenceOptions,
): Registry {
  const audit = new CountingAudit(options.audit);
  const read: Ports['system']['audit'] = (limit, role) => {
    audit.flush();
    return given.system.audit(limit, role);
  };
  const ports: Ports = { ...given, system: { ...given.system, audit: read } };
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
