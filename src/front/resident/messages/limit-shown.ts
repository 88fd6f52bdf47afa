/**
 * The newest messages, without more than `limit` popups and `limit` others: a popup stays until somebody closes
 * it, so that other messages do not replace it.
 */
export function limitShown<T extends { readonly kind: string }>(messages: readonly T[], limit: number): T[] {
  const isPopup = ({ kind }: T) => kind === 'popup';
  return messages.filter(
    (one, at) => messages.slice(at).filter((other) => isPopup(other) === isPopup(one)).length <= limit,
  );
}
