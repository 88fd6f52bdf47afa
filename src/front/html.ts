/** A page, and the policy under which a browser shows it (Content-Security-Policy). */
export interface HtmlPage {
  readonly html: string;
  readonly policy: string;
}

/** A text as it may appear in an element or in a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
