import { Type } from '@sinclair/typebox';
import { declare, type FunctionDeclaration } from '../../src/device/declare.js';
import type { GpioBoard, Backends } from './backends/backends.js';

const text = Type.String();

const linesShape = Type.Object(
  {
    Board: text,
    Header: Type.Array(Type.Array(text)),
    Lines: Type.Array(
      Type.Object({
        Chip: text,
        Offset: Type.Integer(),
        Name: text,
        KernelName: text,
        Direction: Type.Union([Type.Literal('input'), Type.Literal('output'), Type.Literal('unknown')]),
        Used: Type.Boolean(),
        Consumer: text,
        InstanceID: Type.Integer(),
        Active: Type.Optional(Type.Boolean()),
      }),
    ),
  },
  {
    $id: 'Lines',
    description:
      "The board's header, row by row, and all lines; Active is there where an instance has the line.",
  },
);

/** `GW_GetLines()`: the machine's lines with who uses them, for the board's picture. */
export function getLines(board: GpioBoard, ways: Backends): FunctionDeclaration {
  return declare({
    name: 'GW_GetLines',
    parameters: [],
    result: 'array',
    shape: linesShape,
    help: "The board's header and all GPIO lines: their names, who uses them, and the values of the gateway's own.",
    run: async () => {
      const { readLineInventory } = await import('./line-inventory.js');
      const seen = await readLineInventory(board, ways);
      return {
        Board: board.title ?? '',
        Header: board.header ?? [],
        Lines: seen.map(({ chip, info, name, instance, active }) => ({
          Chip: chip.label,
          Offset: info.offset,
          Name: name,
          KernelName: info.name,
          Direction: info.direction,
          Used: info.used,
          Consumer: info.consumer,
          InstanceID: instance,
          ...(active === undefined ? {} : { Active: active }),
        })),
      };
    },
  });
}
