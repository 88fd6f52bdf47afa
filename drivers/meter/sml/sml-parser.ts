import type { MeterRecord, TelegramListener, TelegramParser } from '../telegram.js';
import { readDzgPower } from './dzg-power.js';
import { readEntries, type SmlEntry } from './messages.js';
import { SmlSyntaxError } from './nodes.js';
import { serverIdText } from './server-id.js';
import { SmlTransport } from './transport.js';
import { dlmsUnits } from './units.js';

/** Powers of ten that meters use; anything else is a defect. */
const MAX_SCALER = 12;

/** Finds SML telegrams (BSI TR-03109-1 annex IV) in a stream. */
export class SmlParser implements TelegramParser {
  readonly #transport: SmlTransport;

  constructor(listener: TelegramListener) {
    this.#transport = new SmlTransport({
      onPayload: (payload) => {
        const records = recordsOf(payload);
        if (records === undefined) listener.onRejected('malformed');
        else if (records.length > 0) listener.onTelegram({ check: 'valid', records });
      },
      onRejected: (reason) => listener.onRejected(reason),
    });
  }

  push(bytes: Uint8Array): void {
    this.#transport.push(bytes);
  }

  reset(): void {
    this.#transport.reset();
  }
}

function recordsOf(payload: Uint8Array): MeterRecord[] | undefined {
  try {
    return readDzgPower(readEntries(payload)).flatMap(recordOf);
  } catch (thrown) {
    if (thrown instanceof SmlSyntaxError) return undefined;
    throw thrown;
  }
}

function recordOf({ name, status, unit, scaler, value }: SmlEntry): MeterRecord[] {
  const [a, b, c, d, e, f] = name;
  const code = `${a}-${b}:${c}.${d}.${e}*${f}`;
  if (value instanceof Uint8Array)
    return value.length === 0 ? [] : [{ code, value: serverIdText(value), unit: '', resolution: 0 }];
  if (Math.abs(scaler) > MAX_SCALER) return [];
  const raw = Number(typeof value === 'boolean' ? value : value.number);
  return [
    {
      code,
      // Dividing by a power of ten is exact to the last digit, multiplying by a negative power is not.
      value: scaler < 0 ? raw / 10 ** -scaler : raw * 10 ** scaler,
      unit: dlmsUnits.get(unit ?? 0) ?? '',
      resolution: 10 ** scaler,
      ...(status !== undefined && { status: Number(BigInt.asUintN(53, status)) }),
    },
  ];
}
