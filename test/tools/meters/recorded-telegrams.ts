import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  RejectionReason,
  Telegram,
  TelegramListener,
  TelegramParser,
} from '../../../drivers/meter/telegram.js';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';

/** A recorded telegram; the other fields depend on the kind. */
export interface Recording<T> {
  readonly id: string;
  readonly kind: string;
  readonly hex: string;
  readonly fields: T;
}

/** The recorded telegrams of a kind, with what another program reads from them. */
export function recordedTelegrams<T>(kind: string): Recording<T>[] {
  const text = readFileSync(join(PACKAGE_ROOT, 'test/fixtures/meters/telegrams.jsonl'), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string; kind: string; hex: string })
    .filter((one) => one.kind === kind)
    .map((one) => ({ id: one.id, kind: one.kind, hex: one.hex, fields: one as unknown as T })); // checked by tests
}

/** Collects what a parser finds. */
export class CollectedTelegrams implements TelegramListener {
  readonly telegrams: Telegram[] = [];
  readonly rejections: RejectionReason[] = [];

  onTelegram(telegram: Telegram): void {
    this.telegrams.push(telegram);
  }

  onRejected(reason: RejectionReason): void {
    this.rejections.push(reason);
  }
}

/** What a parser finds in bytes that arrive in groups of a size. */
export function parseAll(
  create: (listener: TelegramListener) => TelegramParser,
  bytes: Uint8Array,
  size = bytes.length,
): CollectedTelegrams {
  const found = new CollectedTelegrams();
  const parser = create(found);
  for (let at = 0; at < bytes.length; at += size) parser.push(bytes.subarray(at, at + size));
  return found;
}
