import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Type, type Static } from '@sinclair/typebox';
import { checkSchema } from './check/schema-check.js';
import { didYouMean } from '../base/did-you-mean.js';
import { ConfigDocument } from './document.js';
import { fault, messageOf } from '../base/fault.js';

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
    /** The pins as they stand, row by row: names of lines, or what else is there (`3V3`, `GND`). */
    header: Type.Optional(Type.Array(Type.Array(Type.String(), { minItems: 1, maxItems: 2 }))),
    serial: Type.Array(Type.Object({ name, paths: Type.Array(Type.String()) }, strict)),
    leds: Type.Array(Type.Object({ name, path: Type.String() }, strict)),
    /** A chip by the name of its device, and its channels by name. */
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
    simulated: Type.Optional(
      Type.Object(
        {
          wires: Type.Array(Type.Array(Type.String())),
          /** What hangs on its 1-Wire bus, by address. */
          onewire: Type.Optional(Type.Array(Type.String({ pattern: '^[0-9a-f]{2}-[0-9a-f]{12}$' }))),
        },
        strict,
      ),
    ),
  },
  strict,
);

/** What a machine has. */
export interface Board extends Static<typeof boardSchema> {
  /** The name of its file: `raspberry-pi-4`. */
  readonly name: string;
}

/** Where boards are described, and where the kernel says what machine this is. */
export interface BoardSources {
  readonly directory: string;
  readonly compatible: string;
}

/** The device tree's word for what machine this is: strings, each ended by a zero byte. */
export const COMPATIBLE_FILE = '/proc/device-tree/compatible';

/**
 * The board of that name, or, for `auto` or none, the one this machine is: `generic` where no file knows it. Throws
 * ConfigurationError for a bad board file, `CONFIGURATION_INVALID` for a name that is none.
 */
export async function loadBoard(
  wanted: string | undefined,
  { directory, compatible }: BoardSources,
): Promise<Board> {
  const names = (await readdir(directory))
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => file.slice(0, -5));
  if (wanted !== undefined && wanted !== 'auto') {
    if (!names.includes(wanted))
      throw fault(
        'CONFIGURATION_INVALID',
        `there is no board ${wanted}${didYouMean(wanted, names) || `; known: ${names.sort().join(', ')}`}`,
      );
    return readBoard(directory, wanted);
  }
  const machine = (await readFile(compatible, 'utf8').catch(() => ''))
    .split('\0')
    .filter((word) => word !== '');
  for (const candidate of names.sort()) {
    const text = await textOf(directory, candidate);
    // Parsing all of them would take a tenth of a start.
    if (!machine.some((word) => text.includes(word))) continue;
    const board = await readBoard(directory, candidate);
    if (board.compatible.some((word) => machine.includes(word))) return board;
  }
  return readBoard(directory, 'generic');
}

const fileOf = (directory: string, boardName: string) => join(directory, `${boardName}.yaml`);

function textOf(directory: string, boardName: string): Promise<string> {
  const file = fileOf(directory, boardName);
  return readFile(file, 'utf8').catch((thrown: unknown) => {
    throw fault('CONFIGURATION_INVALID', `${file} cannot be read: ${messageOf(thrown)}`);
  });
}

async function readBoard(directory: string, boardName: string): Promise<Board> {
  const document = new ConfigDocument(fileOf(directory, boardName), await textOf(directory, boardName));
  checkSchema(document, boardSchema, { path: [], value: document.value });
  document.throwIfErrors();
  return { ...(document.value as Static<typeof boardSchema>), name: boardName };
}
