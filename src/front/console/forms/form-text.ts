/** The text of an input by its name; '' if there is none. */
export function formText(form: FormData, name: string): string {
  const entry = form.get(name);
  return typeof entry === 'string' ? entry : '';
}
