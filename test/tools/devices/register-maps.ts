import { join } from 'node:path';
import type { MapSources } from '../../../drivers/modbus/maps/map-catalog.js';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';
import { parseYamlFile } from '../../../src/config/yaml-file.js';

/** The directory of the package's register maps. */
export const PACKAGED_MAPS = join(PACKAGE_ROOT, 'drivers', 'modbus', 'devices');

/** The register maps of the package, and those of a user in a directory. */
export function registerMaps(user?: string): MapSources {
  return { packaged: PACKAGED_MAPS, user, parse: parseYamlFile };
}
