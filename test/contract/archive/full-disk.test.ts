/** Disks that are full. */
import { withOwnMounts } from '../../tools/namespace.js';
import { diskTests } from './disk-suite.js';

await withOwnMounts(import.meta.url, diskTests);
