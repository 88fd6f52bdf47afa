import { elementsOf, parseXml, type XmlElement } from './xml.js';

const ELEMENTS = new Set(['svg', 'title', 'style', 'g', 'path', 'rect', 'text']);
const ATTRIBUTES =
  /^(xmlns|class|viewBox|width|height|role|x|y|d|rx|fill(-opacity)?|stroke(-\w+)?|font-(family|size)|text-anchor)$/;

/** What is wrong with a drawing of that size; undefined if nothing is. */
export function svgProblem(
  svg: string,
  { width, height }: { readonly width: number; readonly height: number },
): string | undefined {
  let root: XmlElement;
  try {
    root = parseXml(svg);
  } catch (thrown) {
    return String(thrown);
  }
  const plot = plotOf(root);
  for (const { name, attributes } of elementsOf(root)) {
    if (!ELEMENTS.has(name)) return `an element ${name}`;
    for (const [key, value] of attributes) {
      if (!ATTRIBUTES.test(key)) return `an attribute ${key}`;
      if (/NaN|Infinity|undefined|null/.test(value)) return `${key}="${value}"`;
      if (/^(fill|stroke)$/.test(key) && !/^(none|currentColor|#[\da-f]{3,8})$/i.test(value))
        return `a colour ${value}`;
    }
    const [x, y] = [Number(attributes.get('x') ?? 0), Number(attributes.get('y') ?? 0)];
    const [w, h] = [Number(attributes.get('width') ?? 0), Number(attributes.get('height') ?? 0)];
    if (x < 0 || x + w > width + 0.5 || y < 0 || y + h > height + 0.5)
      return `${name} at ${x} ${y}, ${w} by ${h}`;
    for (const [dotX, dotY] of dotsOf(attributes.get('d') ?? ''))
      if (dotX < 0 || dotX > width + 0.5 || dotY < 0 || dotY > height + 0.5)
        return `a line to ${dotX} ${dotY}`;
  }
  for (const curve of elementsOf(root)) {
    if (!curve.attributes.get('class')?.startsWith('series')) continue;
    for (const { attributes } of curve.children) {
      const [x, y] = [Number(attributes.get('x')), Number(attributes.get('y'))];
      const [w, h] = [Number(attributes.get('width')), Number(attributes.get('height'))];
      const d = attributes.get('d');
      const dots = d === undefined ? [[x, y] as const, [x + w, y + h] as const] : dotsOf(d);
      if (dots.length === 0) return 'a curve of nothing';
      for (const [dotX, dotY] of dots)
        if (dotX < plot.left - 0.1 || dotX > plot.right + 0.4 || dotY < 0 || dotY > plot.bottom + 0.6)
          return `a curve to ${dotX} ${dotY}, beyond ${JSON.stringify(plot)}`;
    }
  }
  return undefined;
}

/** The area of the curves: above the line of the time axis. */
function plotOf(root: XmlElement): { left: number; right: number; bottom: number } {
  const time = [...elementsOf(root)].find(({ attributes }) => attributes.get('class') === 'time');
  const [, left, bottom, right] =
    /^M([\d.]+) ([\d.]+)H([\d.]+)$/.exec(time?.children[0]?.attributes.get('d') ?? '') ?? [];
  return { left: Number(left), right: Number(right), bottom: Number(bottom) };
}

/** The points of a path. */
function dotsOf(path: string): [number, number][] {
  let [x, y] = [0, 0];
  return [...path.matchAll(/([MLHVhvZ])([-\d.e]*) ?([-\d.e]*)/g)].map(([, step = '', a = '', b = '']) => {
    if (step === 'M' || step === 'L') [x, y] = [Number(a), Number(b)];
    else if (step === 'H') x = Number(a);
    else if (step === 'V') y = Number(a);
    else if (step === 'h') x += Number(a);
    else if (step === 'v') y += Number(a);
    return [x, y];
  });
}
