/** A chip on I²C for which the kernel has a driver, and how it is declared. */
interface SensorChip {
  /** The overlay of a Raspberry Pi with the word that selects the chip (overlays/README of its kernel). */
  readonly overlay: string;
  /** The address if it is not given. */
  readonly address: string;
  /** The name of the driver's module. */
  readonly module: string;
}

const sensor = (name: string, address: string, module: string): SensorChip => ({
  overlay: `i2c-sensor,${name}`,
  address,
  module,
});

/** By the name that the kernel gives the device; it gives an ADS1115 that of the ADS1015. */
const chips: Readonly<Record<string, SensorChip>> = {
  adt7410: sensor('adt7410', '0x48', 'adt7410'),
  ads1015: { overlay: 'ads1015', address: '0x48', module: 'ti-ads1015' },
  ads1115: { overlay: 'ads1115', address: '0x48', module: 'ti-ads1015' },
  aht10: sensor('aht10', '0x38', 'aht10'),
  bh1750: sensor('bh1750', '0x23', 'bh1750'),
  bme280: sensor('bme280', '0x76', 'bmp280-i2c'),
  bme680: sensor('bme680', '0x76', 'bme680_i2c'),
  bmp180: sensor('bmp180', '0x77', 'bmp280-i2c'),
  bmp280: sensor('bmp280', '0x76', 'bmp280-i2c'),
  bmp380: sensor('bmp380', '0x76', 'bmp280-i2c'),
  ds1621: sensor('ds1621', '0x48', 'ds1621'),
  jc42: sensor('jc42', '0x18', 'jc42'),
  lm75: sensor('lm75', '0x4f', 'lm75'),
  mcp23017: { overlay: 'mcp23017', address: '0x20', module: 'pinctrl-mcp23s08_i2c' },
  pca9555: { overlay: 'pca953x,pca9555', address: '0x20', module: 'gpio-pca953x' },
  pcf8574: { overlay: 'pcf857x,pcf8574', address: '0x20', module: 'gpio-pcf857x' },
  sht3x: sensor('sht3x', '0x44', 'sht3x'),
  sht4x: sensor('sht4x', '0x44', 'sht4x'),
  tmp102: sensor('tmp102', '0x48', 'tmp102'),
};

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
  // A Raspberry Pi has the bus of its header under the number 1.
  if (place === '') return { ...chip, name, bus: '1' };
  const [, bus, address] = /^(\d{1,3})-00([0-7][0-9a-f])$/.exec(place) ?? [];
  return bus === undefined ? undefined : { ...chip, name, bus, address: `0x${address}` };
}

/** The names of all known chips. */
export const knownChips = (): string[] => Object.keys(chips);

/** The line for config.txt of a Raspberry Pi. */
export const overlayOf = ({ overlay, address }: WantedChip): string => `dtoverlay=${overlay},addr=${address}`;

/** The setting for config.txt that turns the bus of the header on. */
export const I2C_SETTING = 'dtparam=i2c_arm=on';
