import type { Command } from './command.js';

/** Commands by name, each with its description and its loader. */
export type CommandTable = Readonly<Record<string, readonly [about: string, load: () => Promise<Command>]>>;

/** All commands. Each is loaded on its first use. */
export const commands: CommandTable = {
  serve: ['run a gateway', async () => (await import('./commands/serve.js')).serve],
  setup: [
    'write the first configuration: user name and password',
    async () => (await import('./commands/setup.js')).setup,
  ],
  check: ['report errors in a configuration', async () => (await import('./commands/check.js')).check],
  prune: [
    'delete objects that the configuration no longer lists',
    async () => (await import('./commands/prune.js')).prune,
  ],
  call: [
    'call a function; call --help NAME explains one',
    async () => (await import('./commands/call.js')).call,
  ],
  tree: ['print the tree of objects', async () => (await import('./commands/tree.js')).tree],
  watch: ['follow changes', async () => (await import('./commands/watch.js')).watch],
  types: [
    'print TypeScript declarations for the editing of scripts',
    async () => (await import('./commands/types.js')).types,
  ],
  lines: [
    "draw the board's header with the user of each line",
    async () => (await import('./commands/lines.js')).lines,
  ],
  health: [
    'show the health checks of the gateway',
    async () => (await import('./commands/health.js')).health,
  ],
  doctor: [
    'report what is missing on this machine, and how to fix it',
    async () => (await import('./commands/doctor.js')).doctor,
  ],
  'enable-chip': [
    'declare a sensor chip, so that the kernel loads its driver',
    async () => (await import('./commands/enable-chip.js')).enableChip,
  ],
  audit: [
    'print the audit, or verify that no record was changed',
    async () => (await import('./commands/audit.js')).audit,
  ],
  backup: ['make a backup', async () => (await import('./commands/backup.js')).backup],
  restore: ['restore a backup', async () => (await import('./commands/restore.js')).restore],
  update: ['update a box that has two slots', async () => (await import('./commands/update.js')).update],
  export: [
    'print the tree as a configuration',
    async () => (await import('./commands/export.js')).exportCommand,
  ],
  schema: [
    'print the JSON Schema of the configuration for editors',
    async () => (await import('./commands/schema.js')).schema,
  ],
  archive: [
    'export, import and salvage records of variables',
    async () => (await import('./commands/archive.js')).archive,
  ],
  record: [
    'record MQTT messages or serial bytes, without secrets',
    async () => (await import('./commands/record.js')).record,
  ],
  replay: [
    'play a recording against a gateway under test',
    async () => (await import('./commands/replay.js')).replay,
  ],
  completion: [
    'print the completion script of a shell',
    async () => (await import('./commands/completion.js')).completionFor(commands),
  ],
  'hash-password': [
    'hash a password for the configuration',
    async () => (await import('./commands/hash-password.js')).hashPasswordCommand,
  ],
};
