import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { PropertyProblem } from '../../../client/generated/records.js';
import { realTiming } from '../../../client/timing.js';
import { useApp } from '../app.js';
import type { Properties } from './form-element.js';

/** Properties are checked this long after the last change, ms. */
const CHECK_MS = 250;

interface Checked {
  /** '' while none is chosen. */
  readonly module: string;
  /** 0: a new one. */
  readonly instance: number;
  /** Only those that were changed: the instance, or the module, has the others. */
  readonly changes: Properties;
}

interface Found {
  readonly problems: readonly PropertyProblem[];
  /** The properties that were checked. */
  readonly changes: Properties;
}

/**
 * What the gateway finds wrong with properties, before they are saved. What it found wrong with a value that has
 * changed since is left out: the next check follows.
 */
export function usePropertyCheck(checked: Checked): readonly PropertyProblem[] {
  const app = useApp();
  const last = useSignal<Found>({ problems: [], changes: {} });
  const { module, instance, changes } = checked;
  useEffect(() => {
    if (module === '') return undefined;
    let isCurrent = true;
    const cancel = realTiming.after(CHECK_MS, () => {
      app.call('GW_CheckProperties', module, instance, changes).then(
        (problems) => isCurrent && (last.value = { problems, changes }),
        // Saving reports what is wrong as well.
        () => undefined,
      );
    });
    return () => {
      isCurrent = false;
      cancel();
    };
  }, [module, instance, JSON.stringify(changes)]);
  const { problems, changes: before } = last.value;
  return problems.filter(
    ({ Property }) => JSON.stringify(changes[Property]) === JSON.stringify(before[Property]),
  );
}

/** The properties that differ from what there is: masked secrets stay as they are. */
export function changesOf(before: Properties, now: Properties): Properties {
  const changed = Object.entries(now).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
  );
  return Object.fromEntries(changed);
}
