import { coded } from '../base/codes/coded-text.js';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Type, type Static } from '@sinclair/typebox';
import { parseDocument } from 'yaml';
import { checkSchema } from './check/schema-check.js';
import { didYouMean } from '../base/did-you-mean.js';
import { ConfigDocument } from './document.js';
import { fault, codedMessageOf } from '../base/fault.js';

const name = Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' });
const strict = { additionalProperties: false };

/** A board file (`docs/hardware/boards.md`). */
const boardSchema = Type.Object(
  {
    title: Type.String(),
    compatible: Type.Array(Type.String()),
    gpio: Type.Array(
      Type.Object(
        {
          chip: Type.String(),
          lines: Type.Record(Type.String(), Type.Integer({ minimum: 0, maximum: 65_535 })),
        },
        strict,
      ),
    ),
    /** The pin header row by row: names of lines, or other pins (`3V3`, `GND`). */
    header: Type.Optional(Type.Array(Type.Array(Type.String(), { minItems: 1, maxItems: 2 }))),
    serial: Type.Array(Type.Object({ name, paths: Type.Array(Type.String()) }, strict)),
    leds: Type.Array(Type.Object({ name, path: Type.String() }, strict)),
    /** Chips by device name, and their channels by name. */
    pwm: Type.Optional(
      Type.Array(
        Type.Object(
          {
            chip: Type.String(),
            channels: Type.Record(Type.String(), Type.Integer({ minimum: 0, maximum: 65_535 })),
          },
          strict,
        ),
      ),
    ),
    /** The line that resets the gateway if it is active for 10 s while the gateway starts. */
    reset: Type.Optional(
      Type.Object(
        {
          line: Type.String({ minLength: 1 }),
          activeLow: Type.Optional(Type.Boolean()),
          bias: Type.Optional(
            Type.Union([Type.Literal('disabled'), Type.Literal('pull-up'), Type.Literal('pull-down')]),
          ),
        },
        strict,
      ),
    ),
    simulated: Type.Optional(
      Type.Object(
        {
          wires: Type.Array(Type.Array(Type.String())),
          /** The devices on its 1-Wire bus, by address. */
          onewire: Type.Optional(Type.Array(Type.String({ pattern: '^[0-9a-f]{2}-[0-9a-f]{12}$' }))),
          /** Its sensor chips, by name and place: `bme280@1-0076`. */
          sensors: Type.Optional(Type.Array(Type.String({ pattern: '^[a-z0-9]+@[0-9a-z.-]+$' }))),
          /** Its serial ports by path, each with the device at its end. */
          serial: Type.Optional(
            Type.Record(
              Type.String(),
              Type.Union([Type.Literal('sml-meter'), Type.Literal('heat-meter'), Type.Literal('inverter')]),
            ),
          ),
        },
        strict,
      ),
    ),
  },
  strict,
);

/** The board of a machine. */
export interface Board extends Static<typeof boardSchema> {
  /** The name of its file, without extension: `raspberry-pi-4`. */
  readonly name: string;
}

/** Where board files are, and where the kernel identifies the machine. */
interface BoardSources {
  readonly directory: string;
  readonly compatible: string;
}

/** The device tree's identification of the machine: strings, each terminated by a zero byte. */
export const COMPATIBLE_FILE = '/proc/device-tree/compatible';

/**
 * Loads the board of that name or, for `auto` or none, the board of this machine: `generic` if no file
 * matches it. Throws ConfigurationError for an invalid board file, `CONFIGURATION_INVALID` for an unknown
 * name.
 */
export async function loadBoard(
  boardName: string | undefined,
  { directory, compatible }: BoardSources,
): Promise<Board> {
  const names = (await readdir(directory))
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => file.slice(0, -5));
  if (boardName !== undefined && boardName !== 'auto') {
    if (!names.includes(boardName))
      throw fault(
        'CONFIGURATION_INVALID',
        coded`NO_BOARD: there is no board ${boardName}${didYouMean(boardName, names) || coded`KNOWN: ; known: ${names.sort().join(', ')}`}`,
      );
    return readBoard(directory, boardName);
  }
  const machine = (await readFile(compatible, 'utf8').catch(() => ''))
    .split('\0')
    .filter((word) => word !== '');
  for (const candidate of names.sort()) {
    const text = await textOf(directory, candidate);
    // Parsing all of them would take a tenth of the startup time.
    if (!machine.some((word) => text.includes(word))) continue;
    const board = await readBoard(directory, candidate);
    if (board.compatible.some((word) => machine.includes(word))) return board;
  }
  return readBoard(directory, 'generic');
}

/**
 * The `board` of a configuration that may have errors; undefined if it has none. Does not parse the text if the
 * key is written as usual: a start has no time to parse a large configuration twice.
 */
export function boardNameIn(text: string): string | undefined {
  const [, plain] = /^board:[ \t]+([\w-]+)[ \t]*(?:#.*)?$/m.exec(text) ?? [];
  if (plain !== undefined || !text.includes('board')) return plain;
  const { board } = (parseDocument(text, { logLevel: 'error' }).toJS() ?? {}) as { readonly board?: unknown };
  return typeof board === 'string' ? board : undefined;
}

const fileOf = (directory: string, boardName: string) => join(directory, `${boardName}.yaml`);

function textOf(directory: string, boardName: string): Promise<string> {
  const file = fileOf(directory, boardName);
  return readFile(file, 'utf8').catch((thrown: unknown) => {
    throw fault(
      'CONFIGURATION_INVALID',
      coded`CANNOT_BE_READ: ${file} cannot be read: ${codedMessageOf(thrown)}`,
    );
  });
}

async function readBoard(directory: string, boardName: string): Promise<Board> {
  const document = new ConfigDocument(fileOf(directory, boardName), await textOf(directory, boardName));
  checkSchema(document, boardSchema, { path: [], value: document.value });
  document.throwIfErrors();
  return { ...(document.value as Static<typeof boardSchema>), name: boardName };
}
