/** Colours as 0xRRGGBB, and as devices write them. */

export type Rgb = readonly [red: number, green: number, blue: number];

const channel = (value: number): number => Math.min(255, Math.max(0, Math.round(value)));

export const packRgb = ([red, green, blue]: Rgb): number =>
  channel(red) * 0x10000 + channel(green) * 0x100 + channel(blue);

export const unpackRgb = (color: number): Rgb => [(color >> 16) & 0xff, (color >> 8) & 0xff, color & 0xff];

/** Hue in degrees and saturation in per cent, at full brightness. */
export function rgbFromHs(hue: number, saturation: number): Rgb {
  const share = Math.min(100, Math.max(0, saturation)) / 100;
  const at = (offset: number): number => {
    const k = (offset + (((hue % 360) + 360) % 360) / 60) % 6;
    return 255 * (1 - share * Math.max(0, Math.min(k, 4 - k, 1)));
  };
  return [at(5), at(3), at(1)];
}

/** Hue in degrees and saturation in per cent, with three decimals. */
export function hsFromRgb([red, green, blue]: Rgb): readonly [hue: number, saturation: number] {
  const max = Math.max(red, green, blue);
  const range = max - Math.min(red, green, blue);
  if (range === 0) return [0, 0];
  const sector =
    max === red
      ? ((green - blue) / range + 6) % 6
      : max === green
        ? (blue - red) / range + 2
        : (red - green) / range + 4;
  return [short(sector * 60), short((range * 100) / max)];
}

/** CIE 1931 chromaticity at full brightness, in the colour space that Home Assistant uses (wide gamut D65). */
export function rgbFromXy(x: number, y: number): Rgb {
  if (y <= 0) return [0, 0, 0];
  const [bigX, bigZ] = [x / y, (1 - x - y) / y];
  const linear = [
    bigX * 1.656492 - 0.354851 - bigZ * 0.255038,
    -bigX * 0.707196 + 1.655397 + bigZ * 0.036152,
    bigX * 0.051713 - 0.121364 + bigZ * 1.01153,
  ].map((value) => Math.max(0, value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055));
  const max = Math.max(...linear);
  const [red = 0, green = 0, blue = 0] = linear.map((value) => (max > 1 ? value / max : value) * 255);
  return [red, green, blue];
}

export function xyFromRgb(rgb: Rgb): readonly [x: number, y: number] {
  const [red = 0, green = 0, blue = 0] = rgb.map((value) => {
    const share = value / 255;
    return share > 0.04045 ? ((share + 0.055) / 1.055) ** 2.4 : share / 12.92;
  });
  const bigX = red * 0.664511 + green * 0.154324 + blue * 0.162028;
  const bigY = red * 0.283881 + green * 0.668433 + blue * 0.047685;
  const sum = bigX + bigY + red * 0.000088 + green * 0.07231 + blue * 0.986039;
  return sum === 0 ? [0, 0] : [short(bigX / sum), short(bigY / sum)];
}

const short = (value: number): number => Math.round(value * 1000) / 1000;
