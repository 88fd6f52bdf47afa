import type { Command } from './command.js';

/** The commands with what they do, each loaded when it is asked for. */
export const commands: Readonly<Record<string, readonly [about: string, load: () => Promise<Command>]>> = {
  serve: ['run a gateway', async () => (await import('./serve.js')).serve],
  setup: ['make the first configuration: name and password', async () => (await import('./setup.js')).setup],
  check: ['say what is wrong with a configuration', async () => (await import('./check.js')).check],
  prune: [
    'remove objects that the configuration no longer lists',
    async () => (await import('./prune.js')).prune,
  ],
  call: ['call a function; call --help NAME explains one', async () => (await import('./call.js')).call],
  tree: ['print the tree of objects', async () => (await import('./tree.js')).tree],
  watch: ['show changes as they come', async () => (await import('./watch.js')).watch],
  types: [
    'write the declarations that an editor checks scripts by',
    async () => (await import('./types.js')).types,
  ],
  lines: ["draw the board's header with who uses what", async () => (await import('./lines.js')).lines],
  health: ['say how the gateway is', async () => (await import('./health.js')).health],
  doctor: [
    'say what is missing on this box, and how to mend it',
    async () => (await import('./doctor.js')).doctor,
  ],
  backup: ['make a backup', async () => (await import('./backup.js')).backup],
  restore: ['put a backup back', async () => (await import('./restore.js')).restore],
  export: ['write the tree as a configuration', async () => (await import('./export.js')).exportCommand],
  schema: [
    'print the schema by which editors complete a configuration',
    async () => (await import('./schema.js')).schema,
  ],
  archive: ['records of variables into a file, and back', async () => (await import('./archive.js')).archive],
  completion: [
    'print the completion script of a shell',
    async () => (await import('./completion.js')).completion,
  ],
  'hash-password': [
    'hash a password for the configuration',
    async () => (await import('./hash-password.js')).hashPasswordCommand,
  ],
};
