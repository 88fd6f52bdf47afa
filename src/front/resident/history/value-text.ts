import type { ChartDataset } from '../../../client/generated/records.js';
import { formatNumber } from '../../web/format.js';
import type { TreeNode } from '../../web/model.js';
import { variableType, type Value } from '../../web/objects.js';

/** An aggregation span: none, every change. */
const EVERY_CHANGE = 7;

/** Shows a value as the profile of its variable says. */
interface Formatter {
  format(variable: TreeNode, value: Value): string;
}

/**
 * A value of a dataset in words. A state with too many changes has averages: of a boolean the share of the time
 * in which it was true, otherwise a number that may be no state.
 */
export function valueText(
  formatter: Formatter,
  variable: TreeNode | undefined,
  { Kind, AggregationSpan }: Pick<ChartDataset, 'Kind' | 'AggregationSpan'>,
): (value: number) => string {
  if (variable === undefined) return String;
  const isBoolean = variable.entry.value.data.type === variableType.boolean;
  if (Kind === 'step' && AggregationSpan !== EVERY_CHANGE)
    return (value) => (isBoolean ? `${formatNumber(value * 100, 1)} %` : formatNumber(value, 2));
  return (value) => formatter.format(variable, isBoolean ? value !== 0 : value);
}
