import type { Page } from 'playwright-core';

/**
 * Runs in the page. A text that is deliberately cut ends with an ellipsis (`text-overflow`, `line-clamp`); what
 * scrolls is not cut. A text below an opaque element is covered, as below a bar that stays while the page
 * scrolls.
 */
const FINDINGS = `(() => {
  const findings = new Set();
  if (document.documentElement.scrollWidth > innerWidth) findings.add('scrolls horizontally');
  const roots = [document.body];
  for (const root of roots)
    for (const one of root.querySelectorAll('*')) if (one.shadowRoot) roots.push(one.shadowRoot);
  const above = (one) => one.parentElement ?? one.getRootNode().host;
  const isShown = (one) => one.closest('.unseen, script, style, option, noscript') === null &&
    one.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const nameOf = ({ node, element }) => JSON.stringify(node.data.trim().slice(0, 60)) + ' in ' +
    element.localName + '.' + element.getAttribute('class');

  for (const one of roots.flatMap((root) => [...root.querySelectorAll('button, a, input, select, summary')])) {
    // The label of a box is pressed as well as the box.
    const isBox = one.matches('[type=checkbox], [type=radio]');
    const { width, height } = ((isBox && one.labels[0]) || one).getBoundingClientRect();
    if (width > 0 && isShown(one) && (width < 43.9 || height < 43.9) && !one.matches('p a, .cm-panels *'))
      findings.add('small: ' + one.outerHTML.slice(0, 120) + ' ' + Math.round(width) + 'x' + Math.round(height));
  }

  const texts = [];
  for (const root of roots) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node.parentElement;
      if (node.data.trim() === '' || element === null || !isShown(element)) continue;
      if (/undefined|\\bNaN\\b|\\[object|\\bnull\\b|\\{\\d\\}/.test(node.data) && !element.closest('[lang=en], .cm-editor'))
        findings.add('raw: ' + nameOf({ node, element }));
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const { left, top, right, bottom } of range.getClientRects())
        if (right - left >= 1 && bottom - top >= 1) texts.push({ node, element, left, top, right, bottom });
    }
  }
  for (const text of texts) {
    for (let one = text.element; one && one !== document.body; one = above(one)) {
      const style = getComputedStyle(one);
      const box = one.getBoundingClientRect();
      for (const [start, end, overflow, isShortened] of [
        ['left', 'right', style.overflowX, style.textOverflow === 'ellipsis'],
        ['top', 'bottom', style.overflowY, style.webkitLineClamp !== 'none'],
      ]) {
        if (overflow === 'visible') continue;
        const lost = Math.max(box[start] - text[start], text[end] - box[end]);
        if (lost > 1.5 && !isShortened && (overflow === 'hidden' || overflow === 'clip'))
          findings.add('cut by ' + Math.round(lost) + ': ' + nameOf(text));
        text[start] = Math.max(text[start], box[start]);
        text[end] = Math.min(text[end], box[end]);
      }
      if (style.position === 'fixed') break;
    }
    if (text.right - text.left >= 1 && (text.right > innerWidth + 1 || text.left < -1))
      findings.add('outside: ' + nameOf(text));
  }

  const isCovering = (one, end) => {
    for (; one && one !== end; one = above(one)) {
      const { backgroundColor, position } = getComputedStyle(one);
      if (!/, 0\\)$/.test(backgroundColor) || position === 'fixed' || position === 'sticky' || one.matches('dialog'))
        return true;
    }
    return false;
  };
  const shared = (one, other) => {
    while (one && !one.contains(other)) one = above(one);
    return one;
  };
  const visible = texts.filter(({ left, top, right, bottom }) => right - left >= 1 && bottom - top >= 1);
  visible.sort((one, other) => one.top - other.top);
  for (const [index, one] of visible.entries())
    for (let next = index + 1; next < visible.length && visible[next].top < one.bottom; next++) {
      const other = visible[next];
      const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      const height = Math.min(one.bottom, other.bottom) - other.top;
      if (one.node === other.node || width < 2 || height < 4) continue;
      const end = shared(one.element, other.element);
      if (isCovering(one.element, end) || isCovering(other.element, end)) continue;
      findings.add('overlap: ' + nameOf(one) + ', ' + nameOf(other));
    }
  return [...findings];
})()`;

/** Resolves when the page has painted a frame. */
const PAINTED = 'new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))';

/**
 * What is wrong with the layout of a page: it scrolls horizontally, controls are smaller than 44 by 44 pixels,
 * texts are cut without an ellipsis, overlap each other, or are values that no text stands for. What is wrong
 * only before the next frame is never seen: an editor measures its lines when the browser is about to paint.
 */
export async function layoutFindings(page: Page): Promise<string[]> {
  if ((await page.evaluate<string[]>(FINDINGS)).length === 0) return [];
  await page.evaluate(PAINTED);
  return page.evaluate<string[]>(FINDINGS);
}

/** All texts that a page shows or that screen readers say, except names, code and what is marked as English. */
const TEXTS = `(() => {
  const texts = new Set();
  const LEFT_OUT = 'script, style, noscript, code, pre, textarea, .cm-editor, [lang=en]';
  const roots = [document.body];
  for (const root of roots)
    for (const one of root.querySelectorAll('*')) {
      if (one.shadowRoot) roots.push(one.shadowRoot);
      if (one.closest(LEFT_OUT)) continue;
      for (const name of ['aria-label', 'aria-valuetext', 'title', 'placeholder', 'alt'])
        texts.add(one.getAttribute(name) ?? '');
      for (const { nodeType, data } of one.childNodes) if (nodeType === 3) texts.add(data.trim());
    }
  return [...texts];
})()`;

/** Words that are in nearly every English sentence, and in no German one. */
const ENGLISH = /(?<![\p{L}\d_./-])(?:the|of|and|with|has|are|is|for|from|this|to|its)(?![\p{L}\d_./-])/iu;

/** English texts on a page that is in German. `names` are those of the owner's objects. */
export async function englishTexts(
  page: Page,
  names: readonly string[],
  translated: ReadonlySet<string>,
): Promise<string[]> {
  const longest = names.toSorted((one, other) => other.length - one.length);
  const withoutNames = (text: string) => longest.reduce((rest, name) => rest.replaceAll(name, ''), text);
  const texts = await page.evaluate<string[]>(TEXTS);
  return texts.filter(
    (text) => !names.includes(text) && (translated.has(text) || ENGLISH.test(withoutNames(text))),
  );
}
