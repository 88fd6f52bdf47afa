import { join } from 'node:path';
import { gpioModules, type Keeping } from '../drivers/gpio/index.js';
import { ledModules } from '../drivers/led/index.js';
import { modbusModules } from '../drivers/modbus/index.js';
import { NetworkBrokers } from '../drivers/mqtt/connection.js';
import { mqttModules } from '../drivers/mqtt/index.js';
import { oneWireModules } from '../drivers/onewire/index.js';
import { pwmModules } from '../drivers/pwm/index.js';
import { serialModules } from '../drivers/serial/index.js';
import { socketModules } from '../drivers/socket/index.js';
import { virtualModules } from '../drivers/virtual/index.js';
import type { Clock } from './base/clock.js';
import { COMPATIBLE, loadBoard, type Board } from './config/board.js';
import { webFront } from './config/configurators.js';
import { coreModules } from './config/core.js';
import type { GatewayConfig } from './config/schema.js';
import { Modules } from './device/modules.js';
import type { Names } from './device/names.js';
import { hardware } from './device/search.js';
import { systemNames } from './device/system-names.js';
import { location } from './script/location.js';
import { PACKAGE_ROOT } from './base/package-root.js';

/** The package's own boards. */
const BOARDS = join(PACKAGE_ROOT, 'board');

/** The board of that name, or the one that this machine is (`loadBoard`). */
export function boardOf(name: string | undefined, directory = BOARDS): Promise<Board> {
  return loadBoard(name, { directory, compatible: COMPATIBLE });
}

/** Of a gateway that runs: who keeps its outputs, where the boards are described (by default in the package), and its name resolver. */
export interface Around {
  readonly keeping?: Keeping | undefined;
  readonly boards?: string | undefined;
  readonly names?: Names | undefined;
}

/** The modules of a gateway: they follow from its configuration's board. */
export function modulesOf(
  clock: Clock,
  { keeping, boards, names = systemNames(clock) }: Around = {},
): (config: GatewayConfig) => Promise<Modules> {
  return async ({ board: name }) => {
    const board = await boardOf(name, boards);
    const drivers = [
      ...gpioModules(board, clock, keeping),
      ...ledModules(board, clock),
      ...pwmModules(board, clock),
      ...oneWireModules(board, clock),
      ...serialModules(),
      ...socketModules(names),
      ...virtualModules(),
      ...mqttModules(new NetworkBrokers(names)),
      ...modbusModules(),
    ];
    const finders = drivers.flatMap(({ find }) => find ?? []);
    const isUnknown = board.name === 'generic' && name !== board.name;
    return new Modules([...drivers, hardware(finders), webFront, ...coreModules, location], {
      name: board.name,
      isUnknown,
      parts: board,
    });
  };
}
