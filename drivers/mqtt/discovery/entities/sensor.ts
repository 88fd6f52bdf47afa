import { variableType } from '../../../../src/device/module.js';
import type { EntityBuilder } from '../entity-builder.js';
import { UNREADABLE, type Source } from '../model.js';
import { numberProfile, optionsProfile } from '../presentation.js';
import { readNumber, readOption, readText } from '../readers.js';

const { integer, float, string } = variableType;

/** Classes whose states are not numbers. */
const NOT_NUMERIC: readonly string[] = ['date', 'enum', 'timestamp', 'uptime'];

/** ISO 8601; a time without a zone is local. */
const ISO = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(?:Z|[+-]\d{2}:?\d{2})?)?$/i;

/** A date or time as unix seconds. */
const readTimestamp: Source['read'] = (text, current) => {
  const plain = readText(text, current);
  if (typeof plain !== 'string') return plain;
  const ms = ISO.test(plain) ? Date.parse(plain.length > 10 ? plain : `${plain}T00:00:00`) : NaN;
  return Number.isFinite(ms) ? Math.floor(ms / 1000) : UNREADABLE;
};

export function buildSensor(entity: EntityBuilder): void {
  const { settings } = entity;
  const deviceClass = settings.text('device_class');
  const unit = settings.text('unit_of_measurement');
  const digits = settings.number('suggested_display_precision') ?? settings.number('display_precision');
  const options = settings.list('options');
  const isNumber =
    !NOT_NUMERIC.includes(deviceClass ?? '') &&
    (deviceClass !== undefined || unit !== undefined || settings.has('state_class') || digits !== undefined);
  const source = (read: Source['read']) => ({
    sources: entity.sources('state_topic', { template: ['value_template'], read }),
    expireAfterS: settings.number('expire_after'),
  });
  if (deviceClass === 'timestamp' || deviceClass === 'date' || deviceClass === 'uptime') {
    const profile = deviceClass === 'date' ? '~UnixTimestampDate' : '~UnixTimestamp';
    return entity.add({ type: integer, profile, ...source(readTimestamp) });
  }
  if (isNumber) {
    const profile = numberProfile({
      unit,
      deviceClass,
      digits: digits === undefined ? undefined : clamped(digits),
    });
    return entity.add({ type: float, profile, ...source(readNumber()) });
  }
  const profile = options === undefined ? undefined : optionsProfile(options);
  return entity.add({ type: string, profile, ...source(readOption(options)) });
}

const clamped = (digits: number): number => Math.min(15, Math.max(0, Math.round(digits)));
