import { Icon } from '../../web/parts/icon.js';
import { words } from '../i18n/console-texts.js';
import type { Choices } from './choices.js';
import { Input } from './input.js';
import { isOutside, type FormElement } from './form-element.js';

type ListRecord = Readonly<Record<string, unknown>>;

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
  const change = (index: number, name: string, next: unknown) =>
    onChange(records.map((record, at) => (at === index ? { ...record, [name]: next } : record)));
  return (
    <div class="list-field">
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
                  {columns.map(({ name, caption: label, edit }) => (
                    <td key={name}>
                      <Input
                        element={{ ...edit, name, caption: label }}
                        value={record[name]}
                        choices={choices}
                        onChange={(next) => change(index, name, next)}
                        shared={{
                          'aria-label': `${label} ${index + 1}`,
                          'aria-invalid': isOutside(edit, record[name]),
                        }}
                      />
                    </td>
                  ))}
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
