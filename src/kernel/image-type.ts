/**
 * The images that devices may report, with how each begins. A browser runs no scripts in any of them, which is
 * why SVG is missing.
 */
const FORMATS: Readonly<Record<string, (start: string) => boolean>> = {
  'image/jpeg': (start) => start.startsWith('\xff\xd8\xff'),
  'image/png': (start) => start.startsWith('\x89PNG\r\n\x1a\n'),
  'image/gif': (start) => start.startsWith('GIF87a') || start.startsWith('GIF89a'),
  'image/webp': (start) => start.startsWith('RIFF') && start.endsWith('WEBP'),
};

/** The media types of the images that devices may report. */
export const imageTypes: readonly string[] = Object.keys(FORMATS);

/** The media type of an image by its first bytes; undefined for anything else. */
export function imageTypeOf(content: Uint8Array): string | undefined {
  const start = String.fromCharCode(...content.subarray(0, 12));
  return imageTypes.find((type) => FORMATS[type]?.(start));
}
