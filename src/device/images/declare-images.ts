import { coded } from '../../base/codes/coded-text.js';
import type { Instance } from '../../kernel/instances.js';
import type { Kernel } from '../../kernel/kernel.js';
import { mediaType, type Media, type MediaObjects } from '../../kernel/media.js';
import { objectType, typeName } from '../../kernel/object.js';
import type { ImageDeclaration, InstanceProblem } from '../module.js';

/**
 * Creates the media objects of the images that an instance's device reports. Those that its module does not
 * declare any more stay without content, and users may delete them. Returns what failed.
 */
export function declareImages(
  { tree, media }: Kernel,
  instance: Instance,
  declared: readonly ImageDeclaration[],
): InstanceProblem[] {
  const idents = new Set(declared.map(({ ident }) => ident));
  for (const one of reportedImages(media, instance))
    if (!idents.has(one.ident)) {
      media.discardReported(one);
      media.setDeclared(one, false);
    }
  return declared.flatMap(({ ident, name, position = 0, isHidden: hidden = false }) => {
    const found = instance.children?.byIdent(ident);
    if (found === undefined) {
      const place = { parent: instance, ident, name, position, hidden, readOnly: true };
      media.setDeclared(media.create(mediaType.image, place), true);
      return [];
    }
    if (found.is(objectType.media) && found.data.type === mediaType.image && found.data.file === '') {
      tree.set(found, 'readOnly', true);
      media.setDeclared(found, true);
      return [];
    }
    // Objects that users created are never replaced.
    const text = coded`IMAGE_IDENT_USED: it has no image ${ident}: #${found.id} below it (${typeName[found.type]}) has this ident; delete it or change its ident, then apply the changes (SVC_ApplyChanges)`;
    return [{ code: 'VARIABLE', text }];
  });
}

/** The media objects of an instance whose images its device reports. */
function* reportedImages(media: MediaObjects, instance: Instance): Generator<Media> {
  for (const child of instance.children ?? [])
    if (child.is(objectType.media) && media.isReported(child)) yield child;
}

/** Discards all images of an instance: its device is not connected. */
export function discardImages({ media }: Kernel, instance: Instance): void {
  for (const one of reportedImages(media, instance)) media.discardReported(one);
}
