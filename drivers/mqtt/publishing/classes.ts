/** Device class and unit of Home Assistant for the built-in profiles of measurements. */
export const MEASUREMENTS: Readonly<Record<string, readonly [deviceClass: string, unit: string]>> = {
  '~Temperature': ['temperature', '°C'],
  '~Temperature.Room': ['temperature', '°C'],
  '~Temperature.HM': ['temperature', '°C'],
  '~Temperature.Fahrenheit': ['temperature', '°F'],
  '~Temperature.Difference': ['', 'K'],
  '~Humidity': ['humidity', '%'],
  '~Humidity.F': ['humidity', '%'],
  '~AirPressure': ['atmospheric_pressure', 'hPa'],
  '~AirPressure.F': ['atmospheric_pressure', 'hPa'],
  '~Illumination': ['illuminance', 'lx'],
  '~Illumination.F': ['illuminance', 'lx'],
  '~CO2': ['carbon_dioxide', 'ppm'],
  '~WindSpeed.kmh': ['wind_speed', 'km/h'],
  '~WindSpeed.ms': ['wind_speed', 'm/s'],
  '~Rainfall': ['precipitation', 'mm'],
  '~Volt': ['voltage', 'V'],
  '~Volt.230': ['voltage', 'V'],
  '~Ampere': ['current', 'A'],
  '~Milliampere': ['current', 'mA'],
  '~Hertz': ['frequency', 'Hz'],
  '~Watt': ['power', 'W'],
  '~Watt.3680': ['power', 'W'],
  '~Power': ['power', 'kW'],
  '~Electricity': ['energy', 'kWh'],
  '~Electricity.Wh': ['energy', 'Wh'],
  '~Gas': ['gas', 'm³'],
  '~Water': ['water', 'm³'],
  '~Flow': ['volume_flow_rate', 'm³/h'],
  '~Liquid_pH.F': ['ph', ''],
  '~Battery.100': ['battery', '%'],
};

/** Profiles of unix times. */
export const TIMESTAMPS: ReadonlySet<string> = new Set([
  '~UnixTimestamp',
  '~UnixTimestampTime',
  '~UnixTimestampDate',
]);

/** Quantities that Home Assistant takes as totals. */
export const TOTALS: ReadonlySet<string> = new Set(['energy', 'gas', 'water']);

/**
 * Device class of binary sensors for the built-in profiles; `isReversed`: true of the variable is off there.
 * A lock is on when it is unlocked.
 */
export const BINARY: Readonly<Record<string, readonly [deviceClass: string, isReversed: boolean]>> = {
  '~Alert': ['problem', false],
  '~Alert.Reversed': ['problem', true],
  '~Battery': ['battery', false],
  '~Battery.Reversed': ['battery', true],
  '~Lock': ['lock', true],
  '~Lock.Reversed': ['lock', false],
  '~Motion': ['motion', false],
  '~Motion.Reversed': ['motion', true],
  '~Presence': ['presence', false],
  '~Presence.Reversed': ['presence', true],
  '~Raining': ['moisture', false],
  '~Window': ['window', false],
  '~Window.Reversed': ['window', true],
};
