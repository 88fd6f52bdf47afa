import { useSignal } from '@preact/signals';
import { useApp } from '../app.js';
import { automation } from '../i18n/automation.js';
import { DebugTab } from '../inspector/debug-tab.js';
import { ObjectChoice } from '../parts/object-choice.js';

/** What an instance that the user chooses sends and receives, live. */
export function Traffic() {
  const { gateway } = useApp();
  const id = useSignal(0);
  const { log } = automation();
  const node = id.value === 0 ? undefined : gateway.model.find(id.value);
  return (
    <>
      <p>
        <ObjectChoice
          label={log.object}
          id={id.value}
          none={log.chooseObject}
          accepts={(one) => one.id !== 0}
          onChange={(chosen) => (id.value = chosen)}
        />
      </p>
      {node !== undefined && <DebugTab key={node.id} node={node} />}
    </>
  );
}
