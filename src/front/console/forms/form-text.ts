/** The text of an input by its name; '' if there is none. */
export const formText = (form: FormData, name: string): string => textOf(form.get(name));

/** A text or a number as an input shows it; '' for all others. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}
