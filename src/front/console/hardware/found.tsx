import type { Signal } from '@preact/signals';
import type { Found } from '../../../client/generated/records.js';
import type { TreeNode } from '../../web/model.js';
import { objectType } from '../../web/objects.js';
import { useApp } from '../app.js';
import { words } from '../i18n/console-texts.js';
import { aboutHardware, moduleCaption } from '../i18n/gateway-texts.js';
import { addressOfNode } from '../object-icon.js';
import { MarkedValue } from '../inspector/shown-value.js';
import { ObjectChoice } from '../parts/object-choice.js';
import { Renamable } from '../parts/renamable.js';
import { nameOf } from '../search.js';
import { statusText } from '../status.js';
import { focusRow, MakeButtons } from './make-buttons.js';
import type { Hardware } from './use-hardware.js';

const KINDS = ['line', 'port', 'onewire', 'sensor', 'mqtt', 'modbus', 'pwm', 'led', 'chip'] as const;

interface FoundSectionProps {
  readonly hardware: Hardware;
  readonly parent: Signal<number>;
}

/** What was found on the machine, by kind; what is in use names its user. */
export function FoundSection({ hardware, parent }: FoundSectionProps) {
  const { hardware: text } = words();
  const { found, isSearching } = hardware;
  return (
    <section aria-labelledby="found">
      <div class="row-head">
        <h2 id="found">{text.found}</h2>
        <button
          class="plain"
          type="button"
          disabled={isSearching.value}
          onClick={() => void hardware.search()}
        >
          {isSearching.value ? text.searching : text.search}
        </button>
        <span class="parent-choice">
          {text.parent}
          <ObjectChoice
            label={text.parent}
            id={parent.value}
            none={text.root}
            accepts={({ type }) => type === objectType.category}
            onChange={(id) => (parent.value = id)}
          />
        </span>
      </div>
      {found.value === undefined && <p class="soft">{text.searchFirst}</p>}
      {found.value?.length === 0 && <p class="soft">{text.nothing}</p>}
      {KINDS.map((kind) => (
        <FoundGroup
          key={kind}
          kind={kind}
          found={found.value?.filter(({ Kind }) => Kind === kind) ?? []}
          hardware={hardware}
          parent={parent.value}
        />
      ))}
    </section>
  );
}

interface FoundGroupProps {
  readonly kind: (typeof KINDS)[number];
  readonly found: readonly Found[];
  readonly hardware: Hardware;
  readonly parent: number;
}

function FoundGroup({ kind, found, hardware, parent }: FoundGroupProps) {
  if (found.length === 0) return null;
  return (
    <>
      <h3>{words().hardware.kinds[kind]}</h3>
      <ul class="found">
        {found.map((one) => (
          <FoundRow key={one.ID} found={one} hardware={hardware} parent={parent} />
        ))}
      </ul>
    </>
  );
}

interface FoundRowProps {
  readonly found: Found;
  readonly hardware: Hardware;
  readonly parent: number;
}

function FoundRow({ found, hardware, parent }: FoundRowProps) {
  const { model } = useApp().gateway;
  const { hardware: text } = words();
  void model.structure.value;
  const created = hardware.created.value.get(found.ID);
  const instance = model.find(created ?? found.InstanceID);
  const isUsed = found.InstanceID !== 0 || found.UsedBy !== '';
  return (
    <li class={isUsed && created === undefined ? 'used' : ''}>
      <div class="found-name">
        <strong>{found.Name}</strong>
        <small>{aboutHardware(found.About)}</small>
      </div>
      {instance !== undefined && instance.id !== 0 ? (
        <LiveInstance found={found} instance={instance} isNew={created !== undefined} hardware={hardware} />
      ) : isUsed ? (
        <small>{text.usedBy(aboutHardware(found.UsedBy))}</small>
      ) : (
        <MakeButtons found={found} hardware={hardware} parent={parent} />
      )}
    </li>
  );
}

/** Variables that every instance has are at the end; they say nothing about the device. */
const COMMON_POSITION = 1000;

interface LiveInstanceProps {
  readonly found: Found;
  readonly instance: TreeNode;
  readonly isNew: boolean;
  readonly hardware: Hardware;
}

/** The instance of a search result with its values; a new one can be renamed or undone. */
function LiveInstance({ found, instance, isNew, hardware }: LiveInstanceProps) {
  const { model } = useApp().gateway;
  const values = model
    .children(instance.id)
    .filter(({ type, entry }) => type === objectType.variable && entry.value.position < COMMON_POSITION);
  return (
    <div class="live">
      {isNew ? (
        <Renamable
          node={instance}
          after={
            <button
              class="plain"
              type="button"
              onClick={({ currentTarget }) => {
                const row = currentTarget.closest('li');
                void hardware.undo(found).then(() => focusRow(row));
              }}
            >
              {words().hardware.undo}
            </button>
          }
        >
          <InstanceLink instance={instance} />
        </Renamable>
      ) : (
        <div class="row-head">
          <InstanceLink instance={instance} />
        </div>
      )}
      {isNew && (
        <dl class="live-values">
          {values.map((variable) => (
            <LiveValue key={variable.id} variable={variable} />
          ))}
        </dl>
      )}
    </div>
  );
}

function InstanceLink({ instance }: { readonly instance: TreeNode }) {
  const { name } = instance;
  const { data } = instance.entry.value;
  return (
    <>
      <a href={addressOfNode(instance)}>{name}</a>
      <small>
        {moduleCaption(data.moduleName ?? '')} · {statusText(data.status ?? 0)}
      </small>
    </>
  );
}

function LiveValue({ variable }: { readonly variable: TreeNode }) {
  const { model } = useApp().gateway;
  return (
    <div>
      <dt>{nameOf(model, variable)}</dt>
      <dd>
        <MarkedValue variable={variable} />
      </dd>
    </div>
  );
}
