/**
 * The import law as data: who may import whom, and which files may touch the world outside the process.
 * ARCHITECTURE.md says why. A line more here is a decision, not a formality.
 */

/**
 * A room of src/ → what it may import beside itself: rooms, or single files of one. ARCHITECTURE.md shows the same
 * lines, and a test compares the two. gateway.ts, parts.ts and composition/, which join all, have none.
 */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  base: [],
  kernel: ['base'],
  device: ['base', 'kernel'],
  functions: ['base', 'kernel', 'device', 'archive', 'script'],
  api: ['base', 'kernel', 'functions', 'device/declare'],
  store: ['base', 'kernel', 'device'],
  archive: [
    'base',
    'kernel',
    'device',
    'store/answering',
    'store/connection',
    'store/files',
    'store/findings',
    'store/messages',
    'store/port',
  ],
  script: ['base', 'kernel', 'device'],
  media: ['base', 'kernel', 'device'],
  config: ['base', 'kernel', 'device'],
  service: ['base', 'kernel', 'device'],
  client: ['base'],
  front: ['client', 'base'],
  'drivers/*': ['base', 'device'],
  'modules.ts': ['drivers', 'config', 'device', 'script', 'service', 'base'],
  cli: [
    'gateway',
    'modules',
    'composition',
    'config',
    'client',
    'service',
    'store',
    'base',
    'api/credentials',
    'functions/explain',
    'functions/script-types',
    'kernel',
  ],
  'main.ts': ['cli'],
};

/** Rooms of which another may have the types, but run nothing of them. */
export const TYPES_ONLY: Readonly<Record<string, readonly string[]>> = { functions: ['archive', 'script'] };

/** Modules that reach outside the process. */
export const IO_MODULES =
  /^(node:)?(fs|fs\/promises|net|tls|dgram|http|https|http2|dns|child_process|cluster|worker_threads|sqlite|inspector)$|^(ws|mqtt|serialport|@serialport\/.*|onoff|fastify|@fastify\/.*|aedes)$/;

/** The files that may import them, and load native addons. */
export const IO_FILES: readonly string[] = [
  'drivers/gpio/cdev.ts',
  'drivers/gpio/interrupts.ts',
  'drivers/gpio/keeper-file.ts',
  'drivers/gpio/sysfs.ts',
  'drivers/gpio/ways.ts',
  'drivers/serial/binding.ts',
  'drivers/mqtt/connection.ts',
  'drivers/mqtt/transport.ts',
  'drivers/serial/find.ts',
  'drivers/socket/tcp-client.ts',
  'drivers/socket/tcp-server.ts',
  'drivers/socket/udp.ts',
  'drivers/socket/unanswered.ts',
  'src/api/addresses.ts',
  'src/api/listener.ts',
  'src/api/node-http.ts',
  'src/api/socket.ts',
  'src/api/tls.ts',
  'src/api/web-files.ts',
  'src/api/web.ts',
  'src/archive/archive-worker.ts',
  'src/archive/place.ts',
  'src/cli/archive/files.ts',
  'src/cli/owners.ts',
  'src/cli/setup.ts',
  'src/cli/where.ts',
  'src/composition/ids.ts',
  'src/composition/exporting.ts',
  'src/config/board.ts',
  'src/config/load.ts',
  'src/config/server-review.ts',
  'src/base/replace.ts',
  'src/device/kernel-attributes.ts',
  'src/device/system-names.ts',
  'src/media/files.ts',
  'src/media/icons.ts',
  'src/script/channel.ts',
  'src/script/files.ts',
  'src/script/watch.ts',
  'src/script/worker.ts',
  'src/service/debug-file.ts',
  'src/service/execution.ts',
  'src/service/fetch.ts',
  'src/service/figures.ts',
  'src/service/machine.ts',
  'src/service/marks.ts',
  'src/service/memory.ts',
  'src/service/notify.ts',
  'src/service/programs.ts',
  'src/service/surroundings.ts',
  'src/service/system.ts',
  'src/service/trust.ts',
  'src/service/updating.ts',
  'src/archive/salvage.ts',
  'src/composition/salvage.ts',
  'src/store/backup.ts',
  'src/store/connection.ts',
  'src/store/repair.ts',
  'src/store/database.ts',
  'src/store/files.ts',
  'src/store/find.ts',
  'src/store/lock.ts',
  'src/store/port.ts',
  'src/store/restore.ts',
  'src/store/runtime.ts',
  'src/store/worker.ts',
];

/** Files that are the whole program of a process or a thread of its own: nobody imports them, and their state is theirs. */
export const PROGRAMS: readonly string[] = ['src/script/child.ts'];
