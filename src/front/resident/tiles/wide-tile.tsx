import type { TreeNode } from '../../web/model.js';
import { addressOf } from '../../web/router.js';
import { useApp, type App } from '../app.js';
import { ChoiceControl } from '../controls/choice.js';
import { LevelControl } from '../controls/level.js';
import { ShutterControl } from '../controls/shutter.js';
import { nameOf, TileFace } from './face.js';
import type { Tile } from './kinds.js';
import { lineWithCommand, shutterLine } from './device-line.js';
import { isOn, type StateLine } from './state-line.js';

interface WideTileProps {
  readonly tile: Tile;
  readonly variable: TreeNode;
}

/** A tile with a row of controls below its name and state. */
export function WideTile({ tile, variable }: WideTileProps) {
  const app = useApp();
  const power = powerOf(app, tile);
  const line = lineOf(app, { tile, variable, power });
  const isBusy = app.isWaiting(variable) || (power !== undefined && app.isWaiting(power));
  return (
    <div class={`tile wide ${line.tone} ${power && isOn(power) ? 'on' : ''}`} aria-busy={isBusy}>
      <a class="face" href={addressOf('object', tile.object.id)}>
        <TileFace tile={tile} line={line} />
      </a>
      <WideControl tile={tile} variable={variable} power={power} />
    </div>
  );
}

/** A switch next to a level. */
function powerOf({ gateway: { model } }: App, { kind, object }: Tile): TreeNode | undefined {
  return kind === 'level' ? model.child(object.id, 'STATE') : undefined;
}

interface PoweredProps extends WideTileProps {
  readonly power: TreeNode | undefined;
}

function WideControl({ tile, variable, power }: PoweredProps) {
  const name = nameOf(useApp(), tile);
  switch (tile.kind) {
    case 'shutter':
      return <ShutterControl shutter={tile.object} name={name} />;
    case 'choice':
      return <ChoiceControl variable={variable} name={name} />;
    default:
      return <LevelControl variable={variable} name={name} isLive={tile.live === true} power={power} />;
  }
}

/** The state of a variable; of a shutter, with what its motor does and why it may not. */
function lineOf(app: App, { tile: { kind, object }, variable, power }: PoweredProps): StateLine {
  return kind === 'shutter' ? shutterLine(app, object, variable) : lineWithCommand(app, variable, power);
}
