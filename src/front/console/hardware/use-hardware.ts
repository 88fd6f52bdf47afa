import { type ReadonlySignal, type Signal, useComputed, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ServerError } from '../../../client/errors.js';
import type { Found, Lines } from '../../../client/generated/records.js';
import { type ConsoleApp, errorText, useApp } from '../app.js';
import { type Loaded, useActivity, useLoaded } from '../load.js';
import { instanceOf } from '../search.js';
import { words } from '../i18n/console-texts.js';

const MODULE = 'Hardware';
const SEARCH_STOP = 10_512;
const SEARCH_UPDATE = 10_513;
/** Lines are read again at most this often while values change, ms. */
const READ_MS = 100;

/** The hardware of the machine; follows changes. */
export interface Hardware {
  readonly lines: ReadonlySignal<Loaded<Lines>>;
  /** The search results; undefined: no instance of the module Hardware exists yet. */
  readonly found: ReadonlySignal<readonly Found[] | undefined>;
  readonly isSearching: ReadonlySignal<boolean>;
  /** Instances that were created on this page: the search result → the instance. */
  readonly created: Signal<ReadonlyMap<string, number>>;
  readonly isSimulated: ReadonlySignal<boolean>;
  search(): Promise<void>;
  create(found: Found, module: string, parent: number): Promise<void>;
  undo(found: Found): Promise<void>;
}

export function useHardware(): Hardware {
  const app = useApp();
  const { created } = app;
  const { model } = app.gateway;
  const { state: lines, refresh } = useLoaded(() => app.call('GW_GetLines'), []);
  useActivity(READ_MS, refresh);
  const found = useSignal<readonly Found[] | undefined>(undefined);
  const [isStarting, isRunning] = [useSignal(false), useSignal(false)];
  const isSimulated = useSignal(false);
  const readFound = async () => {
    const hardware = instanceOf(model, MODULE);
    if (hardware === undefined) return;
    try {
      found.value = await app.call('GW_GetFound', hardware.id);
      isRunning.value = await app.call('SVC_IsSearching', hardware.id);
    } catch (thrown) {
      // A lost connection is shown, and everything is read again when it is back.
      if (!(thrown instanceof ServerError)) app.notice.value = { text: errorText(thrown), isError: true };
    }
  };
  const isLive = app.gateway.state.value.kind === 'live';
  useEffect(() => {
    if (!isLive) return;
    void readFound();
    void app.call('SVC_FunctionExists', 'GW_SimulateLine').then(
      (exists) => (isSimulated.value = exists),
      () => undefined,
    );
  }, [isLive]);
  useEffect(() => {
    return app.gateway.observe(({ Message }) => {
      if (Message === SEARCH_STOP || Message === SEARCH_UPDATE) void readFound();
    });
  }, []);
  const search = async () => {
    isStarting.value = true;
    await app.act(async () => {
      const hardware = instanceOf(model, MODULE) ?? (await createHardware(app));
      await app.call('SVC_StartSearch', hardware.id);
      await readFound();
    });
    isStarting.value = false;
  };
  return {
    lines,
    found,
    isSearching: useComputed(() => isStarting.value || isRunning.value),
    created,
    isSimulated,
    search,
    create: async (one, module, parent) => {
      const hardware = instanceOf(model, MODULE);
      if (hardware === undefined) return;
      await app.act(async () => {
        const id = await app.call('GW_CreateFrom', hardware.id, one.ID, parent, module);
        created.value = new Map([...created.peek(), [one.ID, id]]);
        await readFound();
      }, words().hardware.made(one.Name));
    },
    undo: async (one) => {
      const id = created.peek().get(one.ID);
      if (id === undefined) return;
      await app.act(async () => {
        await app.call('SVC_DeleteInstance', id);
        created.value = new Map([...created.peek()].filter(([ID]) => ID !== one.ID));
        await readFound();
        // A search that ended meanwhile has found it in use.
        if (found.peek()?.find(({ ID }) => ID === one.ID)?.Create.length === 0) void search();
      }, words().hardware.undone(one.Name));
    },
  };
}

/** The instance that searches: it belongs to the console, and is hidden from fronts. */
async function createHardware(app: ConsoleApp) {
  const modules = await app.call('SVC_GetModules', await app.call('SVC_GetModuleList'));
  const id = modules.find(({ ModuleName }) => ModuleName === MODULE)?.ModuleID;
  if (id === undefined) throw new Error(`This gateway has no module ${MODULE}`);
  const instance = await app.call('SVC_CreateInstance', id);
  await app.call('SVC_SetName', instance, MODULE);
  await app.call('SVC_SetHidden', instance, true);
  // No SVC_ApplyChanges: the instance would open again, without the results of the search that it began with.
  return { id: instance };
}
