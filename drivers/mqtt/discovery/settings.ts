import type { Settings } from './announcement.js';

const TRUE_WORDS: readonly string[] = ['true', 'yes', 'on', '1', 'enable'];
const FALSE_WORDS: readonly string[] = ['false', 'no', 'off', '0', 'disable'];

/**
 * The settings of an entity by type. Like Home Assistant, it takes numbers and booleans that are texts. What
 * cannot be read counts as missing and is a problem.
 */
export class SettingsReader {
  readonly #settings: Settings;
  readonly problems: string[] = [];

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** Whether the setting is there and is not null. */
  has(key: string): boolean {
    return this.raw(key) !== undefined && this.raw(key) !== null;
  }

  raw(key: string): unknown {
    return Object.hasOwn(this.#settings, key) ? this.#settings[key] : undefined;
  }

  /** A text; null and missing are undefined. Booleans are written as Python writes them. */
  text(key: string): string | undefined {
    const value = this.raw(key);
    if (value === undefined || value === null) return undefined;
    const text = textOf(value);
    if (text === undefined) this.problem(`${key} is no text`);
    return text;
  }

  /** The text of a payload; null is undefined: there is no such command. */
  payload(key: string, standard: string): string;
  payload(key: string, standard: undefined): string | undefined;
  payload(key: string, standard: string | undefined): string | undefined {
    return this.text(key) ?? standard;
  }

  /** The text of a payload that can be switched off with null. */
  optionalPayload(key: string, standard: string | undefined): string | undefined {
    return this.raw(key) === null ? undefined : (this.text(key) ?? standard);
  }

  number(key: string): number | undefined {
    const value = this.raw(key);
    if (value === undefined || value === null) return undefined;
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    if (typeof number === 'number' && Number.isFinite(number)) return number;
    this.problem(`${key} is no number`);
    return undefined;
  }

  flag(key: string): boolean | undefined {
    const value = this.raw(key);
    if (value === undefined || value === null) return undefined;
    const word = String(textOf(value)).toLowerCase();
    if (TRUE_WORDS.includes(word)) return true;
    if (FALSE_WORDS.includes(word)) return false;
    this.problem(`${key} is neither true nor false`);
    return undefined;
  }

  /** A list of texts; a single text is a list of one. */
  list(key: string): readonly string[] | undefined {
    const value = this.raw(key);
    if (value === undefined || value === null) return undefined;
    const texts = [value].flat().map(textOf);
    if (texts.every((one) => one !== undefined)) return texts;
    this.problem(`${key} is no list of texts`);
    return undefined;
  }

  problem(text: string): void {
    this.problems.push(text);
  }
}

/** A scalar as text, as Python writes it; undefined for anything else. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return typeof value === 'number' ? String(value) : undefined;
}
