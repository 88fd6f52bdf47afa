/** What a table has for a key, which may be any name that a user or a device gave, like `constructor`. */
export function ownEntry<Entry>(table: Readonly<Record<string, Entry>>, key: string): Entry | undefined {
  return Object.prototype.hasOwnProperty.call(table, key) ? table[key] : undefined;
}
