import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noHealthChecks } from '../../base/health-check.js';
import { systemClock } from '../../base/clock.js';
import { yieldToEventLoop } from '../../base/event-loop.js';
import { silentLog } from '../../base/log.js';
import { ConfigDocument } from '../../config/document.js';
import { exportFile } from '../../config/export/export-file.js';
import type { GatewayConfig } from '../../config/schema/gateway-schema.js';
import { builtInActions } from '../../functions/events/built-in-actions.js';
import { loadOptions } from '../../functions/options.js';
import { Kernel } from '../../kernel/kernel.js';
import { objectType } from '../../kernel/object.js';
import { createModuleList } from '../module-list.js';
import { ScriptFiles } from '../../script/script-files.js';
import { statusVariables } from '../../service/status-variables.js';
import { backupDirectory, restoreBackup } from '../../store/restore.js';
import { Store } from '../../store/store.js';

/** The gateway to export. */
interface ExportSource {
  /** A data directory, which a gateway may be using, or a backup file. */
  readonly from: { readonly data: string } | { readonly backup: string };
  /** Its configuration; of a backup, the one that is in it by default. */
  readonly config: string | undefined;
  readonly values: boolean;
  /** Cancels it after the current step, and removes the copy. */
  readonly signal?: AbortSignal;
}

/**
 * Exports a gateway's tree as the text of a `gateway.yaml`, with notes about data that is not in it. Works on
 * a copy and does not change the gateway. Throws `STORE_UNUSABLE`, ConfigurationError, and
 * the reason of the signal.
 */
export async function exportGateway({
  from,
  config,
  values,
  signal,
}: ExportSource): Promise<{ text: string; notes: readonly string[] }> {
  // The steps are synchronous: a signal of the process arrives in between.
  const endStep = async () => {
    await yieldToEventLoop();
    signal?.throwIfAborted();
  };
  const temporary = mkdtempSync(join(tmpdir(), 'stellwerk-export-'));
  try {
    const [backup, directory, file] = ['backup', 'data', 'gateway.yaml'].map((name) =>
      join(temporary, name),
    ) as [string, string, string];
    if ('data' in from) backupDirectory(from.data, { to: backup, config });
    await endStep();
    const source = 'data' in from ? backup : from.backup;
    restoreBackup({ backup: source, directory, config: file, replace: false, nowMs: systemClock().nowMs() });
    await endStep();
    const configFile = config ?? file;
    const text = existsSync(configFile) ? readFileSync(configFile, 'utf8') : '';
    const exported = await exportDirectory(directory, { file: configFile, text }, values);
    signal?.throwIfAborted();
    return exported;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

async function exportDirectory(directory: string, config: { file: string; text: string }, values: boolean) {
  const clock = systemClock();
  const { board } = (new ConfigDocument(config.file, config.text).value ?? {}) as Pick<
    GatewayConfig,
    'board'
  >;
  const modules = await createModuleList(clock)({ ...(board !== undefined && { board }) });
  await using store = await Store.open({
    directory,
    runtimeDirectory: join(directory, 'run'),
    files: {},
    clock,
    log: silentLog,
    checks: noHealthChecks,
  });
  const kernel = new Kernel({ counter: store.counter, random: () => clock.random() });
  await store.load(kernel);
  const files = new ScriptFiles(join(directory, 'scripts'));
  const texts = new Map<number, string>();
  for (const { id, data } of kernel.tree.objectsOfType(objectType.script)) {
    // A script whose file is missing is exported without its text.
    const written = await files.read(data.file).catch(() => undefined);
    if (written !== undefined) texts.set(id, written.text);
  }
  const owned = new Set(Array.from(kernel.tree.objectsOfType(objectType.script), ({ data }) => data.file));
  // A file ID.js without a script is what a deleted one left, or one that got another file.
  const included = (await files.names()).filter((name) => !owned.has(name) && !/^\d+\.js$/.test(name));
  const actionName = (id: string) => builtInActions.find((action) => action.id === id)?.name;
  return exportFile({
    status: statusVariables,
    kernel,
    modules,
    texts,
    config,
    actionName,
    values,
    notExported: [
      ...missingConfiguration(config.text),
      ...dataOutsideTree(store, kernel, directory),
      ...included.map(
        (name) =>
          `the script file ${name}, which belongs to no script: copy it to the folder scripts of the data directory`,
      ),
    ],
  });
}

/** Without a configuration, the file has only the tree and the profiles. */
const missingConfiguration = (text: string): string[] =>
  text === ''
    ? ['board, remoteAccess and other keys: no configuration was found; pass it with --config FILE']
    : [];

/** The data that is stored outside of the tree, each with how to transfer it. */
function dataOutsideTree(store: Store, kernel: Kernel, directory: string): string[] {
  const { saved } = loadOptions(store);
  const options = Object.entries(saved).map(
    ([name, value]) => `the option ${name}: stellwerk call SVC_SetOption ${name} ${value}`,
  );
  const fronts = [...kernel.tree.objectsOfType(objectType.instance)].flatMap(({ ident }) =>
    (['items', 'devices'] as const)
      .filter((what) => store.meta(`front ${what} ${ident}`) !== undefined)
      .map((what) => `the ${what} of the front ${ident}`),
  );
  const folders = ['media', 'icons']
    .filter((name) => existsSync(join(directory, name)) && readdirSync(join(directory, name)).length > 0)
    .map((name) => `the files in the folder ${name} of the data directory: copy the folder`);
  const logged =
    kernel.variables.logged().length > 0 ? ['records of the archive: stellwerk archive export'] : [];
  return [...options, ...fronts, ...folders, ...logged];
}
