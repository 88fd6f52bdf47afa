import { associationOf, formatAge } from '../../web/format.js';
import { texts } from '../../web/i18n/i18n.js';
import type { TreeNode } from '../../web/model.js';
import { HoldButton } from '../../web/parts/hold.js';
import { lazy } from '../../web/parts/lazy.js';
import { useApp, type App } from '../app.js';
import { ChoiceControl } from '../controls/choice.js';
import { LevelControl } from '../controls/level.js';
import { PositionSlider, ShutterControl } from '../controls/shutter.js';
import { SwitchButton } from '../controls/switch-button.js';
import { StateText } from '../tiles/face.js';
import { HOLD_MS, hintText, holdMsOf } from '../tiles/hold-hint.js';
import { kindOfVariable } from '../tiles/kinds.js';
import { isOn, stateLine, type StateLine } from '../tiles/state-line.js';
import { shutterLine } from '../tiles/device-line.js';
import { sheetTexts } from './texts.js';

const ColourInput = lazy(async () => (await import('./inputs.js')).ColourInput);
const TextInput = lazy(async () => (await import('./inputs.js')).TextInput);
const TimeInput = lazy(async () => (await import('./inputs.js')).TimeInput);

interface VariableControlProps {
  readonly variable: TreeNode;
  /** The sheet's title names it already. */
  readonly isAlone: boolean;
}

/** A variable with its control, its complete state, and the last value that is known. */
export function VariableControl({ variable, isAlone }: VariableControlProps) {
  const app = useApp();
  const line = stateLine(app, variable);
  return (
    <section class="variable" aria-busy={app.isWaiting(variable)}>
      <h3 class={isAlone ? 'unseen' : ''}>{app.captionOf(variable)}</h3>
      <State line={line} variable={variable} />
      <Control variable={variable} />
    </section>
  );
}

/** All controls of a shutter. */
export function ShutterSheet({ shutter }: { readonly shutter: TreeNode }) {
  const app = useApp();
  const { model } = app.gateway;
  const position = model.child(shutter.id, 'POSITION');
  const slats = model.child(shutter.id, 'SLAT');
  if (position === undefined) return null;
  return (
    <section class="variable" aria-busy={app.isWaiting(position)}>
      <State line={shutterLine(app, shutter, position)} variable={position} />
      <ShutterControl shutter={shutter} name={shutter.name} />
      {slats !== undefined && (
        <>
          <h3>{texts().tile.slats}</h3>
          <State line={stateLine(app, slats)} variable={slats} />
          <PositionSlider variable={slats} label={texts().tile.slats} />
        </>
      )}
    </section>
  );
}

function State({ line, variable }: { readonly line: StateLine; readonly variable: TreeNode }) {
  const app = useApp();
  const isLastKnown = line.tone === 'bad' && variable.updated.value > 0;
  const age = formatAge(app.tick.value - variable.updated.value * 1000);
  return (
    <div class={`large ${line.tone}`}>
      <StateText line={line} />
      {line.also !== '' && <span class="also">{line.also}</span>}
      {isLastKnown && (
        <small>{sheetTexts().lastKnown(app.format(variable, variable.value.value), age)}</small>
      )}
    </div>
  );
}

function Control({ variable }: { readonly variable: TreeNode }) {
  const app = useApp();
  const name = app.captionOf(variable);
  const { parentID, data } = variable.entry.value;
  const kind = kindOfVariable(app.gateway.model, variable);
  const isPulse = app.gateway.model.find(parentID)?.entry.value.data.moduleName === 'Pulse';
  switch (kind) {
    case 'switch':
      return isPulse ? <Trigger variable={variable} /> : <Toggle variable={variable} name={name} />;
    case 'level':
      return <LevelControl variable={variable} name={name} />;
    case 'choice':
      return <ChoiceControl variable={variable} name={name} />;
    case 'colour':
      return <ColourInput variable={variable} name={name} />;
    case 'time':
      return <TimeInput variable={variable} name={name} />;
    case 'text':
      return <TextInput variable={variable} name={name} isNumber={data.type !== 3} />;
    default:
      return null;
  }
}

function Toggle({ variable, name }: { readonly variable: TreeNode; readonly name: string }) {
  const app = useApp();
  const text = commandText(app, variable, !isOn(variable));
  return (
    <SwitchButton class="primary toggle" variable={variable}>
      {(hint) => (
        <>
          <span class="unseen">{name} </span>
          <span aria-hidden={hint === undefined}>{holdText(hint, text)}</span>
        </>
      )}
    </SwitchButton>
  );
}

/** What a press does: "Off" alone would look like the state. Other words than On and Off are the owner's. */
function commandText(app: App, variable: TreeNode, target: boolean): string {
  const profile = app.gateway.model.profileOf(variable);
  const key = profile && associationOf(target, profile)?.key;
  const { turnOn, turnOff } = sheetTexts();
  return key === 'ON' ? turnOn : key === 'OFF' ? turnOff : app.format(variable, target);
}

/** Runs a script, and says what became of it. */
export function ScriptControl({ script }: { readonly script: TreeNode }) {
  const app = useApp();
  const line = app.commandLine(script.id, '');
  return (
    <section class="variable" aria-busy={app.commands.stateOf(script.id).value?.kind === 'waiting'}>
      {line.reason !== '' && <p class={`large ${line.tone}`}>{line.reason}</p>}
      <HoldButton
        class="primary"
        holdMs={holdMsOf(app, script.id)}
        isInert={app.isInert.value}
        onDone={() => app.run(script)}
      >
        {(hint) => holdText(hint, texts().tile.run)}
      </HoldButton>
    </section>
  );
}

function Trigger({ variable }: { readonly variable: TreeNode }) {
  const app = useApp();
  return (
    <HoldButton
      class="primary"
      holdMs={HOLD_MS}
      isInert={app.isInert.value}
      onDone={() => app.set(variable, true)}
    >
      {(hint) => holdText(hint, texts().tile.trigger)}
    </HoldButton>
  );
}

/** What a button that must be held says: what it does, or what is missing. */
function holdText(hint: 'hold' | 'again' | undefined, text: string): string {
  return hint === undefined ? text : hintText(hint);
}
