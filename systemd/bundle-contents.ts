/**
 * The files of the checkout that the bundle contains unchanged. `build-bundle.ts` copies them, and a test
 * checks that paths named in texts are among them.
 */
export const BUNDLED_FOLDERS = ['board', 'drivers/modbus/devices', 'systemd', 'bin', 'docs'] as const;
export const BUNDLED_FILES = [
  'package.json',
  'LICENSE',
  'README.md',
  'CHANGELOG.md',
  'ARCHITECTURE.md',
  'SECURITY.md',
] as const;
