import { Type } from '@sinclair/typebox';
import { declare, type FunctionDeclaration } from '../../src/device/declare.js';
import type { Backends } from './backends/backends.js';
import { simulationFunctions } from './simulation-functions.js';

/** The functions of the board: `GW_GetLines`, and on the simulated board `GW_Simulate*`. */
export function boardFunctions(backends: Backends): FunctionDeclaration[] {
  const { simulatedBoard, clock } = backends;
  return [
    getLines(backends),
    ...(simulatedBoard === undefined ? [] : simulationFunctions(simulatedBoard, clock)),
  ];
}

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
      "The board's header, row by row, and all lines; Active is present if an instance holds the line.",
  },
);

/** `GW_GetLines()`: the machine's lines and their users, for a picture of the board. */
const getLines = (backends: Backends): FunctionDeclaration =>
  declare({
    name: 'GW_GetLines',
    parameters: [],
    result: 'array',
    shape: linesShape,
    help: "The board's header and all GPIO lines: their names, their users, and the values of the gateway's own lines.",
    run: async () => {
      const { readLineInventory } = await import('./line-inventory.js');
      const lines = await readLineInventory(backends);
      return {
        Board: backends.board.title ?? '',
        Header: backends.board.header ?? [],
        Lines: lines.map(({ chip, info, name, instance, active }) => ({
          Chip: chip.label,
          Offset: info.offset,
          Name: name,
          KernelName: info.name,
          Direction: info.direction,
          Used: info.isUsed,
          Consumer: info.consumer,
          InstanceID: instance,
          ...(active === undefined ? {} : { Active: active }),
        })),
      };
    },
  });
