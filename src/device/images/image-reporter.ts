import { coded, type Text } from '../../base/codes/coded-text.js';
import type { Cancel, Clock } from '../../base/clock.js';
import { codedMessageOf, Fault } from '../../base/fault.js';
import type { Instance } from '../../kernel/instances.js';
import { imageTypeOf, imageTypes } from '../../kernel/image-type.js';
import type { Kernel } from '../../kernel/kernel.js';
import type { Media } from '../../kernel/media.js';
import { objectType } from '../../kernel/object.js';

/** The shortest time between two announcements of one image: a camera may send 25 a second. */
const ANNOUNCE_MS = 1000;

interface ReporterOptions {
  readonly kernel: Kernel;
  readonly clock: Clock;
  readonly instance: Instance;
}

/** The images of one open instance. Each can be read immediately, and is announced at most once a second. */
export class ImageReporter {
  readonly #options: ReporterOptions;
  readonly #signal: AbortSignal;
  /** Images that were announced within the last second. */
  readonly #announced = new Map<Media, { readonly cancel: Cancel; isChanged: boolean }>();

  constructor(options: ReporterOptions, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
  }

  /** Implements `Host.reportImage`. */
  report(ident: string, content: Uint8Array, available: boolean): Text | undefined {
    const { kernel, clock } = this.#options;
    const media = this.#find(ident);
    if (media === undefined) return undefined;
    if (imageTypeOf(content) === undefined)
      return coded`NOT_AN_IMAGE: the content is none of ${imageTypes.join(', ')}`;
    try {
      kernel.media.report(media, content, { updated: Math.floor(clock.nowMs() / 1000), available });
    } catch (thrown) {
      if (thrown instanceof Fault) return codedMessageOf(thrown);
      throw thrown;
    }
    const recent = this.#announced.get(media);
    if (recent === undefined) this.#announce(media);
    else recent.isChanged = true;
    return undefined;
  }

  /** Implements `Host.setImageAvailable`. */
  setAvailable(ident: string, isAvailable: boolean): void {
    const { media } = this.#options.kernel;
    const found = this.#find(ident);
    if (found !== undefined) media.setAvailable(found, isAvailable && media.hasReported(found));
  }

  #announce(media: Media): void {
    const { kernel, clock } = this.#options;
    kernel.media.announceContent(media, media.data);
    if (this.#announced.size === 0) this.#signal.addEventListener('abort', this.#close, { once: true });
    const cancel = clock.after(ANNOUNCE_MS, () => {
      const isChanged = this.#announced.get(media)?.isChanged === true;
      this.#announced.delete(media);
      if (isChanged && kernel.tree.find(media.id) === media) this.#announce(media);
    });
    this.#announced.set(media, { cancel, isChanged: false });
  }

  readonly #close = () => {
    for (const { cancel } of this.#announced.values()) cancel();
    this.#announced.clear();
  };

  #find(ident: string): Media | undefined {
    if (this.#signal.aborted) return undefined;
    const { kernel, instance } = this.#options;
    const found = instance.children?.byIdent(ident);
    return found?.is(objectType.media) === true && kernel.media.isReported(found) ? found : undefined;
  }
}
