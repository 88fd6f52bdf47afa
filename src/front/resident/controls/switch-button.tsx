import type { ComponentProps } from 'preact';
import type { TreeNode } from '../../web/model.js';
import { HoldButton } from '../../web/parts/hold.js';
import { useApp } from '../app.js';
import { holdMsOf } from '../tiles/hold-hint.js';
import { isOn } from '../tiles/state-line.js';

interface SwitchButtonProps extends Pick<ComponentProps<typeof HoldButton>, 'aria-busy' | 'children'> {
  readonly class: string;
  readonly variable: TreeNode;
}

/** Switches a variable on and off; it must be held if the owner protects it. Shows only what was reported. */
export function SwitchButton({ class: appearance, variable, ...others }: SwitchButtonProps) {
  const app = useApp();
  const isChecked = isOn(variable);
  return (
    <HoldButton
      {...others}
      class={`${appearance} ${isChecked ? 'on' : ''}`}
      role="switch"
      aria-checked={isChecked}
      holdMs={holdMsOf(app, variable.id)}
      onDone={() => app.set(variable, !isChecked)}
      isInert={app.isInert.value}
    />
  );
}
