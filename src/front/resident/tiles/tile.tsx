import type { ComponentChildren } from 'preact';
import { associationOf } from '../../web/format.js';
import { Icon } from '../../web/parts/icon.js';
import { addressOf } from '../../web/router.js';
import { useApp, type App } from '../app.js';
import type { Tile } from './kinds.js';
import { stateLine, type StateLine } from './state-line.js';

/** A tile of any kind. */
export function TileView({ tile }: { readonly tile: Tile }) {
  switch (tile.kind) {
    case 'switch':
      return <SwitchTile tile={tile} />;
    default:
      return <ReadingTile tile={tile} />;
  }
}

/** The entire tile is a switch. It shows only what was reported; a command in flight is a bar. */
function SwitchTile({ tile }: { readonly tile: Tile }) {
  const app = useApp();
  const { variable } = tile;
  if (variable === undefined) return null;
  const line = stateLine(app, variable);
  const isOn = variable.value.value === true && line.tone !== 'bad';
  const command = app.commands.stateOf(variable.id).value;
  return (
    <button
      class={`tile ${line.tone} ${isOn ? 'on' : ''}`}
      role="switch"
      aria-checked={isOn}
      aria-busy={command?.kind === 'waiting'}
      disabled={isInert(app)}
      onClick={() => app.commands.run(variable.id, variable.value.peek() !== true)}
      onContextMenu={(event) => {
        event.preventDefault();
        app.router.go('object', tile.object.id);
      }}
    >
      <TileBody tile={tile} line={line} />
    </button>
  );
}

function ReadingTile({ tile }: { readonly tile: Tile }) {
  const app = useApp();
  const { variable } = tile;
  const line = variable === undefined ? undefined : stateLine(app, variable);
  return (
    <a class={`tile ${line?.tone ?? 'live'}`} href={addressOf('object', tile.object.id)}>
      <TileBody tile={tile} line={line} />
    </a>
  );
}

/** Nothing is operated while the page shows an older state. */
function isInert(app: App): boolean {
  return app.gateway.state.value.kind !== 'live';
}

interface TileBodyProps {
  readonly tile: Tile;
  readonly line: StateLine | undefined;
  readonly children?: ComponentChildren;
}

/** Icon, name, and the state line: the value and what must be known about it. */
function TileBody({ tile, line, children }: TileBodyProps) {
  const app = useApp();
  return (
    <>
      <Icon name={iconOf(app, tile)} files={`${app.base}icon/`} />
      <span class="name">{nameOf(tile)}</span>
      {line !== undefined && (
        <span class="state">
          <span class="value">{line.value}</span>
          {line.reason !== '' && <span class="reason"> · {line.reason}</span>}
        </span>
      )}
      {children}
    </>
  );
}

function nameOf({ named, suffix }: Tile): string {
  const { name } = named.entry.value;
  return suffix === undefined ? name : `${name} · ${suffix.entry.value.name}`;
}

function iconOf({ gateway: { model } }: App, { named, object, variable }: Tile): string {
  const own = named.entry.value.icon || object.entry.value.icon || (variable?.entry.value.icon ?? '');
  if (own !== '' || variable === undefined) return own || 'dot';
  const profile = model.profileOf(variable);
  const associated = profile === undefined ? undefined : associationOf(variable.value.value, profile)?.icon;
  return associated || profile?.icon || 'dot';
}
