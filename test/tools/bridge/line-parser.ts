/** A line of the line protocol as a database reads it. */
export interface ParsedLine {
  readonly measurement: string;
  readonly tags: ReadonlyMap<string, string>;
  readonly fields: ReadonlyMap<string, string>;
  readonly time: string;
}

/** Parses one line strictly, by the rules of InfluxDB: throws for what a database rejects or ignores. */
export function parseLine(line: string): ParsedLine {
  if (/[\r\n]/.test(line)) throw new Error('more than one line');
  if (line.startsWith('#')) throw new Error('a comment');
  let at = 0;
  /** Reads up to one of these characters; a backslash escapes those in `escaped`, and is itself otherwise. */
  const read = (ends: string, escaped: string): string => {
    let text = '';
    for (; at < line.length && !ends.includes(line[at] as string); at++) {
      const isEscaped = line[at] === '\\' && at + 1 < line.length && escaped.includes(line[at + 1] as string);
      if (isEscaped) at += 1;
      text += line[at];
    }
    return text;
  };
  const expect = (character: string): void => {
    if (line[at++] !== character) throw new Error(`${JSON.stringify(character)} expected at ${at - 1}`);
  };
  const named = (text: string, what: string): string => {
    if (text === '') throw new Error(`${what} is empty at ${at}`);
    return text;
  };
  const measurement = named(read(', ', ', '), 'the measurement');
  const tags = new Map<string, string>();
  while (line[at] === ',') {
    at += 1;
    const name = named(read(',= ', ',= '), 'the name of a tag');
    expect('=');
    tags.set(name, named(read(',= ', ',= '), 'the value of a tag'));
  }
  expect(' ');
  const fields = new Map<string, string>();
  for (;;) {
    const name = named(read(',= ', ',= '), 'the name of a field');
    expect('=');
    if (line[at] === '"') {
      at += 1;
      fields.set(name, read('"', '"\\'));
      expect('"');
    } else {
      const number = read(', ', '');
      if (!/^-?\d+(\.\d+)?(e[+-]?\d+)?i?$/.test(number)) throw new Error(`${number} is not a number`);
      fields.set(name, number);
    }
    if (line[at] !== ',') break;
    at += 1;
  }
  expect(' ');
  const time = line.slice(at);
  if (!/^\d+$/.test(time)) throw new Error(`${time} is not a time`);
  return { measurement, tags, fields, time };
}
