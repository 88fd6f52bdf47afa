import { isMap, isScalar, isSeq, parseDocument, type YAMLMap } from 'yaml';

/** Whose password is set: the owner's, with a user name if it changes, or a configurator's, by its ident. */
export type PasswordTarget =
  { readonly owner: true; readonly username?: string | undefined } | { readonly configurator: string };

/** The user name of an owner who has none in the file. */
const OWNER = 'owner';

/**
 * Sets a password in a configuration and keeps everything else, comments included. Returns undefined if the
 * file has no such entry. The text must be valid.
 */
export function setPasswordHash(
  text: string,
  target: PasswordTarget,
  passwordHash: string,
): string | undefined {
  const document = parseDocument(text);
  if ('owner' in target && !document.has('remoteAccess'))
    document.set('remoteAccess', document.createNode({ username: OWNER }));
  const entry = 'owner' in target ? document.get('remoteAccess', true) : configurator(document, target);
  if (!isMap(entry)) return undefined;
  for (const key of ['password', 'passwordFile', 'passwordRequired']) entry.delete(key);
  entry.set('passwordHash', passwordHash);
  if ('owner' in target && target.username !== undefined) entry.set('username', target.username);
  return document.toString({ lineWidth: 0 });
}

function configurator(
  document: ReturnType<typeof parseDocument>,
  { configurator: ident }: { readonly configurator: string },
): YAMLMap | undefined {
  const entries: unknown = document.get('configurators', true);
  if (!isSeq(entries)) return undefined;
  return entries.items.find((item): item is YAMLMap => {
    const key = isMap(item) ? item.get('ident', true) : undefined;
    return isScalar(key) && key.value === ident;
  });
}
