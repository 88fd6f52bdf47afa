/** What the gateway writes into the page's head, for the program to know before it connects. */
export function readFacts<T>(): Partial<T> {
  const content = document.querySelector<HTMLMetaElement>('meta[name=stellwerk]')?.content ?? '{}';
  return JSON.parse(content) as Partial<T>;
}
