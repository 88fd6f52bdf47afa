import { messageOf } from '../../base/fault.js';
import type { Log } from '../../base/log.js';
import type { Devices } from '../../device/devices.js';
import type { Configurator } from '../../kernel/configurator.js';
import type { Kernel } from '../../kernel/kernel.js';
import { objectType, type TreeObject } from '../../kernel/object.js';
import { webFrontModule } from '../../modules/core-modules.js';
import type { ApplyProblem } from './apply-problems.js';
import type { ConfiguratorConfig } from '../schema/gateway-schema.js';

/** An id that no object has. */
const NO_OBJECT = -1;

/** A web front configurator of `gateway.yaml`, with its credentials. */
export interface ConfiguratorEntry extends Configurator {
  readonly ident: string;
  /** Addresses whose browsers are redirected to it. */
  readonly autostart: readonly string[];
  readonly secret: Pick<ConfiguratorConfig, 'password' | 'passwordHash'>;
}

/** The part of a configurator that the API needs for authorization. */
export const accessTo = ({ id, baseId, passwordRequired, autostart, secret }: ConfiguratorEntry) => ({
  id,
  base: baseId,
  passwordRequired,
  autostart,
  ...secret,
});

/**
 * Creates the configurators of `gateway.yaml`, in the order of their positions (interface, decision 1). Each
 * has an instance at the root, which gives it its id. Those whose base is missing are omitted and listed in
 * `problems`.
 */
export function createConfigurators(
  configs: readonly ConfiguratorConfig[],
  { kernel, devices, log }: { kernel: Kernel; devices: Devices; log: Log },
): { configurators: ConfiguratorEntry[]; problems: ApplyProblem[] } {
  const problems: ApplyProblem[] = [];
  const configurators = configs.flatMap((config, i): ConfiguratorEntry[] => {
    try {
      return [createConfigurator(config, kernel, devices)];
    } catch (thrown) {
      problems.push({
        path: `configurators[${i}]`,
        text: `configurators: ${config.ident}: ${messageOf(thrown)}`,
      });
      log.error({ ident: config.ident }, messageOf(thrown));
      return [];
    }
  });
  configurators.sort((a, b) => a.position - b.position || a.id - b.id);
  return { configurators, problems };
}

function createConfigurator(config: ConfiguratorConfig, kernel: Kernel, devices: Devices): ConfiguratorEntry {
  const configured = kernel.tree.findByPath(config.base);
  if (configured === undefined)
    throw new Error(`its base ${config.base} is not in the tree; give the ident path of an object, or /`);
  let base: TreeObject = configured;
  const found = kernel.tree.root.children?.byIdent(config.ident);
  if (found !== undefined && !(found.is(objectType.instance) && found.data.moduleId === webFrontModule.id))
    throw new Error(`#${found.id} at the root has this ident already; choose another`);
  const instance = found ?? devices.create(webFrontModule.id, { ident: config.ident, name: config.title });
  if (instance.name !== config.title) kernel.tree.set(instance, 'name', config.title);
  const {
    ident,
    title,
    icon = '',
    position = 0,
    editable = false,
    mobile = false,
    autostart = [],
    password,
    passwordHash,
  } = config;
  const passwordRequired = config.passwordRequired !== false;
  const secret = {
    ...(password === undefined ? {} : { password }),
    ...(passwordHash === undefined ? {} : { passwordHash }),
  };
  return {
    id: instance.id,
    ident,
    title,
    icon,
    position,
    editable,
    passwordRequired,
    mobile,
    // The id may later be reused for another object; a base that was restored has its id and its path.
    get baseId() {
      const present = kernel.tree.find(base.id);
      const isRestored = present !== base && present === kernel.tree.findByPath(config.base);
      if (present !== undefined && isRestored) base = present;
      return present === base ? base.id : NO_OBJECT;
    },
    autostart,
    secret,
  };
}
