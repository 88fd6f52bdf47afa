import { Icon } from '../../web/parts/icon.js';
import { keepFocus } from '../../web/parts/take-focus.js';
import { words } from '../i18n/console-texts.js';
import type { Choices } from './choices.js';
import { Input } from './input.js';
import { type FormColumn, isOutside, type FormElement } from './form-element.js';

type ListRecord = Readonly<Record<string, unknown>>;

const isEmpty = (value: unknown): boolean => value === undefined || value === '' || Number.isNaN(value);

interface ListFieldProps {
  readonly element: FormElement;
  readonly value: unknown;
  readonly choices: Choices;
  readonly onChange: (value: unknown) => void;
}

/** A list of records as a table: a row per record, rows can be added and removed. */
export function ListField({ element: { caption, columns = [] }, value, choices, onChange }: ListFieldProps) {
  const records = Array.isArray(value) ? (value as readonly ListRecord[]) : [];
  const { settings } = words();
  const add = () =>
    onChange([...records, Object.fromEntries(columns.map((column) => [column.name, column.add]))]);
  const change = (index: number, column: FormColumn, entered: unknown) => {
    const next = column.add === undefined && isEmpty(entered) ? undefined : entered;
    onChange(records.map((record, at) => (at === index ? { ...record, [column.name]: next } : record)));
  };
  return (
    <div ref={keepFocus} class="list-field">
      {records.length > 0 && (
        <div class="scroll">
          <table aria-label={caption}>
            <thead>
              <tr>
                {columns.map((column) => (
                  <th key={column.name}>{column.caption}</th>
                ))}
                <td />
              </tr>
            </thead>
            <tbody>
              {records.map((record, index) => (
                <tr key={index}>
                  {columns.map((column) => {
                    const { name, caption: label, add: initial, edit } = column;
                    const isMissing = initial === undefined && isEmpty(record[name]);
                    return (
                      <td key={name}>
                        <Input
                          element={{ ...edit, name, caption: label }}
                          value={record[name]}
                          choices={choices}
                          onChange={(next) => change(index, column, next)}
                          shared={{
                            'aria-label': `${label} ${index + 1}`,
                            'aria-invalid': !isMissing && isOutside(edit, record[name]),
                          }}
                        />
                      </td>
                    );
                  })}
                  <td>
                    <button
                      class="control"
                      type="button"
                      aria-label={settings.removeRow(index + 1)}
                      onClick={() => onChange(records.filter((_record, at) => at !== index))}
                    >
                      <Icon name="close" />
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <button class="plain" type="button" onClick={add}>
        {settings.addRow}
      </button>
    </div>
  );
}
