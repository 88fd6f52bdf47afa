import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** The file that a configuration is read from. */
export interface ConfigSource {
  /** The file that is read, absolute. */
  readonly file: string;
  /** The file that the gateway was started with, absolute. */
  readonly given: string;
  /** The directory that relative paths in it start from. */
  readonly base: string;
  /** Whether it replaces the file that the gateway was started with. */
  readonly isOverlay: boolean;
}

/** The configuration in a data directory. It replaces the file that the gateway was started with. */
export const overlayPath = (directory: string): string => join(resolve(directory), 'gateway.yaml');

/**
 * The configuration of a gateway: the overlay in its data directory if there is one, otherwise the given file.
 * Relative paths in an overlay start from the directory of the given file, because it began as a copy of it.
 */
export function locateConfig(file: string, directory: string): ConfigSource {
  const given = resolve(file);
  const overlay = overlayPath(directory);
  const isOverlay = overlay !== given && existsSync(overlay);
  return { file: isOverlay ? overlay : given, given, base: dirname(given), isOverlay };
}
