/** 0 °C in kelvin. */
const ZERO_CELSIUS = 273.15;
/** The temperature of the nominal resistance, kelvin. */
const NOMINAL_KELVIN = ZERO_CELSIUS + 25;

/** A point of a table of an NTC. */
interface NtcPoint {
  readonly celsius: number;
  readonly ohm: number;
}

/** Temperature by the resistance at 25 °C and the constant B of the data sheet. */
export const betaCelsius = (ohm: number, ohmAt25: number, beta: number): number =>
  1 / (1 / NOMINAL_KELVIN + Math.log(ohm / ohmAt25) / beta) - ZERO_CELSIUS;

/** Temperature by the coefficients of Steinhart and Hart: 1/T = A + B·ln R + C·(ln R)³. */
export function steinhartHartCelsius(ohm: number, [a, b, c]: readonly [number, number, number]): number {
  const log = Math.log(ohm);
  return 1 / (a + b * log + c * log ** 3) - ZERO_CELSIUS;
}

/** Parses `-40:332094 0:32554 25:10000`: °C and Ω, in any order. Undefined if it is not such a table. */
export function parseNtcTable(text: string): readonly NtcPoint[] | undefined {
  const points = text
    .trim()
    .split(/[\s,;]+/)
    .map((pair) => {
      const [, celsius = '', ohm = ''] = /^(-?\d+(?:\.\d+)?):(\d+(?:\.\d+)?)$/.exec(pair) ?? [];
      return { celsius: celsius === '' ? NaN : Number(celsius), ohm: Number(ohm) };
    })
    .toSorted((one, other) => one.celsius - other.celsius);
  const isFalling = points.every(
    ({ celsius, ohm }, n) =>
      ohm > 0 &&
      (n === 0 || (celsius > (points[n - 1] as NtcPoint).celsius && ohm < (points[n - 1] as NtcPoint).ohm)),
  );
  return points.length >= 2 && points.every(({ celsius }) => Number.isFinite(celsius)) && isFalling
    ? points
    : undefined;
}

/**
 * Temperature by a table. Between two points, B is that of the segment, which follows the curve of an NTC;
 * undefined outside the table.
 */
export function tableCelsius(ohm: number, points: readonly NtcPoint[]): number | undefined {
  const at = points.findIndex((point, n) => n > 0 && ohm >= point.ohm && ohm <= (points[n - 1]?.ohm ?? 0));
  const [warm, cold] = [points[at], points[at - 1]];
  if (warm === undefined || cold === undefined) return undefined;
  const [warmInverse, coldInverse] = [1 / (warm.celsius + ZERO_CELSIUS), 1 / (cold.celsius + ZERO_CELSIUS)];
  const part = Math.log(ohm / cold.ohm) / Math.log(warm.ohm / cold.ohm);
  return 1 / (coldInverse + part * (warmInverse - coldInverse)) - ZERO_CELSIUS;
}
