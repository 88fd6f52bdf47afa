import type {
  MotorDirection,
  ShutterState,
  TravelTimes,
} from '../../../drivers/gpio/outputs/shutter-travel.js';
import type { Random } from '../random.js';

/**
 * Maximum delay of a motor, and deviation of its speed: within the assumed limits, and different each time.
 */
const LATEST_MS = 40;
const SPEED_OFF = 0.009;

/**
 * A simulated shutter: a motor that starts late, runs on, and varies in speed; slats that turn first; end
 * stops. 0 is open, 1 is closed.
 */
export class ShutterPhysics {
  position: number;
  slat: number;
  readonly #times: TravelTimes;
  readonly #random: Random;

  constructor(times: TravelTimes, random: Random) {
    this.#times = times;
    this.#random = random;
    this.position = random.next();
    this.slat = times.slatMs === 0 ? 0 : random.next();
  }

  /** Runs the motor for this time. */
  run(direction: MotorDirection, ms: number): void {
    const lateMs = this.#random.next() * LATEST_MS;
    const runsOnMs = this.#random.next() * LATEST_MS;
    const speed = 1 + (this.#random.next() * 2 - 1) * SPEED_OFF;
    this.#move(direction, Math.max(0, ms - lateMs + runsOnMs) * speed);
  }

  /** Whether its position is within the estimated range, with a tolerance for rounding. */
  isWithin({ position, slat }: ShutterState): boolean {
    const isIn = (value: number, { low, high }: { low: number; high: number }) =>
      value >= low - 1e-9 && value <= high + 1e-9;
    return isIn(this.position, position) && (this.#times.slatMs === 0 || isIn(this.slat, slat));
  }

  toString(): string {
    return `${this.position} (slats ${this.slat})`;
  }

  #move(direction: MotorDirection, ms: number): void {
    const { slatMs, runMs } = this.#times;
    const sign = direction === 'down' ? 1 : -1;
    const turnMs = Math.min(ms, (direction === 'down' ? 1 - this.slat : this.slat) * slatMs);
    if (slatMs > 0) this.slat += (sign * turnMs) / slatMs;
    const travelled = (ms - turnMs) / (runMs[direction] - slatMs);
    this.position = Math.min(1, Math.max(0, this.position + sign * travelled));
  }
}
