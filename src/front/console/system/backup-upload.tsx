import { useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { RpcError } from '../../../client/errors.js';
import { useApp } from '../app.js';
import { rpcErrorText } from '../i18n/gateway-texts.js';
import { systemTexts } from '../i18n/system.js';

/** An upload in progress. */
interface Sending {
  readonly name: string;
  readonly controller: AbortController;
  /** From 0 to 1; then the gateway checks the file. */
  readonly done: number;
}

/** Sends a backup's file to the gateway, which checks it completely. */
export function BackupUpload({ onUploaded }: { readonly onUploaded: () => void }) {
  const app = useApp();
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const sending = useSignal<Sending | undefined>(undefined);
  useEffect(() => () => sending.peek()?.controller.abort(), []);
  const { backups: text } = systemTexts();
  const upload = async (file: File) => {
    const controller = new AbortController();
    sending.value = { name: file.name, controller, done: 0 };
    const onProgress = (done: number) => (sending.value = { name: file.name, controller, done });
    try {
      const problem = await sendBackup(file, { signal: controller.signal, onProgress });
      app.notice.value =
        problem === undefined
          ? { text: text.uploaded(file.name), isError: false }
          : { text: `${text.uploadFailed}: ${problem}`, isError: true };
    } catch (thrown) {
      if (!controller.signal.aborted)
        app.notice.value = { text: `${text.uploadFailed}: ${String(thrown)}`, isError: true };
    }
    sending.value = undefined;
    onUploaded();
  };
  if (sending.value !== undefined)
    return (
      <p class="row-head upload">
        <span id={id} role="status">
          {text.uploading(sending.value.name)}
        </span>
        <progress aria-labelledby={id} {...(sending.value.done < 1 && { value: sending.value.done })} />
        <button class="plain" type="button" onClick={() => sending.peek()?.controller.abort()}>
          {text.cancel}
        </button>
      </p>
    );
  return (
    <p>
      <input
        ref={input}
        type="file"
        accept=".db"
        hidden
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file !== undefined) void upload(file);
        }}
      />
      <button class="plain" type="button" onClick={() => input.current?.click()}>
        {text.upload}
      </button>
    </p>
  );
}

interface SendOptions {
  readonly signal: AbortSignal;
  /** Called with the part that was sent, from 0 to 1. */
  readonly onProgress: (done: number) => void;
}

/**
 * Returns why the gateway rejected it. Rejects if there is no connection, or when the signal is aborted. `fetch`
 * does not report the progress of an upload.
 */
function sendBackup(file: File, { signal, onProgress }: SendOptions): Promise<string | undefined> {
  // Browsers add ` (1)` to names of downloads, which the gateway does not accept.
  const name = file.name.replace(/[^\w.-]+/g, '-');
  const request = new XMLHttpRequest();
  request.open('PUT', `/console/backup/${encodeURIComponent(name)}`);
  request.setRequestHeader('Content-Type', 'application/octet-stream');
  request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
  signal.addEventListener('abort', () => request.abort());
  return new Promise((resolve, reject) => {
    request.onload = () => resolve(request.status < 300 ? undefined : reasonIn(request));
    request.onerror = () => reject(new Error(systemTexts().backups.notSent));
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
