import { RpcError } from '../../../client/errors.js';
import { rpcErrorText } from '../i18n/gateway-texts.js';

/** The gateway accepts no larger backup, bytes. */
export const BACKUP_BYTES = 512 * 1024 * 1024;

interface SendOptions {
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What the error says if there is no connection. */
  readonly notSent: string;
  readonly signal: AbortSignal;
  /** Called with the part that was sent, from 0 to 1. */
  readonly onProgress: (done: number) => void;
}

/**
 * Sends a file with PUT. Returns why the gateway rejected it. Rejects if there is no connection, or when the signal is aborted. `fetch`
 * does not report the progress of an upload.
 */
export function sendFile(
  path: string,
  file: File,
  { headers = {}, signal, onProgress, notSent }: SendOptions,
): Promise<string | undefined> {
  const request = new XMLHttpRequest();
  request.open('PUT', path);
  request.setRequestHeader('Content-Type', 'application/octet-stream');
  for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
  request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
  signal.addEventListener('abort', () => request.abort());
  return new Promise((resolve, reject) => {
    request.onload = () => resolve(request.status < 300 ? undefined : reasonIn(request));
    request.onerror = () => reject(new Error(notSent));
    request.onabort = () => reject(new DOMException('', 'AbortError'));
    request.send(file);
  });
}

/** Why the gateway rejected it; its status instead of a text that is no error of the gateway. */
function reasonIn({ responseText, status }: XMLHttpRequest): string {
  try {
    const { error } = JSON.parse(responseText) as { readonly error: RpcError };
    return rpcErrorText(new RpcError(error.code, error.message, error.data));
  } catch {
    return String(status);
  }
}
