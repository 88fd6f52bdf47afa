import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { useApp } from '../app.js';
import { systemTexts } from '../i18n/system.js';

/** Sends a backup's file to the gateway, which checks it completely. */
export function BackupUpload({ onUploaded }: { readonly onUploaded: () => void }) {
  const app = useApp();
  const input = useRef<HTMLInputElement>(null);
  const sending = useSignal<{ readonly name: string; readonly controller: AbortController } | undefined>(
    undefined,
  );
  useEffect(() => () => sending.peek()?.controller.abort(), []);
  const { backups: text } = systemTexts();
  const upload = async (file: File) => {
    const controller = new AbortController();
    sending.value = { name: file.name, controller };
    try {
      const problem = await sendBackup(file, controller.signal);
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
      <p class="row-head" role="status">
        {text.uploading(sending.value.name)}
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

/** Returns why the gateway rejected it. Rejects if there is no connection, or when `signal` is aborted. */
async function sendBackup(file: File, signal: AbortSignal): Promise<string | undefined> {
  // Browsers add ` (1)` to names of downloads, which the gateway does not accept.
  const name = file.name.replace(/[^\w.-]+/g, '-');
  const response = await fetch(`/console/backup/${encodeURIComponent(name)}`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/octet-stream' },
    body: file,
    signal,
  });
  if (response.ok) return undefined;
  // The status is shown instead of a text that is no JSON.
  const body = (await response.json().catch(() => undefined)) as
    { readonly error?: { readonly message?: string } } | undefined;
  return body?.error?.message ?? String(response.status);
}
