/**
 * The import rules as data: who may import whom, and which files may reach outside the process.
 * ARCHITECTURE.md gives the reasons. Adding a line here is a decision.
 */

/**
 * A directory of src/ → what it may import besides itself: directories, or single files. ARCHITECTURE.md has
 * the same lines, and a test compares them. composition/, which connects everything, has none.
 */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  base: [],
  kernel: ['base'],
  device: ['base', 'kernel'],
  functions: ['base', 'kernel', 'device', 'archive', 'events', 'script'],
  api: ['base', 'kernel', 'functions', 'device/declare'],
  sqlite: ['base'],
  store: ['base', 'kernel', 'sqlite'],
  archive: ['base', 'kernel', 'sqlite'],
  events: ['base', 'kernel', 'device', 'script'],
  script: ['base', 'kernel', 'device'],
  modules: ['base', 'device'],
  media: ['base', 'kernel', 'device'],
  config: ['base', 'kernel', 'device', 'modules/core-modules'],
  service: ['base', 'kernel', 'device'],
  client: ['base'],
  front: ['client', 'base', 'media/built-in-icons'],
  'drivers/*': ['base', 'device'],
  cli: [
    'composition',
    'config',
    'client',
    'service',
    'sqlite',
    'store',
    'base',
    'api/access/credentials',
    'functions/declared-functions',
    'functions/reflection',
    'kernel',
  ],
  'main.ts': ['cli', 'base/linear-pattern'],
};

/** Directories of which others may import types only. */
export const TYPES_ONLY: Readonly<Record<string, readonly string[]>> = {
  functions: ['archive', 'events', 'script'],
  events: ['script'],
};

/** Modules that reach outside the process. */
export const IO_MODULES =
  /^(node:)?(fs|fs\/promises|net|tls|dgram|http|https|http2|dns|child_process|cluster|worker_threads|sqlite|inspector)$|^(ws|mqtt|serialport|@serialport\/.*|onoff|fastify|@fastify\/.*|aedes)$/;

/** The files that may import them, and load native addons. */
export const IO_FILES: readonly string[] = [
  'drivers/gpio/backends/cdev.ts',
  'drivers/gpio/backends/interrupts.ts',
  'drivers/gpio/keeper/output-table-file.ts',
  'drivers/gpio/backends/sysfs.ts',
  'drivers/gpio/backends/backends.ts',
  'drivers/serial/kernel-ports.ts',
  'drivers/mqtt/network-connection.ts',
  'drivers/mqtt/transport.ts',
  'drivers/serial/port-discovery.ts',
  'drivers/socket/tcp-client.ts',
  'drivers/socket/tcp-server.ts',
  'drivers/socket/datagram-socket.ts',
  'drivers/socket/dead-peers.ts',
  'src/api/access/stored-sessions.ts',
  'src/api/http/node-http.ts',
  'src/api/socket/socket-api.ts',
  'src/api/http/certificate-authority.ts',
  'src/api/http/tls.ts',
  'src/api/web/web-files.ts',
  'src/api/web/web-server.ts',
  'src/archive/archive-worker.ts',
  'src/archive/recovery.ts',
  'src/cli/archive/input-output.ts',
  'src/cli/file-ownership.ts',
  'src/cli/commands/setup.ts',
  'src/cli/arguments/locate-gateway.ts',
  'src/composition/backups.ts',
  'src/composition/configuration-file.ts',
  'src/composition/id-guard.ts',
  'src/composition/owner-claim.ts',
  'src/composition/pending-restore.ts',
  'src/composition/export-gateway.ts',
  'src/config/board.ts',
  'src/config/config-source.ts',
  'src/config/load.ts',
  'src/config/review/server-review.ts',
  'src/base/addresses.ts',
  'src/base/atomic-write.ts',
  'src/device/toolkit/kernel-sysfs.ts',
  'src/device/toolkit/system-resolver.ts',
  'src/front/assets.ts',
  'src/media/media-files.ts',
  'src/media/icons.ts',
  'src/script/channel.ts',
  'src/script/script-files.ts',
  'src/script/directory-watch.ts',
  'src/script/script-process.ts',
  'src/service/debug-file.ts',
  'src/service/program-runner.ts',
  'src/service/fetch.ts',
  'src/service/push-request.ts',
  'src/service/system-metrics.ts',
  'src/service/machine-facts.ts',
  'src/service/boot-flag-file.ts',
  'src/service/memory.ts',
  'src/service/notify.ts',
  'src/service/system-commands.ts',
  'src/service/host-info.ts',
  'src/service/system.ts',
  'src/service/clock-synchronisation.ts',
  'src/service/update-marker.ts',
  'src/archive/salvage.ts',
  'src/composition/salvage-archives.ts',
  'src/store/backup.ts',
  'src/store/backup-list.ts',
  'src/store/connection.ts',
  'src/store/repair.ts',
  'src/store/database.ts',
  'src/sqlite/connection.ts',
  'src/sqlite/database-files.ts',
  'src/store/recovery.ts',
  'src/store/directory-lock.ts',
  'src/sqlite/worker-client.ts',
  'src/store/restore.ts',
  'src/store/runtime-values.ts',
  'src/store/worker.ts',
];

/**
 * Main files of processes and threads. They are never imported, so that they may have state at module level.
 */
export const PROGRAMS: readonly string[] = ['src/script/child.ts'];

/** The files that use Node's timers or time directly, not through a clock, and the reason. */
export const TIMER_FILES: Readonly<Record<string, string>> = {
  'src/base/clock.ts': 'implements the clock',
  'src/base/event-loop.ts': 'yields to the event loop',
  'src/cli/commands/serve.ts': 'keeps the process alive, which timers of the clock do not',
  'src/client/timing.ts': 'implements the clock of the client, whose timers keep a program alive',
  'src/script/child-timers.ts': 'implements the timers of scripts, in their own process',
};
