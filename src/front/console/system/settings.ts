import { useApp } from '../app.js';
import { systemTexts } from '../i18n/system.js';
import { useLoaded } from '../load.js';

/** An area in the configuration: an entry of `configurators`. */
export interface AreaSettings {
  readonly title: string;
  readonly ident: string;
  readonly base: string;
  readonly passwordRequired?: boolean;
  readonly mobile?: boolean;
  readonly icon?: string;
  readonly position?: number;
  readonly editable?: boolean;
  readonly autostart?: readonly string[];
}

/** A target of encrypted backups in the configuration: an entry of `backup.targets`, without its secrets. */
export interface TargetSettings {
  readonly name: string;
  readonly path?: string;
  readonly webdav?: object;
  readonly s3?: object;
  readonly sftp?: object;
}

/** When backups on targets are made, and how many are kept: `backup`, as far as it is in the configuration. */
export interface BackupSettings {
  readonly at?: string;
  readonly verify?: string;
  readonly keep?: { readonly days?: number; readonly weeks?: number; readonly months?: number };
  readonly targets?: readonly TargetSettings[];
}

/** When a box checks for updates: `updates` in the configuration. */
export interface UpdateSettings {
  readonly url: string;
  readonly install?: boolean;
  readonly from?: string;
  readonly to?: string;
}

/** The keys of the configuration that the pages change. */
interface Settings {
  readonly remoteAccess?: { readonly username: string };
  readonly configurators?: readonly AreaSettings[];
  readonly backup?: BackupSettings;
  readonly updates?: UpdateSettings;
}

/** A key of the configuration and its value; null removes it. */
export type Change = readonly [path: string, value: unknown];

/** The settings of the configuration, and a function that changes them; it returns whether it succeeded. */
export function useSettings() {
  const app = useApp();
  const { state, reload } = useLoaded(() => app.call('GW_GetSettings'), []);
  const change = async (digest: string, changes: readonly Change[]): Promise<boolean> => {
    const given = changes.map(([Path, Value]) => ({ Path, Value }));
    const isDone = await app.act(
      () => app.call('GW_ChangeSettings', given, digest),
      systemTexts().configuration.saved,
    );
    // Also after a failure: somebody else may have changed it.
    reload();
    return isDone;
  };
  return { state, reload, change };
}

export const settingsOf = ({ Settings: given }: { readonly Settings: object }): Settings => given;
