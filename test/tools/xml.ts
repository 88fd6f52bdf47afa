/** An element of XML, as a strict reader sees it. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: XmlElement[];
  text: string;
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };

/**
 * Reads a document of elements, attributes and texts; throws for anything that XML 1.0 does not allow, and
 * for anything that a drawing does not need: declarations, comments, CDATA.
 */
export function parseXml(text: string): XmlElement {
  if (!text.isWellFormed()) throw new Error('a lone surrogate');
  // oxlint-disable-next-line no-control-regex
  const odd = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/.exec(text);
  if (odd !== null) throw new Error(`a character that XML does not allow at ${odd.index}`);
  const top: XmlElement = { name: '', attributes: new Map(), children: [], text: '' };
  const open = [top];
  const tokens = /<(\/?)([A-Za-z][\w:-]*)((?:\s+[A-Za-z][\w:-]*="[^"<]*")*)\s*(\/?)>|([^<]+)/gy;
  let at = 0;
  for (let token = tokens.exec(text); token !== null; token = tokens.exec(text)) {
    at = tokens.lastIndex;
    const [, isEnd, name, attributes, isEmpty, content] = token;
    const parent = open.at(-1) as XmlElement;
    if (content !== undefined) parent.text += decoded(content);
    else if (isEnd === '/') {
      if (parent.name !== name || open.length === 1) throw new Error(`</${name}> ends <${parent.name}>`);
      open.pop();
    } else {
      const element = {
        name: name ?? '',
        attributes: attributesOf(attributes ?? ''),
        children: [],
        text: '',
      };
      parent.children.push(element);
      if (isEmpty !== '/') open.push(element);
    }
  }
  if (at !== text.length) throw new Error(`not XML at ${at}: ${text.slice(at, at + 40)}`);
  const [root] = top.children;
  if (open.length > 1 || top.children.length !== 1 || root === undefined || top.text.trim() !== '')
    throw new Error('a document is one element, which ends');
  return root;
}

/** An element and all its descendants. */
export function* elementsOf(element: XmlElement): Generator<XmlElement> {
  yield element;
  for (const child of element.children) yield* elementsOf(child);
}

function attributesOf(text: string): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name = '', value = ''] of text.matchAll(/\s+([\w:-]+)="([^"]*)"/g)) {
    if (attributes.has(name)) throw new Error(`${name} is duplicated`);
    attributes.set(name, decoded(value));
  }
  return attributes;
}

function decoded(text: string): string {
  return text.replace(/&(?:#(\d+)|(\w+));|&/g, (all: string, code?: string, name?: string) => {
    const one = code === undefined ? entities[name ?? ''] : String.fromCodePoint(Number(code));
    if (one === undefined) throw new Error(`${all} is not an entity`);
    return one;
  });
}
