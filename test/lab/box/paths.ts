/** Paths of the lab of the flashable image: everything that it creates is in .work/lab/box of the checkout. */
import { join } from 'node:path';
import { ROOT, WORK } from '../paths.js';

/** The scripts that build images. */
export const IMAGE = join(ROOT, 'box/image');
/** The board of the image and of the emulated machine; another one is given in the variable BOARD. */
export const BOARD = process.env['BOARD'] === 'generic-x64' ? 'generic-x64' : 'generic-arm64';
/** Everything generated; may be deleted at any time. */
export const BOX_WORK = join(WORK, BOARD === 'generic-x64' ? 'box-x64' : 'box');
/** Versions: the image has the first; the others are updates. */
export const VERSION = { flashed: '1.0.0', good: '1.1.0', broken: '1.2.0' } as const;
/** What up.ts prepares. */
export const PREPARED = {
  /** The image as it is downloaded, with a guest agent in its slot. */
  disk: join(BOX_WORK, 'disk.img'),
  /** A file system with updates: good, broken, foreign and damaged (`NAME.raucb`). */
  stick: join(BOX_WORK, 'stick.ext4'),
} as const;
