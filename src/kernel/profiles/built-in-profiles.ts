import type { AssociationKey } from '../../base/codes/stable-codes.js';
import { emptyProfile, type Association, type Profile } from './profile-data.js';
import { variableType, type Value, type VariableType } from '../value.js';

type Row = readonly [name: string, type: VariableType, details?: Details];

interface Details {
  readonly icon?: string;
  readonly prefix?: string;
  readonly suffix?: string;
  readonly range?: readonly [min: number, max: number, step: number];
  readonly digits?: number;
  readonly names?: readonly (readonly [value: Value, key: AssociationKey, color?: number])[];
}

/** The names of associations, by their keys. */
const texts = {
  OFF: 'Off',
  ON: 'On',
  OK: 'OK',
  ALERT: 'Alert',
  LOW: 'Low',
  UNLOCKED: 'Unlocked',
  LOCKED: 'Locked',
  NO_MOTION: 'No motion',
  MOTION: 'Motion',
  ABSENT: 'Absent',
  PRESENT: 'Present',
  DRY: 'Dry',
  RAIN: 'Rain',
  CLOSED: 'Closed',
  OPEN: 'Open',
  MOVE_OPEN: 'Open',
  MOVE_STEP_OPEN: 'Step open',
  MOVE_STOP: 'Stop',
  MOVE_STEP_CLOSE: 'Step close',
  MOVE_CLOSE: 'Close',
  PREVIOUS: 'Previous',
  STOP: 'Stop',
  PLAY: 'Play',
  PAUSE: 'Pause',
  NEXT: 'Next',
} as const satisfies Record<AssociationKey, string>;

const { boolean, integer, float, string } = variableType;
const GREEN = 0x00c000;
const RED = 0xff0000;

const onOff = (
  off: AssociationKey,
  on: AssociationKey,
  [offColor, onColor]: readonly [number, number] = [-1, -1],
) =>
  [
    [false, off, offColor],
    [true, on, onColor],
  ] as const;

/** The `~` profiles (interface, decision 23). */
const rows: readonly Row[] = [
  ['~Switch', boolean, { icon: 'Power', names: onOff('OFF', 'ON', [-1, GREEN]) }],
  ['~Alert', boolean, { icon: 'Warning', names: onOff('OK', 'ALERT', [GREEN, RED]) }],
  ['~Alert.Reversed', boolean, { icon: 'Warning', names: onOff('ALERT', 'OK', [RED, GREEN]) }],
  ['~Battery', boolean, { icon: 'Battery', names: onOff('OK', 'LOW', [GREEN, RED]) }],
  ['~Battery.Reversed', boolean, { icon: 'Battery', names: onOff('LOW', 'OK', [RED, GREEN]) }],
  ['~Lock', boolean, { icon: 'Lock', names: onOff('UNLOCKED', 'LOCKED') }],
  ['~Lock.Reversed', boolean, { icon: 'Lock', names: onOff('LOCKED', 'UNLOCKED') }],
  ['~Motion', boolean, { icon: 'Motion', names: onOff('NO_MOTION', 'MOTION') }],
  ['~Motion.Reversed', boolean, { icon: 'Motion', names: onOff('MOTION', 'NO_MOTION') }],
  ['~Presence', boolean, { icon: 'Presence', names: onOff('ABSENT', 'PRESENT') }],
  ['~Presence.Reversed', boolean, { icon: 'Presence', names: onOff('PRESENT', 'ABSENT') }],
  ['~Raining', boolean, { icon: 'Rainfall', names: onOff('DRY', 'RAIN') }],
  ['~Window', boolean, { icon: 'Window', names: onOff('CLOSED', 'OPEN') }],
  ['~Window.Reversed', boolean, { icon: 'Window', names: onOff('OPEN', 'CLOSED') }],

  ['~Battery.100', integer, percent('Battery')],
  ['~Humidity', integer, percent('Drops')],
  ['~Intensity.1', float, { ...percent('Intensity'), range: [0, 1, 0.05] }],
  ['~Intensity.100', integer, percent('Intensity')],
  ['~Intensity.255', integer, { icon: 'Intensity', suffix: '%', range: [0, 255, 1] }],
  ['~Intensity.32767', integer, { icon: 'Intensity', suffix: '%', range: [0, 32767, 1] }],
  ['~Intensity.65535', integer, { icon: 'Intensity', suffix: '%', range: [0, 65535, 1] }],
  ['~Progress', integer, percent('Hourglass')],
  ['~Shutter', integer, percent('Jalousie')],
  ['~Shutter.Reversed', integer, percent('Jalousie')],
  ['~Shutter.Position.100', integer, percent('Jalousie')],
  ['~Valve', integer, percent('Gear')],
  ['~HexColor', integer, { icon: 'Paintbrush', range: [0, 0xffffff, 1] }],
  ['~WindDirection', integer, { icon: 'WindDirection', suffix: ' °', range: [0, 360, 1] }],
  ['~AirPressure', integer, { icon: 'Gauge', suffix: ' hPa', range: [850, 1100, 1] }],
  ['~Illumination', integer, { icon: 'Sun', suffix: ' lx', range: [0, 120_000, 1] }],
  ['~CO2', integer, { icon: 'Gauge', suffix: ' ppm', range: [0, 5000, 1] }],
  ['~UnixTimestamp', integer, { icon: 'Clock' }],
  ['~UnixTimestampTime', integer, { icon: 'Clock' }],
  ['~UnixTimestampDate', integer, { icon: 'Calendar' }],
  [
    '~ShutterMoveStop',
    integer,
    {
      icon: 'Jalousie',
      range: [0, 4, 0],
      names: [
        [0, 'MOVE_OPEN'],
        [2, 'MOVE_STOP'],
        [4, 'MOVE_CLOSE'],
      ],
    },
  ],
  [
    '~ShutterMoveStep',
    integer,
    {
      icon: 'Jalousie',
      range: [0, 4, 0],
      names: [
        [0, 'MOVE_OPEN'],
        [1, 'MOVE_STEP_OPEN'],
        [2, 'MOVE_STOP'],
        [3, 'MOVE_STEP_CLOSE'],
        [4, 'MOVE_CLOSE'],
      ],
    },
  ],
  [
    '~PlaybackPreviousNext',
    integer,
    {
      icon: 'Execute',
      range: [0, 4, 0],
      names: [
        [0, 'PREVIOUS'],
        [1, 'STOP'],
        [2, 'PLAY'],
        [3, 'PAUSE'],
        [4, 'NEXT'],
      ],
    },
  ],
  [
    '~Playback',
    integer,
    {
      icon: 'Execute',
      range: [0, 2, 0],
      names: [
        [0, 'STOP'],
        [1, 'PLAY'],
        [2, 'PAUSE'],
      ],
    },
  ],

  ['~Temperature', float, { icon: 'Temperature', suffix: ' °C', range: [-30, 70, 0], digits: 1 }],
  ['~Temperature.Room', float, { icon: 'Temperature', suffix: ' °C', range: [15, 30, 0.5], digits: 1 }],
  ['~Temperature.HM', float, { icon: 'Temperature', suffix: ' °C', range: [6, 30, 0.5], digits: 1 }],
  ['~Temperature.Difference', float, { icon: 'Temperature', suffix: ' K', range: [-10, 10, 0], digits: 1 }],
  ['~Temperature.Fahrenheit', float, { icon: 'Temperature', suffix: ' °F', range: [-22, 158, 0], digits: 1 }],
  ['~Humidity.F', float, { ...percent('Drops'), digits: 1 }],
  ['~AirPressure.F', float, { icon: 'Gauge', suffix: ' hPa', range: [850, 1100, 0], digits: 1 }],
  ['~Illumination.F', float, { icon: 'Sun', suffix: ' lx', range: [0, 120_000, 0], digits: 2 }],
  ['~WindDirection.F', float, { icon: 'WindDirection', suffix: ' °', range: [0, 360, 0], digits: 1 }],
  ['~WindSpeed.kmh', float, { icon: 'WindSpeed', suffix: ' km/h', range: [0, 200, 0], digits: 1 }],
  ['~WindSpeed.ms', float, { icon: 'WindSpeed', suffix: ' m/s', range: [0, 60, 0], digits: 1 }],
  ['~Rainfall', float, { icon: 'Rainfall', suffix: ' mm', digits: 1 }],
  ['~Volt', float, { icon: 'Electricity', suffix: ' V', digits: 1 }],
  ['~Volt.230', float, { icon: 'Electricity', suffix: ' V', range: [207, 253, 0], digits: 1 }],
  ['~Ampere', float, { icon: 'Electricity', suffix: ' A', digits: 2 }],
  ['~Milliampere', float, { icon: 'Electricity', suffix: ' mA', digits: 0 }],
  ['~Hertz', float, { icon: 'Electricity', suffix: ' Hz', digits: 1 }],
  ['~Watt', float, { icon: 'Electricity', suffix: ' W', digits: 1 }],
  ['~Watt.3680', float, { icon: 'Electricity', suffix: ' W', range: [0, 3680, 0], digits: 1 }],
  ['~Power', float, { icon: 'Electricity', suffix: ' kW', digits: 2 }],
  ['~Electricity', float, { icon: 'Electricity', suffix: ' kWh', digits: 3 }],
  ['~Electricity.Wh', float, { icon: 'Electricity', suffix: ' Wh', digits: 1 }],
  ['~Gas', float, { icon: 'Flame', suffix: ' m³', digits: 2 }],
  ['~Water', float, { icon: 'Drops', suffix: ' m³', digits: 3 }],
  ['~Liquid_pH.F', float, { icon: 'Drops', suffix: ' pH', range: [0, 14, 0], digits: 1 }],
  ['~Flow', float, { icon: 'Drops', suffix: ' m³/h', digits: 2 }],

  ['~HTMLBox', string, { icon: 'Database' }],
  ['~TextBox', string, { icon: 'Database' }],
  ['~String', string],
];

function percent(icon: string): Details {
  return { icon, suffix: '%', range: [0, 100, 1] };
}

/** Creates the built-in profiles: a new list for each caller. */
export function builtInProfiles(): Profile[] {
  return rows.map(([name, type, details = {}]) => {
    const { icon = '', prefix = '', suffix = '', range = [0, 0, 0], digits = 0, names = [] } = details;
    const associations = names.map(([value, key, color = -1]): Association => ({
      value,
      name: texts[key],
      icon: '',
      color,
      key,
    }));
    const [min, max, step] = range;
    return {
      ...emptyProfile(name, type),
      icon,
      prefix,
      suffix,
      min,
      max,
      step,
      digits,
      readOnly: true,
      associations,
    };
  });
}
