import type { Lines } from '../../../client/generated/records.js';
import { objectType, variableType } from '../../web/objects.js';
import { useApp } from '../app.js';
import { ValueControl } from '../controls/value-control.js';
import { words } from '../i18n/console-texts.js';
import { addressOfNode } from '../object-icon.js';
import { MakeButtons } from './make-buttons.js';
import type { Hardware } from './use-hardware.js';

interface LinePanelProps {
  readonly line: Lines['Lines'][number];
  readonly hardware: Hardware;
  readonly parent: number;
}

/** One line: its user, its value, a test, and what can be created for it. */
export function LinePanel({ line, hardware, parent }: LinePanelProps) {
  const app = useApp();
  const { Name, Chip, Offset, Direction, Used, Consumer, InstanceID, Active } = line;
  const { hardware: text } = words();
  const instance = InstanceID === 0 ? undefined : app.gateway.model.find(InstanceID);
  const found = hardware.found.value?.find(({ ID }) => ID === `line ${Chip}/${Offset}`);
  return (
    <article class="card" aria-live="off">
      <h3>{text.line(Name)}</h3>
      <p class="soft">
        {Chip}/{Offset} · {text.directions[Direction]} ·{' '}
        {instance !== undefined ? (
          <a href={addressOfNode(instance)}>{instance.name}</a>
        ) : Used ? (
          text.usedBy(Consumer)
        ) : (
          text.free
        )}
      </p>
      {Active !== undefined && <p class="line-value">{Active ? text.active : text.inactive}</p>}
      {Direction === 'output' ? (
        <OutputTest instance={InstanceID} />
      ) : (
        hardware.isSimulated.value && <Simulation line={Name} />
      )}
      {found !== undefined && found.InstanceID === 0 && (
        <MakeButtons found={found} hardware={hardware} parent={parent} />
      )}
    </article>
  );
}

/** Sets an input of the simulated board, as a hand would. */
function Simulation({ line }: { readonly line: string }) {
  const app = useApp();
  const { hardware } = words();
  const set = (isActive: boolean) => void app.act(() => app.call('GW_SimulateLine', line, isActive));
  return (
    <div class="row-head" role="group" aria-label={hardware.simulated}>
      <button class="plain" type="button" onClick={() => set(true)}>
        {hardware.press}
      </button>
      <button class="plain" type="button" onClick={() => set(false)}>
        {hardware.release}
      </button>
    </div>
  );
}

/** Switches an output through its instance, so that its rules apply. */
function OutputTest({ instance }: { readonly instance: number }) {
  const { model } = useApp().gateway;
  const variable = model
    .children(instance)
    .find(
      ({ type, entry: { value } }) =>
        type === objectType.variable &&
        value.data.type === variableType.boolean &&
        (value.data.action ?? 0) > 0,
    );
  if (instance === 0 || variable === undefined) return null;
  return (
    <div class="row-head" role="group" aria-label={words().hardware.test}>
      <ValueControl variable={variable} />
    </div>
  );
}
