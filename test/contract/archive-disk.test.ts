/** Disks that are full. */
import { withOwnMounts } from '../tools/namespace.js';
import { diskTests } from './archive/disk.js';

await withOwnMounts(import.meta.url, diskTests);
