import { command } from '../command.js';
import { exitCode } from '../exit-codes.js';
import { escapeControls, jsonText } from '../output/terminal.js';
import { gatewayClient, gatewayOptions } from '../arguments/locate-gateway.js';

/** An object that the configuration no longer lists: a record of `GW_Prune`. */
interface Orphan {
  readonly ObjectID: number;
  readonly Path: string;
  readonly Type: string;
  readonly Problem: string;
}

/** `stellwerk prune`: objects that were removed from the configuration and still exist. */
export const prune = command({
  usage: 'prune [--yes] [options]',
  about: `Shows the objects that were removed from gateway.yaml and still exist in the running gateway. With --yes they are
deleted; records of their variables stay in the archive. Objects that calls created stay, and so do their parents.`,
  options: {
    ...gatewayOptions,
    yes: { type: 'boolean', help: 'delete them; otherwise nothing is changed' },
    json: { type: 'boolean', help: 'as JSON (the result of GW_Prune)' },
  },
  words: [0, 0],
  exits:
    '0 done, 1 some can not be deleted, 69 the gateway cannot be reached, 78 errors in the configuration',
  run: async ({ yes = false, json, ...options }) => {
    const gateway = await gatewayClient(options);
    const orphans = (await gateway.call('GW_Prune', yes)) as readonly Orphan[];
    process.stdout.write(json === true ? `${jsonText(orphans)}\n` : textOf(orphans, yes));
    return orphans.every(({ Problem }) => Problem === '') ? exitCode.ok : exitCode.failed;
  },
});

function textOf(orphans: readonly Orphan[], isDone: boolean): string {
  if (orphans.length === 0) return 'nothing to remove: every object of gateway.yaml is still listed\n';
  const lines = orphans.map(({ ObjectID, Path, Type, Problem }) => {
    const what = Problem !== '' ? `stays: ${Problem}` : isDone ? 'deleted' : 'would be deleted';
    return escapeControls(`${Path}  #${ObjectID}  ${Type}  ${what}`);
  });
  const hint = isDone ? '' : 'Nothing was changed. stellwerk prune --yes deletes them.\n';
  return `${lines.join('\n')}\n${hint}`;
}
