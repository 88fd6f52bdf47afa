import { texts } from '../../web/i18n/i18n.js';
import type { TreeNode } from '../../web/model.js';
import { HoldButton } from '../../web/parts/hold.js';
import { Icon } from '../../web/parts/icon.js';
import { lazy } from '../../web/parts/lazy.js';
import { addressOf } from '../../web/router.js';
import { hexColour } from '../../web/tint.js';
import { useApp } from '../app.js';
import { SwitchButton } from '../controls/switch-button.js';
import { nameOf, TileFace } from './face.js';
import { HOLD_MS, hintText, holdMsOf } from './hold-hint.js';
import type { Tile } from './kinds.js';
import { isKnown, isOn, stateLine } from './state-line.js';

/** Its controls are not needed by most first views. */
const WideTile = lazy(async () => (await import('./wide-tile.js')).WideTile, true);

const Picture = lazy(async () => (await import('./picture.js')).Picture, true);

const Sparkline = lazy(async () => (await import('./sparkline.js')).Sparkline, true);

interface TileProps {
  readonly tile: Tile;
}

/** A tile of any kind. */
export function TileView({ tile }: TileProps) {
  const { variable } = tile;
  switch (tile.kind) {
    case 'switch':
      return variable === undefined ? null : <SwitchTile tile={tile} variable={variable} />;
    case 'pulse':
      return variable === undefined ? null : <PulseTile tile={tile} variable={variable} />;
    case 'shutter':
    case 'level':
    case 'choice':
      return variable === undefined ? null : <WideTile tile={tile} variable={variable} />;
    case 'script':
      return <ScriptTile tile={tile} />;
    case 'sound':
      return <SoundTile tile={tile} />;
    default:
      return <DetailTile tile={tile} />;
  }
}

interface VariableTileProps extends TileProps {
  readonly variable: TreeNode;
}

/** The entire tile is a switch. It shows only what was reported; a command in flight is a bar. */
function SwitchTile({ tile, variable }: VariableTileProps) {
  const app = useApp();
  const line = stateLine(app, variable);
  const isStateKnown = isKnown(variable);
  return (
    <>
      <SwitchButton class={`tile ${line.tone}`} variable={variable} aria-busy={app.isWaiting(variable)}>
        {(hint) => (
          <TileFace
            tile={tile}
            line={hint === undefined ? line : { ...line, short: hintText(hint) }}
            isStateKnown={isStateKnown}
          />
        )}
      </SwitchButton>
      <MoreLink tile={tile} />
    </>
  );
}

/** Must be held: it may open a door. */
function PulseTile({ tile, variable }: VariableTileProps) {
  const app = useApp();
  const words = texts().tile;
  const line = stateLine(app, variable);
  const isRunning = isOn(variable);
  const value = line.tone === 'bad' ? line.value : isRunning ? words.running : words.trigger;
  return (
    <>
      <HoldButton
        class={`tile ${line.tone} ${isRunning ? 'on' : ''}`}
        aria-busy={app.isWaiting(variable)}
        holdMs={HOLD_MS}
        onDone={() => app.set(variable, true)}
        isInert={app.isInert.value}
      >
        {(hint) => (
          <TileFace
            tile={tile}
            line={{ ...line, value, ...(hint && { reason: hintText(hint), short: '' }) }}
          />
        )}
      </HoldButton>
      <MoreLink tile={tile} />
    </>
  );
}

function ScriptTile({ tile }: TileProps) {
  const app = useApp();
  const { tile: words } = texts();
  const state = app.commands.stateOf(tile.object.id).value;
  const line = app.commandLine(tile.object.id, words.run);
  return (
    <HoldButton
      class={`tile ${line.tone}`}
      aria-busy={state?.kind === 'waiting'}
      holdMs={holdMsOf(app, tile.object.id)}
      onDone={() => app.run(tile.object)}
      isInert={app.isInert.value}
    >
      {(hint) => (
        <TileFace tile={tile} line={hint === undefined ? line : { ...line, value: hintText(hint) }} />
      )}
    </HoldButton>
  );
}

function SoundTile({ tile }: TileProps) {
  const app = useApp();
  return (
    <button class="tile live" aria-disabled={app.isInert.value} onClick={() => app.play(tile.object.id)}>
      <TileFace tile={tile} line={app.commandLine(tile.object.id, texts().tile.play)} />
    </button>
  );
}

/** Opens the sheet, or the history of a chart. */
function DetailTile({ tile }: TileProps) {
  const app = useApp();
  const { variable, kind, object } = tile;
  const line = variable === undefined ? undefined : stateLine(app, variable);
  const { crc = '', isAvailable } = object.entry.value.data;
  return (
    <a
      class={`tile ${line?.tone ?? 'live'} ${kind === 'image' ? 'pictured' : ''}`}
      href={addressOf(kind === 'chart' ? 'history' : 'object', object.id)}
    >
      <TileFace tile={tile} line={line}>
        {kind === 'colour' && variable !== undefined && isKnown(variable) && (
          <span class="swatch" style={{ backgroundColor: hexColour(Number(variable.value.value)) }} />
        )}
        {kind === 'reading' && variable !== undefined && app.gateway.model.logged.value.has(variable.id) && (
          <Sparkline id={variable.id} />
        )}
        {kind === 'image' && isAvailable && <Picture address={`${app.base}media/${object.id}?${crc}`} />}
      </TileFace>
    </a>
  );
}

/** Leads from a tile that is operated to its details. */
function MoreLink({ tile }: TileProps) {
  const app = useApp();
  return (
    <a
      class="more"
      href={addressOf('object', tile.object.id)}
      aria-label={texts().tile.details(nameOf(app, tile))}
    >
      <Icon name="more" />
    </a>
  );
}
