import { coded, type Text } from '../../base/codes/coded-text.js';
import { Type, type Static } from '@sinclair/typebox';
import type { Cancel } from '../../base/clock.js';
import { enumProperty } from '../../device/toolkit/enum-property.js';
import {
  type Host,
  type ModuleDefinition,
  moduleKind,
  quality,
  type QualityProblem,
  type OpenInstance,
  variableType,
} from '../../device/module.js';
import { localDay, localInstant, midnight } from '../../base/local-time.js';
import type * as Spans from './sun-spans.js';
import type * as Sun from './sun-times.js';
import { withHelp } from '../../device/toolkit/property-help.js';

/** The variables of the sun's times: ident, name and time. */
const variables = [
  ['Sunrise', 'Sunrise', 'sunrise'],
  ['Sunset', 'Sunset', 'sunset'],
  ['CivilTwilightStart', 'Civil twilight, start', 'civilBegin'],
  ['CivilTwilightEnd', 'Civil twilight, end', 'civilEnd'],
  ['NauticTwilightStart', 'Nautical twilight, start', 'nauticalBegin'],
  ['NauticTwilightEnd', 'Nautical twilight, end', 'nauticalEnd'],
  ['AstronomicTwilightStart', 'Astronomical twilight, start', 'astronomicalBegin'],
  ['AstronomicTwilightEnd', 'Astronomical twilight, end', 'astronomicalEnd'],
] as const satisfies readonly [ident: string, name: string, time: keyof Sun.SunTimes][];
const IS_DAY = 'IsDay';

const sunTime = enumProperty(
  variables.map(([ident]) => ident),
  'Sunrise',
);
/** Seconds after it; negative before it. */
const offsetS = Type.Optional(Type.Integer({ minimum: -43_200, maximum: 43_200 }));

const locationProperties = Type.Object({
  Latitude: withHelp(
    Type.Number({ default: 0, minimum: -90, maximum: 90 }),
    'Place',
    'The latitude in degrees; north is positive.',
  ),
  Longitude: withHelp(
    Type.Number({ default: 0, minimum: -180, maximum: 180 }),
    'Place',
    'The longitude in degrees; east is positive.',
  ),
  Spans: withHelp(
    Type.Array(
      Type.Object(
        {
          Ident: withHelp(Type.String({ pattern: '^[A-Za-z0-9_]{1,64}$' }), '', 'The ident of the variable.'),
          Name: withHelp(
            Type.Optional(Type.String({ maxLength: 200 })),
            '',
            'The name of the variable; the ident by default.',
          ),
          From: withHelp(sunTime, '', 'The time of the sun at which it becomes true.'),
          FromOffsetS: withHelp(offsetS, '', 'Seconds after that time; negative before it.'),
          To: withHelp(sunTime, '', 'The time of the sun at which it becomes false.'),
          ToOffsetS: withHelp(offsetS, '', 'Seconds after that time; negative before it.'),
        },
        { additionalProperties: false },
      ),
      { default: [], maxItems: 50 },
    ),
    'Parts of the day',
    'Each has a variable that is true from one time of the sun to another.',
  ),
});

type Properties = Static<typeof locationProperties>;

/** How often the wall clock is checked: a clock change is noticed within this time. */
const CHECK_INTERVAL_MS = 10_000;

const NOT_SET: QualityProblem = {
  state: quality.stale,
  reason: 'CLOCK_NOT_SET',
  text: 'the clock of this machine has not been set since it was started',
};

const NOT_TODAY: QualityProblem = {
  state: quality.bad,
  reason: 'NOT_TODAY',
  text: 'the sun does not reach this height, or does not leave it, on this day',
};

/** 0° north and 0° east is open sea: the location is not set. */
const isSet = ({ Latitude, Longitude }: Properties): boolean => Latitude !== 0 || Longitude !== 0;

/**
 * The module **Location Control**: the location of the gateway, and the sun's times there
 * (`docs/use/location.md`).
 */
export const locationModule: ModuleDefinition<typeof locationProperties> = {
  id: '{45E97A63-F870-408A-B259-2933F7EABF74}',
  name: 'Location Control',
  description: 'The place of the gateway: sunrise, sunset and parts of the day.',
  icon: 'Sun',
  page: 'use/location.md',
  kind: moduleKind.core,
  prefix: 'LC',
  properties: locationProperties,
  variables: (properties) =>
    isSet(properties)
      ? [
          { ident: IS_DAY, name: 'Day', type: variableType.boolean, role: 'main', position: 0 },
          ...variables.map(([ident, name], n) => ({
            ident,
            name,
            type: variableType.integer,
            role: ident === 'Sunrise' || ident === 'Sunset' ? ('main' as const) : ('detail' as const),
            profile: '~UnixTimestamp',
            position: n + 1,
          })),
          ...properties.Spans.map(({ Ident, Name }, n) => ({
            ident: Ident,
            name: Name ?? Ident,
            type: variableType.boolean,
            role: 'main' as const,
            position: variables.length + n + 1,
          })),
        ]
      : [],
  check,
  disabledReason: (properties) =>
    isSet(properties)
      ? undefined
      : coded`LOCATION_NOT_SET: the location is not set; set Latitude and Longitude in degrees (SVC_SetProperty, then SVC_ApplyChanges)`,
  open: async (host) => {
    const [sun, spans] = await Promise.all([import('./sun-times.js'), import('./sun-spans.js')]);
    return new Location(host, sun, spans);
  },
};

function check({ Spans }: Properties): Text | undefined {
  const taken = new Set<string>([IS_DAY, ...variables.map(([ident]) => ident)]);
  for (const { Ident } of Spans) {
    if (taken.has(Ident)) return coded`SPAN_IDENT_TAKEN: Spans: the ident ${Ident} is taken; choose another`;
    taken.add(Ident);
  }
  return undefined;
}

function spanOf({ From, FromOffsetS = 0, To, ToOffsetS = 0 }: Properties['Spans'][number]): Spans.SunSpan {
  const timeOf = (ident: string) => variables.find(([one]) => one === ident)?.[2] ?? 'sunrise';
  return { from: timeOf(From), fromOffsetS: FromOffsetS, to: timeOf(To), toOffsetS: ToOffsetS };
}

/** Reports the sun's times at the start of each day, and day and night as they begin. */
class Location implements OpenInstance {
  readonly #host: Host<Properties>;
  readonly #sun: typeof Sun;
  readonly #spans: typeof Spans;
  #cancel: Cancel | undefined;
  /** The reported values apply from here until there; unix milliseconds. */
  #fromMs = Infinity;
  #untilMs = Infinity;

  constructor(host: Host<Properties>, sun: typeof Sun, spans: typeof Spans) {
    this.#host = host;
    this.#sun = sun;
    this.#spans = spans;
    const idents = [
      IS_DAY,
      ...variables.map(([ident]) => ident),
      ...host.properties.Spans.map(({ Ident }) => Ident),
    ];
    if (!host.clock.isTrusted()) for (const ident of idents) host.markUncertain(ident, NOT_SET);
    this.#check();
  }

  async close(): Promise<void> {
    this.#cancel?.();
  }

  #check(): void {
    const { clock } = this.#host;
    const nowMs = clock.nowMs();
    const isCurrent = this.#fromMs <= nowMs && nowMs < this.#untilMs;
    if (!isCurrent && clock.isTrusted()) this.#reportAll(nowMs);
    const waitMs = Math.min(CHECK_INTERVAL_MS, Math.max(1, this.#untilMs - nowMs));
    this.#cancel = clock.after(waitMs, () => this.#check());
  }

  #reportAll(nowMs: number): void {
    const host = this.#host;
    const { Latitude: latitude, Longitude: longitude } = host.properties;
    const place = { latitude, longitude };
    const times = this.#sun.sunTimes(nowMs, place);
    for (const [ident, , name] of variables) {
      const atMs = times[name];
      if (atMs === undefined) host.reportUncertain(ident, 0, NOT_TODAY);
      else host.report(ident, Math.floor(atMs / 1000));
    }
    // Last: a script that reacts to nightfall finds the times of its day.
    host.report(IS_DAY, this.#sun.isSunUp(nowMs, place));
    const edges = host.properties.Spans.map((span) => {
      const { isOn, untilMs, isKnown } = this.#spans.spanStateAt(spanOf(span), nowMs, place);
      if (isKnown) host.report(span.Ident, isOn);
      else host.reportUncertain(span.Ident, isOn, NOT_TODAY);
      return untilMs;
    });
    this.#fromMs = nowMs;
    this.#untilMs = Math.min(
      localInstant(localDay(nowMs) + 1, midnight),
      this.#sun.nextSunChange(nowMs, place) ?? Infinity,
      ...edges,
    );
  }
}
