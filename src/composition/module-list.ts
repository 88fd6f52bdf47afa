import { join } from 'node:path';
import { bridgeModules } from '../../drivers/bridge/index.js';
import { Backends, boardFunctions, gpioModules, type KeeperClient } from '../../drivers/gpio/index.js';
import { ledModules } from '../../drivers/led/index.js';
import { meterModules } from '../../drivers/meter/index.js';
import { modbusModules } from '../../drivers/modbus/index.js';
import { NetworkConnector } from '../../drivers/mqtt/network-connection.js';
import { mqttModules } from '../../drivers/mqtt/index.js';
import { notificationModules } from '../../drivers/notification/index.js';
import { oneWireModules } from '../../drivers/onewire/index.js';
import { pwmModules } from '../../drivers/pwm/index.js';
import { sensorModules } from '../../drivers/sensor/index.js';
import { serialModules } from '../../drivers/serial/index.js';
import { socketModules } from '../../drivers/socket/index.js';
import { virtualModules } from '../../drivers/virtual/index.js';
import type { CertificateAuthority } from '../api/http/certificate-authority.js';
import type { Clock } from '../base/clock.js';
import { COMPATIBLE_FILE, loadBoard, type Board } from '../config/board.js';
import { parseYamlFile } from '../config/yaml-file.js';
import type { GatewayConfig } from '../config/schema/gateway-schema.js';
import { ModuleRegistry } from '../device/module-registry.js';
import type { NameResolver } from '../device/toolkit/name-resolver.js';
import { coreModules, webFrontModule } from '../modules/core-modules.js';
import { energyModule } from '../modules/energy/energy.js';
import { hardwareModule } from '../modules/hardware-search.js';
import { systemResolver } from '../device/toolkit/system-resolver.js';
import { locationModule } from '../modules/location/location.js';
import { PACKAGE_ROOT } from '../base/package-root.js';
import { serialPorts } from './serial-ports.js';

/** The board files of the package. */
const BOARDS = join(PACKAGE_ROOT, 'board');

/** The register maps of the package; users have theirs in `modbus` of the data directory. */
const MODBUS_MAPS = join(PACKAGE_ROOT, 'drivers', 'modbus', 'devices');

/** The board with this name, or the one that matches this machine (`loadBoard`). */
export function loadPackagedBoard(name: string | undefined, directory = BOARDS): Promise<Board> {
  return loadBoard(name, { directory, compatible: COMPATIBLE_FILE });
}

/** Loads the board with this name, or the one of this machine. */
export type BoardLoader = (name: string | undefined) => Promise<Board>;

/** Loads boards from a directory, by default the package's, and each of them once. */
export function boardsOnce(directory: string | undefined): BoardLoader {
  const boards = new Map<string | undefined, Promise<Board>>();
  return (name) => {
    const board = boards.get(name) ?? loadPackagedBoard(name, directory);
    boards.set(name, board);
    return board;
  };
}

/**
 * Options of a running gateway: its line keeper, its boards (by default the package's), its name resolver, and
 * its directories.
 */
interface ModuleListOptions {
  readonly keeper?: KeeperClient | undefined;
  readonly boardNamed?: BoardLoader;
  readonly names?: NameResolver | undefined;
  readonly directories?: { readonly directory: string; readonly runtimeDirectory: string } | undefined;
  /** Where the user's files are, if nothing else of the data directory may be used. */
  readonly dataDirectory?: string | undefined;
  /** Signs the certificates of MQTT servers. */
  readonly authority?: CertificateAuthority;
}

/** The modules of a gateway, which depend on the board of its configuration. */
export function createModuleList(
  clock: Clock,
  {
    keeper,
    boardNamed = loadPackagedBoard,
    names = systemResolver(clock),
    directories,
    dataDirectory = directories?.directory,
    authority,
  }: ModuleListOptions = {},
): (config: GatewayConfig) => Promise<ModuleRegistry> {
  return async ({ board: name }) => {
    const board = await boardNamed(name);
    const gpio = new Backends(board, clock, keeper);
    const brokers = new NetworkConnector(clock, names);
    const drivers = [
      ...gpioModules(gpio),
      ...ledModules(board, clock),
      ...pwmModules(board, clock),
      ...oneWireModules(board, clock),
      ...sensorModules(board, clock),
      ...serialModules(await serialPorts(board, clock)),
      ...socketModules(names),
      ...virtualModules(),
      ...mqttModules(
        brokers,
        directories && authority && { ...directories, certificate: () => authority.issue() },
      ),
      ...bridgeModules({ brokers, names }, directories),
      ...notificationModules(names),
      ...modbusModules({
        packaged: MODBUS_MAPS,
        user: dataDirectory === undefined ? undefined : join(dataDirectory, 'modbus'),
        parse: parseYamlFile,
      }),
      ...meterModules(),
    ];
    const finders = drivers.flatMap(({ findHardware: find }) => find ?? []);
    const isUnknown = board.name === 'generic' && name !== board.name;
    return new ModuleRegistry(
      [...drivers, energyModule, hardwareModule(finders), webFrontModule, ...coreModules, locationModule],
      {
        name: board.name,
        isUnknown,
        parts: board,
        functions: boardFunctions(gpio),
      },
    );
  };
}
