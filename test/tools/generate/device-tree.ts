/** A node of a device tree: its properties as bytes, and its child nodes by name. */
export interface TreeNode {
  readonly properties: ReadonlyMap<string, Buffer>;
  readonly children: ReadonlyMap<string, TreeNode>;
}

const MAGIC = 0xd0_0d_fe_ed;
const token = { beginNode: 1, endNode: 2, property: 3, nop: 4 } as const;

/** Reads a flattened device tree (Devicetree Specification v0.4 §5). Throws if it is invalid. */
export function readTree(blob: Buffer): TreeNode {
  if (blob.readUInt32BE(0) !== MAGIC) throw new Error('this is not a device tree blob');
  const strings = blob.subarray(blob.readUInt32BE(12));
  let at = blob.readUInt32BE(8);
  const word = () => blob.readUInt32BE((at += 4) - 4);
  const text = (from: Buffer, offset: number) => from.toString('latin1', offset, from.indexOf(0, offset));
  const skip = (bytes: number) => (at += (bytes + 3) & ~3);

  function node(): TreeNode {
    const properties = new Map<string, Buffer>();
    const children = new Map<string, TreeNode>();
    for (;;) {
      switch (word()) {
        case token.nop:
          break;
        case token.property: {
          const [length, name] = [word(), word()];
          properties.set(text(strings, name), blob.subarray(at, at + length));
          skip(length);
          break;
        }
        case token.beginNode: {
          const name = text(blob, at);
          skip(name.length + 1);
          children.set(name, node());
          break;
        }
        case token.endNode:
          return { properties, children };
        default:
          throw new Error(`the device tree is damaged before byte ${at}`);
      }
    }
  }

  if (word() !== token.beginNode) throw new Error('the device tree has no root');
  skip(1);
  return node();
}

/** The strings of a property; none if the node or the property is missing. */
export function stringsOf(node: TreeNode | undefined, name: string): string[] {
  const bytes = node?.properties.get(name);
  return bytes === undefined ? [] : bytes.toString('latin1').replace(/\0$/, '').split('\0');
}

/** The node at a path from the root: `/soc/serial@7e201000`. */
export function nodeAt(root: TreeNode, path: string): TreeNode | undefined {
  let node: TreeNode | undefined = root;
  for (const name of path.split('/').filter((step) => step !== '')) node = node?.children.get(name);
  return node;
}

/**
 * The device that the kernel creates for a node of a bus, by its name there: `fe20c000.pwm` for
 * `pwm@7e20c000` (drivers/of/platform.c, of_device_make_bus_id). `parent` is the parent of the bus.
 */
export function deviceName(name: string, { bus, parent }: { bus: TreeNode; parent: TreeNode }): string {
  const [base = '', address = '0'] = name.split('@');
  const local = BigInt(`0x${address}`);
  const [childCells, parentCells, sizeCells] = [
    cells(bus, '#address-cells'),
    cells(parent, '#address-cells'),
    cells(bus, '#size-cells'),
  ];
  const ranges = bus.properties.get('ranges') ?? Buffer.alloc(0);
  const entry = (childCells + parentCells + sizeCells) * 4;
  for (let at = 0; at + entry <= ranges.length; at += entry) {
    const from = numberAt(ranges, at, childCells);
    const to = numberAt(ranges, at + childCells * 4, parentCells);
    const size = numberAt(ranges, at + (childCells + parentCells) * 4, sizeCells);
    if (local >= from && local < from + size) return `${(local - from + to).toString(16)}.${base}`;
  }
  return `${address}.${base}`;
}

/** The cells of an address or a size on a bus; 2 and 1 by default (Devicetree Specification v0.4 §2.3.5). */
const cells = (node: TreeNode, name: string): number =>
  node.properties.get(name)?.readUInt32BE(0) ?? (name === '#size-cells' ? 1 : 2);

function numberAt(bytes: Buffer, at: number, count: number): bigint {
  let number = 0n;
  for (let n = 0; n < count; n += 1) number = (number << 32n) + BigInt(bytes.readUInt32BE(at + n * 4));
  return number;
}

/** A node and all its descendants. */
export function* nodesOf(node: TreeNode): Generator<TreeNode> {
  yield node;
  for (const child of node.children.values()) yield* nodesOf(child);
}
