import type { ModuleDefinition } from '../../src/device/module.js';
import type { NameResolver } from '../../src/device/toolkit/name-resolver.js';
import { notification } from './notification.js';

/** The modules that send messages to people. */
export function notificationModules(names: NameResolver): readonly ModuleDefinition[] {
  return [notification(names)] as readonly ModuleDefinition[];
}
