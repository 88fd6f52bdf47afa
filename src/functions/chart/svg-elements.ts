const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Characters that XML 1.0 does not allow, even escaped. */
// oxlint-disable-next-line no-control-regex
const FORBIDDEN = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\uFFFE\uFFFF]/g;

/** Escapes a text for an element or attribute in XML. */
export function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(FORBIDDEN, '\uFFFD')
    .replace(/[&<>"']/g, (one) => entities[one] ?? one);
}

/** A number in a drawing, rounded to a tenth of a pixel. */
export const px = (value: number): string => String(Math.round(value * 10) / 10);

/** An element; attributes are escaped, content must be escaped already. */
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
