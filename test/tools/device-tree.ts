/** A node of a device tree: its properties as bytes, and the nodes below it by their names. */
export interface TreeNode {
  readonly properties: ReadonlyMap<string, Buffer>;
  readonly children: ReadonlyMap<string, TreeNode>;
}

const MAGIC = 0xd0_0d_fe_ed;
const token = { beginNode: 1, endNode: 2, property: 3, nothing: 4 } as const;

/** Reads a flattened device tree (Devicetree Specification v0.4 §5). Throws where it is none. */
export function readTree(blob: Buffer): TreeNode {
  if (blob.readUInt32BE(0) !== MAGIC) throw new Error('this is no device tree blob');
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
        case token.nothing:
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

/** A property's strings; none where it is not there. */
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

/** A node and all below it. */
export function* nodesOf(node: TreeNode): Generator<TreeNode> {
  yield node;
  for (const child of node.children.values()) yield* nodesOf(child);
}
