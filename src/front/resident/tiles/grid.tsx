import type { Tile } from './kinds.js';
import { TileView } from './tile.js';

/** Tiles of equal height in columns. */
export function TileGrid({ tiles }: { readonly tiles: readonly Tile[] }) {
  if (tiles.length === 0) return null;
  return (
    <ul class="tiles">
      {tiles.map((tile) => (
        <li key={tile.key}>
          <TileView tile={tile} />
        </li>
      ))}
    </ul>
  );
}
