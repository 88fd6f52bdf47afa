import { texts } from '../../web/i18n/i18n.js';
import type { TreeNode } from '../../web/model.js';
import { variableType, type Profile } from '../../web/objects.js';
import { Icon } from '../../web/parts/icon.js';
import { Slider } from '../../web/parts/slider.js';
import { useApp } from '../app.js';
import { hintText } from '../tiles/hold-hint.js';
import { isKnown } from '../tiles/state-line.js';
import { SwitchButton } from './switch-button.js';

interface LevelProps {
  readonly variable: TreeNode;
  readonly name: string;
  readonly isLive?: boolean;
  /** A boolean of the same device: a lamp is switched and dimmed. */
  readonly power?: TreeNode | undefined;
}

/** A number within a range: a slider between two buttons. */
export function LevelControl({ variable, name, isLive = false, power }: LevelProps) {
  const app = useApp();
  const { tile } = texts();
  const profile = app.gateway.model.profileOf(variable);
  if (profile === undefined) return null;
  const { minValue, maxValue } = profile;
  const step = stepOf(variable, profile);
  const value = Number(variable.value.value);
  const set = (next: number) =>
    app.set(variable, rounded(Math.min(maxValue, Math.max(minValue, next)), step));
  const big = buttonStep(profile, step);
  return (
    <div class={isKnown(variable) ? 'controls' : 'controls faint'}>
      {power !== undefined && <PowerButton variable={power} name={name} />}
      <button
        class="control"
        aria-label={tile.decrease(name)}
        aria-disabled={app.isInert.value || value <= minValue}
        onClick={() => set(value - big)}
      >
        <Icon name="minus" />
      </button>
      <Slider
        label={name}
        min={minValue}
        max={maxValue}
        step={step}
        value={value}
        format={(shown) => app.format(variable, shown)}
        onSet={set}
        isLive={isLive}
        isInert={app.isInert.value}
      />
      <button
        class="control"
        aria-label={tile.increase(name)}
        aria-disabled={app.isInert.value || value >= maxValue}
        onClick={() => set(value + big)}
      >
        <Icon name="plus" />
      </button>
    </div>
  );
}

function PowerButton({ variable, name }: { readonly variable: TreeNode; readonly name: string }) {
  return (
    <SwitchButton class="control power" variable={variable}>
      {(hint) => (
        <>
          <span class="unseen">{name} </span>
          {hint === undefined ? <Icon name="Power" /> : <span>{hintText(hint)}</span>}
        </>
      )}
    </SwitchButton>
  );
}

/** The profile's step; without one, the smallest number that is shown. */
function stepOf(variable: TreeNode, { stepSize, digits }: Profile): number {
  if (stepSize > 0) return stepSize;
  return variable.entry.value.data.type === variableType.float ? 10 ** -digits : 1;
}

/** What a press of a button changes: per cent in twentieths, other numbers by their step. */
function buttonStep({ suffix, minValue, maxValue }: Profile, step: number): number {
  if (suffix.trim() !== '%') return step;
  return Math.max(step, Math.round((maxValue - minValue) / 20 / step) * step);
}

/** Without the digits that adding fractions leaves. */
function rounded(value: number, step: number): number {
  return step >= 1 ? value : Number(value.toFixed(6));
}
