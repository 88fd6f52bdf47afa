import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { PropertyProblem } from '../../../client/generated/records.js';
import { realTiming } from '../../../client/timing.js';
import { useApp } from '../app.js';
import type { Properties } from './form-element.js';

/** Properties are checked this long after the last change, ms. */
const CHECK_MS = 250;

interface CheckedProperties {
  /** Empty while none is chosen. */
  readonly module: string;
  /** 0 for a new one. */
  readonly instance: number;
  /** Only the changed properties: the instance, or the module, has the others. */
  readonly changes: Properties;
}

interface CheckResult {
  readonly problems: readonly PropertyProblem[];
  /** The properties that were checked. */
  readonly changes: Properties;
}

/**
 * Validates properties before they are saved. Returns the problems of the last check, except those of values that
 * have changed since: the next check follows.
 */
export function usePropertyCheck(checked: CheckedProperties): readonly PropertyProblem[] {
  const app = useApp();
  const last = useSignal<CheckResult>({ problems: [], changes: {} });
  const { module, instance, changes } = checked;
  useEffect(() => {
    if (module === '') return undefined;
    let isCurrent = true;
    const cancel = realTiming.after(CHECK_MS, () => {
      app.call('GW_CheckProperties', module, instance, changes).then(
        (problems) => isCurrent && (last.value = { problems, changes }),
        // Saving reports the problems as well.
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

/** The properties that differ from the stored ones. Masked secrets that were not changed are not among them. */
export function changesOf(before: Properties, now: Properties): Properties {
  const changed = Object.entries(now).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
  );
  return Object.fromEntries(changed);
}
