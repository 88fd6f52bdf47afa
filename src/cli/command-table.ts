import type { Command } from './command.js';

/** Commands by name, each with what it does and how it is loaded. */
export type CommandTable = Readonly<Record<string, readonly [about: string, load: () => Promise<Command>]>>;

/** All commands. Each is loaded on its first use. */
export const commands: CommandTable = {
  serve: ['run a gateway', async () => (await import('./commands/serve.js')).serve],
  setup: [
    'make the first configuration: name and password',
    async () => (await import('./commands/setup.js')).setup,
  ],
  check: ['say what is wrong with a configuration', async () => (await import('./commands/check.js')).check],
  prune: [
    'remove objects that the configuration no longer lists',
    async () => (await import('./commands/prune.js')).prune,
  ],
  call: [
    'call a function; call --help NAME explains one',
    async () => (await import('./commands/call.js')).call,
  ],
  tree: ['print the tree of objects', async () => (await import('./commands/tree.js')).tree],
  watch: ['show changes as they come', async () => (await import('./commands/watch.js')).watch],
  types: [
    'write the declarations that an editor checks scripts by',
    async () => (await import('./commands/types.js')).types,
  ],
  lines: [
    "draw the board's header with who uses what",
    async () => (await import('./commands/lines.js')).lines,
  ],
  health: ['say how the gateway is', async () => (await import('./commands/health.js')).health],
  doctor: [
    'say what is missing on this box, and how to mend it',
    async () => (await import('./commands/doctor.js')).doctor,
  ],
  backup: ['make a backup', async () => (await import('./commands/backup.js')).backup],
  restore: ['put a backup back', async () => (await import('./commands/restore.js')).restore],
  export: [
    'write the tree as a configuration',
    async () => (await import('./commands/export.js')).exportCommand,
  ],
  schema: [
    'print the schema by which editors complete a configuration',
    async () => (await import('./commands/schema.js')).schema,
  ],
  archive: [
    'records of variables into a file, and back',
    async () => (await import('./commands/archive.js')).archive,
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
