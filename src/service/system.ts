import { readFileSync, readlinkSync, statSync } from 'node:fs';
import { arch, release, type } from 'node:os';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PACKAGE_ROOT } from '../base/package-root.js';

/** Facts about the program and the machine it runs on. */
interface SystemFacts {
  /** `<major>.<minor>`, readable as a float (interface, decision 17). */
  readonly version: string;
  /** The full version. */
  readonly revision: string;
  /** Build time, unix seconds. */
  readonly builtAt: number;
  /** The data directory, absolute, ending in `/`. */
  readonly kernelDir: string;
  readonly logDir: string;
  /** The program's directory, ending in `/`. */
  readonly programDir: string;
  readonly platform: string;
  readonly architecture: string;
  readonly language: string;
  readonly timezone: string;
}

/** The full version of the program. */
export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(`${PACKAGE_ROOT}package.json`, 'utf8')) as { version: string };
  return version;
}

/** Determines the facts; `directory` is the absolute path of the data directory. */
export function systemFacts(directory: string): SystemFacts {
  const revision = packageVersion();
  const kernelDir = directory.endsWith(sep) ? directory : directory + sep;
  return {
    version: revision.split('.').slice(0, 2).join('.'),
    revision,
    builtAt: Math.floor(statSync(fileURLToPath(import.meta.url)).mtimeMs / 1000),
    kernelDir,
    logDir: kernelDir,
    programDir: PACKAGE_ROOT,
    platform: `${type()} ${release()}`,
    architecture: arch(),
    language: languageOf(process.env),
    timezone: timeZone(),
  };
}

/**
 * The system's language, such as "en_US", which is also the default (`C`, `POSIX`). Does not use Intl, which
 * would load ICU: 8 MB and 20 ms.
 */
function languageOf({ LC_ALL, LC_MESSAGES, LANG }: NodeJS.ProcessEnv): string {
  const [spoken = 'en_US'] = /^[a-z]{2,3}_[A-Z]{2}\b/.exec(LC_ALL || LC_MESSAGES || LANG || '') ?? [];
  return spoken;
}

/** The time zone of the process. */
export const timeZone = (): string =>
  process.env['TZ'] || localZone() || Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The name of the machine's time zone, from the target of the link localtime(5). */
function localZone(): string | undefined {
  try {
    return /zoneinfo\/(.+)$/.exec(readlinkSync('/etc/localtime'))?.[1];
  } catch {
    return undefined;
  }
}
