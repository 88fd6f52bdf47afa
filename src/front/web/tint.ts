/** Luminances of the tiles' backgrounds (`--card`), WCAG 2.2. */
const CARD = { light: 1, dark: 0.0165 } as const;
/** Contrast that WCAG requires of graphics. */
const SUFFICIENT = 3;

/** A colour of a profile as CSS if it is visible on a tile, otherwise undefined. −1 is none. */
export function tintOf(rgb: number, isDark: boolean): string | undefined {
  if (rgb < 0 || rgb > 0xffffff) return undefined;
  const luminance =
    0.2126 * linear(rgb >> 16) + 0.7152 * linear((rgb >> 8) & 0xff) + 0.0722 * linear(rgb & 0xff);
  const card = isDark ? CARD.dark : CARD.light;
  const contrast = (Math.max(luminance, card) + 0.05) / (Math.min(luminance, card) + 0.05);
  return contrast < SUFFICIENT ? undefined : hexColour(rgb);
}

/** `#rrggbb` */
export function hexColour(rgb: number): string {
  return `#${(rgb & 0xffffff).toString(16).padStart(6, '0')}`;
}

/** A part of sRGB, 0 to 255, as linear light. */
function linear(part: number): number {
  const value = part / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}
