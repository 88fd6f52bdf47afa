import type { VariableDeclaration } from '../../../src/device/module.js';
import type { RegisterLayout } from '../codec.js';
import type { ReadCode } from '../pdu.js';
import type { IdentificationEntry, MapEntry, NoValueWord, Table } from './map-schema.js';

/** How a value is written. */
export interface MapWrite {
  readonly code: 5 | 6 | 15 | 16;
  /** From the start of the model in a SunSpec block, as `at`. */
  readonly at: number;
  readonly min: number;
  readonly max: number;
}

/** One value of a map: a variable, and where it is. */
export interface MapValue {
  readonly ident: string;
  readonly declaration: VariableDeclaration;
  /** The first address; in a block with models, counted from the ID of the model. */
  readonly at: number;
  /** Addresses that it occupies: registers, or 1 for a coil. */
  readonly length: number;
  /** Undefined for coils and discrete inputs. */
  readonly layout: RegisterLayout | undefined;
  /** The bit of a register that is the value. */
  readonly bit: number | undefined;
  /** The address of the SunSpec scale factor, counted as `at`. */
  readonly scaleAt: number | undefined;
  readonly offset: number;
  readonly none: NoValueWord | undefined;
  readonly write: MapWrite | undefined;
  /** Of a server: the path of the variable, and what is read while it has no good value. */
  readonly variable: string;
  readonly bad: number | undefined;
}

/** Values of one table that are polled together. */
export interface MapBlock {
  readonly table: Table;
  readonly code: ReadCode;
  readonly everyMs: number;
  /** The SunSpec models that have these values; empty for fixed addresses. */
  readonly models: readonly number[];
  readonly values: readonly MapValue[];
}

/** A register map, checked. */
export interface RegisterMap extends Pick<MapEntry, 'name' | 'kind' | 'source'> {
  /** The name of its file, without extension. */
  readonly id: string;
  /** Registers of one request. */
  readonly limit: number;
  readonly identify: readonly IdentificationEntry[];
  readonly blocks: readonly MapBlock[];
}
