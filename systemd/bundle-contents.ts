/**
 * What of the sources a bundle holds as it is: `bundle.ts` copies it, and a test follows the paths that texts
 * name.
 */
export const BUNDLED_FOLDERS = ['board', 'systemd', 'bin', 'docs'] as const;
export const BUNDLED_FILES = [
  'package.json',
  'LICENSE',
  'README.md',
  'CHANGELOG.md',
  'ARCHITECTURE.md',
  'SECURITY.md',
] as const;
