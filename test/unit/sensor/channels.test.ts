import t from 'tap';
import { ChannelFilter } from '../../../drivers/sensor/channel-filter.js';
import { parseChannelName, sharedNames } from '../../../drivers/sensor/channel-names.js';
import {
  identOf,
  sensorProperties,
  variablesOf,
  type ChannelProperties,
} from '../../../drivers/sensor/sensor-properties.js';

t.test('the name of a channel says what it measures, and in which unit', async (t) => {
  const about = (channel: string) => {
    const { quantity = '', factor = { multiply: NaN, divide: NaN } } = parseChannelName(channel) ?? {};
    return [quantity, factor.multiply / factor.divide];
  };
  t.strictSame(about('in_temp'), ['temperature', 1 / 1000]);
  t.strictSame(about('in_temp_object'), ['temperature', 1 / 1000]);
  t.strictSame(about('in_humidityrelative'), ['humidity', 1 / 1000]);
  t.strictSame(about('in_pressure'), ['pressure', 10]);
  t.strictSame(about('in_illuminance0'), ['light', 1]);
  t.strictSame(about('in_distance'), ['distance', 1]);
  t.strictSame(about('in_concentration_co2'), ['gas', 10_000]);
  t.strictSame(about('in_accel_x'), ['acceleration', 1]);
  t.strictSame(about('in_voltage0-voltage1'), ['voltage', 1 / 1000]);
  t.strictSame(about('in_current0'), ['current', 1 / 1000]);
  t.strictSame(about('in_power0'), ['power', 1 / 1000]);
  t.strictSame(about('in_energy0'), ['energy', 1 / 3.6e6]);
  t.strictSame(about('in_resistance'), ['resistance', 1]);
  t.strictSame(about('temp1'), ['temperature', 1 / 1000]);
  t.strictSame(about('in3'), ['voltage', 1 / 1000]);
  t.strictSame(about('curr1'), ['current', 1 / 1000]);
  t.strictSame(about('power1'), ['power', 1e-6]);
  t.strictSame(about('energy1'), ['energy', 1 / 3.6e12]);
  t.strictSame(about('humidity1'), ['humidity', 1 / 1000]);
  for (const other of [
    'fan1',
    'in_magn_x',
    'in',
    'in_',
    'temp',
    'CPU',
    '__proto__',
    'in_constructor',
    'name',
  ])
    t.equal(parseChannelName(other), undefined, other);
});

t.test('scale and offset may be shared by channels', async (t) => {
  t.strictSame(sharedNames('in_voltage0'), ['in_voltage0_', 'in_voltage_', 'in_', '']);
  t.strictSame(sharedNames('in_voltage0-voltage1'), [
    'in_voltage0-voltage1_',
    'in_voltage-voltage_',
    'in_',
    '',
  ]);
  t.strictSame(sharedNames('in_accel_x'), ['in_accel_x_', 'in_accel_', 'in_', '']);
  t.strictSame(sharedNames('in_temp'), ['in_temp_', 'in_', '']);
});

t.test('a channel has its own ident, whatever else the instance has', async (t) => {
  const idents = (...channels: ChannelProperties[]) => channels.map((channel) => identOf(channel));
  t.strictSame(
    idents(
      { Channel: 'in_temp' },
      { Channel: 'in_accel_x' },
      { Channel: 'in_voltage0-voltage1' },
      { Channel: 'temp2' },
      { Channel: 'in_concentration_co2' },
      { Channel: 'in_voltage0', Conversion: '4-20mA' },
      { Channel: 'in_voltage1', Conversion: 'pt100' },
      { Channel: 'Core 0', Quantity: 'temperature' },
      { Channel: 'in_temp', Ident: 'ROOM' },
    ),
    [
      'TEMPERATURE',
      'ACCELERATION_X',
      'VOLTAGE_0_1',
      'TEMPERATURE_2',
      'GAS_CO2',
      'VALUE_0',
      'TEMPERATURE_1',
      'TEMPERATURE_CORE_0',
      'ROOM',
    ],
  );
});

t.test('a variable has the profile of what it shows', async (t) => {
  const channels: ChannelProperties[] = [
    { Channel: 'in_temp' },
    { Channel: 'in_voltage0', Conversion: '4-20mA', From: 0, To: 5, Profile: '~Flow', Name: 'Inflow' },
    { Channel: 'in_voltage1' },
    { Channel: 'energy1' },
  ];
  t.match(variablesOf({ Device: 'x', EveryS: 2, Trigger: '', SampleHz: 0, Channels: channels }), [
    { ident: 'TEMPERATURE', name: 'Temperature', profile: '~Temperature', role: 'main', staleAfterS: 16 },
    { ident: 'VALUE_0', name: 'Inflow', profile: '~Flow', profileProperty: 'Channels[1].Profile' },
    { ident: 'VOLTAGE_1', name: 'Voltage', profile: 'Sensor.V', profileDefinition: { suffix: ' V' } },
    { ident: 'ENERGY_1', profile: '~Electricity', counter: true },
    { ident: 'ERRORS', role: 'diagnostic' },
  ]);
  t.equal(sensorProperties.properties.EveryS.default, 10);
});

t.test('the median drops single outliers, the exponential filter follows by its time constant', async (t) => {
  const median = new ChannelFilter({ Median: 3 });
  t.strictSame(
    [20, 21, 99, 22, 23].map((value, n) => median.add(value, n * 1000)),
    [20, 20.5, 21, 22, 23],
  );
  const smooth = new ChannelFilter({ SmoothS: 10 });
  t.equal(smooth.add(0, 0), 0);
  t.ok(Math.abs(smooth.add(1, 10_000) - (1 - Math.exp(-1))) < 1e-12);
  smooth.reset();
  t.equal(smooth.add(5, 11_000), 5, 'after a wire break it starts over');
});

t.test('changes within the dead band are not reported, and do not add up unseen', async (t) => {
  const filter = new ChannelFilter({ DeadBand: 0.5 });
  t.strictSame(
    [20, 20.4, 20.2, 20.5, 20.9, 21].map((value, n) => filter.add(value, n)),
    [20, 20, 20, 20.5, 20.5, 21],
  );
});
