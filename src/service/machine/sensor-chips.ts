/** A chip on I²C for which the kernel has a driver, and how it is declared. */
interface SensorChip {
  /** The overlay of a Raspberry Pi with the word that selects the chip (overlays/README of its kernel). */
  readonly overlay: string;
  /** The address if it is not given. */
  readonly address: string;
  /** The addresses that its pins can select (data sheet). */
  readonly addresses: readonly string[];
  /** The name of the driver's module. */
  readonly module: string;
}

type Address = Pick<SensorChip, 'address' | 'addresses'>;

/** The addresses from one to another, both included. */
const range = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `0x${(from + index).toString(16)}`);

/** One of several addresses, by default the first one. */
const oneOf = (...addresses: readonly [string, ...string[]]): Address => ({
  address: addresses[0],
  addresses,
});

const FOUR: Address = { address: '0x48', addresses: range(0x48, 0x4b) };
const BOSCH = oneOf('0x76', '0x77');
const EXPANDER: Address = { address: '0x20', addresses: range(0x20, 0x27) };

const sensor = (name: string, address: Address, module: string): SensorChip => ({
  overlay: `i2c-sensor,${name}`,
  ...address,
  module,
});

/** By the name that the kernel gives the device; it gives an ADS1115 that of the ADS1015. */
const chips: Readonly<Record<string, SensorChip>> = {
  adt7410: sensor('adt7410', FOUR, 'adt7410'),
  ads1015: { overlay: 'ads1015', ...FOUR, module: 'ti-ads1015' },
  ads1115: { overlay: 'ads1115', ...FOUR, module: 'ti-ads1015' },
  aht10: sensor('aht10', oneOf('0x38', '0x39'), 'aht10'),
  bh1750: sensor('bh1750', oneOf('0x23', '0x5c'), 'bh1750'),
  bme280: sensor('bme280', BOSCH, 'bmp280-i2c'),
  bme680: sensor('bme680', BOSCH, 'bme680_i2c'),
  bmp180: sensor('bmp180', oneOf('0x77'), 'bmp280-i2c'),
  bmp280: sensor('bmp280', BOSCH, 'bmp280-i2c'),
  bmp380: sensor('bmp380', BOSCH, 'bmp280-i2c'),
  ds1621: sensor('ds1621', { address: '0x48', addresses: range(0x48, 0x4f) }, 'ds1621'),
  jc42: sensor('jc42', { address: '0x18', addresses: range(0x18, 0x1f) }, 'jc42'),
  lm75: sensor('lm75', { address: '0x4f', addresses: range(0x48, 0x4f) }, 'lm75'),
  mcp23017: { overlay: 'mcp23017', ...EXPANDER, module: 'pinctrl-mcp23s08_i2c' },
  pca9555: { overlay: 'pca953x,pca9555', ...EXPANDER, module: 'gpio-pca953x' },
  // A PCF8574A is the same chip with other addresses.
  pcf8574: {
    overlay: 'pcf857x,pcf8574',
    address: '0x20',
    addresses: [...range(0x20, 0x27), ...range(0x38, 0x3f)],
    module: 'gpio-pcf857x',
  },
  sht3x: sensor('sht3x', oneOf('0x44', '0x45'), 'sht3x'),
  sht4x: sensor('sht4x', oneOf('0x44', '0x45', '0x46'), 'sht4x'),
  tmp102: sensor('tmp102', FOUR, 'tmp102'),
};

/** The only bus of a Raspberry Pi for which overlays are written: that of the header. */
export const HEADER_BUS = '1';

/** A chip that is to be declared: what the property Device of a sensor names. */
export interface WantedChip extends SensorChip {
  /** The name by which `new_device` of the kernel knows it. */
  readonly name: string;
  /** The number of its bus. */
  readonly bus: string;
}

/**
 * How the chip is declared that a property names (`bme280@1-0076`); undefined if the chip is not known, or its
 * place is not an address on I²C.
 */
export function wantedChip(device: string): WantedChip | undefined {
  const [, name = '', place = ''] = /^([^@]+)(?:@(.+))?$/.exec(device) ?? [];
  if (!Object.hasOwn(chips, name)) return undefined;
  const chip = chips[name] as SensorChip;
  if (place === '') return { ...chip, name, bus: HEADER_BUS };
  const [, bus, address] = /^(\d{1,3})-00([0-7][0-9a-f])$/.exec(place) ?? [];
  return bus === undefined ? undefined : { ...chip, name, bus, address: `0x${address}` };
}

/** The names of all known chips. */
export const knownChips = (): string[] => Object.keys(chips);

/** The line for config.txt of a Raspberry Pi. */
export const overlayOf = ({ overlay, address }: WantedChip): string => `dtoverlay=${overlay},addr=${address}`;

/** The setting for config.txt that turns the bus of the header on. */
export const I2C_SETTING = 'dtparam=i2c_arm=on';
