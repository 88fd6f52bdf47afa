const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** What XML 1.0 can't hold, escaped or not. */
// oxlint-disable-next-line no-control-regex
const UNSPEAKABLE = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\uFFFE\uFFFF]/g;

/** A text as it may stand in an element or an attribute of XML. */
export function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(UNSPEAKABLE, '\uFFFD')
    .replace(/[&<>"']/g, (one) => entities[one] ?? one);
}

/** A number as it stands in a drawing: to a tenth of a pixel. */
export const px = (value: number): string => String(Math.round(value * 10) / 10);

/** An element; attributes are escaped, content must be. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  content = '',
): string {
  const given = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${typeof value === 'number' ? px(value) : escapeXml(value)}"`,
  );
  const head = `<${name}${given.join('')}`;
  return content === '' ? `${head}/>` : `${head}>${content}</${name}>`;
}
