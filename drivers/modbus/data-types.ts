/** A data type of a unit's registers. */
export interface DataType {
  readonly name: string;
  /** Number of registers; 0 for a coil; undefined if `Length` determines it. */
  readonly registers: number | undefined;
  readonly kind: 'boolean' | 'integer' | 'float' | 'string';
}

const integer = (name: string, registers: number): DataType => ({ name, registers, kind: 'integer' });
const float = (name: string, registers: number): DataType => ({ name, registers, kind: 'float' });
const string = (name: string): DataType => ({ name, registers: undefined, kind: 'string' });

/** Indexed by their numbers in the interface (`ModBus_UIForm`). */
export const dataTypes: readonly DataType[] = [
  { name: 'Bit', registers: 0, kind: 'boolean' },
  integer('UInt8MSB', 1),
  integer('UInt16', 1),
  integer('UInt32', 2),
  integer('Int8MSB', 1),
  integer('Int16', 1),
  integer('Int32', 2),
  float('Float32', 2),
  integer('Int64', 4),
  float('Float64', 4),
  string('StringPlain'),
  integer('UInt64', 4),
  integer('UInt8LSB', 1),
  integer('Int8LSB', 1),
  string('StringHex'),
];
