import { texts } from '../../web/i18n/i18n.js';
import type { TreeNode } from '../../web/model.js';
import { Icon } from '../../web/parts/icon.js';
import { Slider } from '../../web/parts/slider.js';
import { useApp } from '../app.js';
import { isKnown } from '../tiles/state-line.js';

/** Values of `MOVE` (`~ShutterMoveStop`). */
export const move = { open: 0, stop: 2, close: 4 } as const;

interface ShutterProps {
  /** The instance. */
  readonly shutter: TreeNode;
  readonly name: string;
}

/** Open, stop, close, and the position. A position that is not known is shown faintly. */
export function ShutterControl({ shutter, name }: ShutterProps) {
  const app = useApp();
  const { tile } = texts();
  const { model } = app.gateway;
  const motor = model.child(shutter.id, 'MOVE');
  const position = model.child(shutter.id, 'POSITION');
  const buttons = [
    { icon: 'up', text: tile.up, value: move.open },
    { icon: 'stop', text: tile.stop, value: move.stop },
    { icon: 'down', text: tile.down, value: move.close },
  ];
  return (
    <div class="controls">
      {motor !== undefined &&
        buttons.map(({ icon, text, value }) => (
          <button
            key={icon}
            class="control"
            aria-label={`${text}: ${name}`}
            aria-pressed={value === move.stop ? undefined : isKnown(motor) && motor.value.value === value}
            aria-disabled={app.isInert.value}
            onClick={() => app.set(motor, value)}
          >
            <Icon name={icon} />
          </button>
        ))}
      {position !== undefined && <PositionSlider variable={position} label={`${tile.position}: ${name}`} />}
    </div>
  );
}

interface PositionProps {
  readonly variable: TreeNode;
  readonly label: string;
}

/** Position or slats, 0 to 100. */
export function PositionSlider({ variable, label }: PositionProps) {
  const app = useApp();
  const isCertain = variable.state.value.quality === undefined;
  return (
    <span class={isCertain ? 'position' : 'position faint'}>
      <Slider
        label={label}
        min={0}
        max={100}
        step={1}
        value={Number(variable.value.value)}
        format={(shown) => app.format(variable, shown)}
        onSet={(value) => app.set(variable, value)}
        isInert={app.isInert.value}
      />
    </span>
  );
}
