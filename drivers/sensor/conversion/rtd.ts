/** Coefficients of platinum with 3851 ppm/K, and its range, °C (IEC 60751:2008, clauses 4.2 and 5.1). */
const A = 3.9083e-3;
const B = -5.775e-7;
const C = -4.183e-12;
export const RTD_MIN_CELSIUS = -200;
export const RTD_MAX_CELSIUS = 850;

/** Smaller steps of the temperature are no improvement, K. */
const PRECISION = 1e-9;
const MAX_STEPS = 20;

/** The resistance of a platinum sensor of `nominalOhm` at 0 °C (Callendar–Van Dusen). */
export function rtdResistance(celsius: number, nominalOhm: number): number {
  const cold = celsius < 0 ? C * (celsius - 100) * celsius ** 3 : 0;
  return nominalOhm * (1 + A * celsius + B * celsius ** 2 + cold);
}

/** The temperature at a resistance, °C; not limited to the range of the standard. */
export function rtdCelsius(ohm: number, nominalOhm: number): number {
  const ratio = ohm / nominalOhm;
  // The solution of the quadratic equation; exact from 0 °C on, close enough to iterate from below it.
  let celsius = (-A + Math.sqrt(Math.max(0, A * A - 4 * B * (1 - ratio)))) / (2 * B);
  if (ratio >= 1) return celsius;
  for (let step = 0; step < MAX_STEPS; step++) {
    const slope = A + 2 * B * celsius + C * (4 * celsius ** 3 - 300 * celsius ** 2);
    const change = (rtdResistance(celsius, 1) - ratio) / slope;
    celsius -= change;
    if (Math.abs(change) < PRECISION) break;
  }
  return celsius;
}
