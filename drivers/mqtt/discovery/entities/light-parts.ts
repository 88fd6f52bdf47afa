import { variableType } from '../../../../src/device/module.js';
import type { EntityBuilder, VariableOptions } from '../entity-builder.js';
import type { Command, Source } from '../model.js';
import { numberProfile, optionsProfile, shareProfile } from '../presentation.js';

const { integer, string } = variableType;

/** Where a part of a light is read, and how it is set. */
interface LightPart {
  readonly sources: readonly Source[];
  readonly command: Command | undefined;
}

/** The parts of a light that all schemas have. */
export class LightParts {
  readonly #entity: EntityBuilder;

  constructor(entity: EntityBuilder) {
    this.#entity = entity;
  }

  get brightnessScale(): number {
    const scale = this.#entity.settings.number('brightness_scale') ?? 255;
    return scale >= 1 ? Math.round(scale) : 255;
  }

  brightness(part: LightPart): void {
    this.#add(part, {
      part: 'BRIGHTNESS',
      name: 'Brightness',
      type: integer,
      profile: shareProfile(this.brightnessScale),
    });
  }

  /** In mireds, or in kelvin if the device says so: as on the wire, because a conversion loses accuracy. */
  colorTemperature(part: LightPart): void {
    const { settings } = this.#entity;
    const isKelvin = settings.flag('color_temp_kelvin') === true;
    const [min, max] = isKelvin
      ? [settings.number('min_kelvin') ?? 2000, settings.number('max_kelvin') ?? 6535]
      : [
          settings.number('min_mireds') ?? mireds(settings.number('max_kelvin')) ?? 153,
          settings.number('max_mireds') ?? mireds(settings.number('min_kelvin')) ?? 500,
        ];
    const profile = numberProfile({ unit: isKelvin ? 'K' : 'mired', range: [min, max, 1], type: integer });
    this.#add(part, { part: 'COLOR_TEMPERATURE', name: 'Colour temperature', type: integer, profile });
  }

  color(part: LightPart): void {
    this.#add(part, { part: 'COLOR', name: 'Colour', type: integer, profile: '~HexColor' });
  }

  white(part: LightPart, scale: number): void {
    this.#add(part, { part: 'WHITE', name: 'White', type: integer, profile: shareProfile(scale) });
  }

  effect(part: LightPart, effects: readonly string[]): void {
    const profile = optionsProfile(effects);
    this.#add(part, { part: 'EFFECT', name: 'Effect', type: string, role: 'detail', profile });
  }

  colorMode(sources: readonly Source[]): void {
    const part = { sources, command: undefined };
    this.#add(part, {
      part: 'COLOR_MODE',
      name: 'Colour mode',
      type: string,
      role: 'diagnostic',
      profile: undefined,
    });
  }

  #add(from: LightPart, options: VariableOptions): void {
    this.#entity.add({ ...from, isOptimistic: this.#entity.isOptimistic, ...options });
  }
}

const mireds = (kelvin: number | undefined): number | undefined =>
  kelvin === undefined || kelvin <= 0 ? undefined : Math.round(1_000_000 / kelvin);
