import { useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { useApp } from '../app.js';
import { BACKUP_BYTES, sendFile } from '../parts/send-file.js';
import { targetTexts } from '../i18n/targets.js';
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
    if (file.size > BACKUP_BYTES) {
      const why = targetTexts().tooLarge(BACKUP_BYTES / 1024 / 1024);
      app.notice.value = { text: `${text.uploadFailed}: ${why}`, isError: true };
      return;
    }
    const controller = new AbortController();
    sending.value = { name: file.name, controller, done: 0 };
    const onProgress = (done: number) => (sending.value = { name: file.name, controller, done });
    try {
      // Browsers add ` (1)` to names of downloads, which the gateway does not accept.
      const name = file.name.replace(/[^\w.-]+/g, '-');
      const problem = await sendFile(`/console/backup/${encodeURIComponent(name)}`, file, {
        signal: controller.signal,
        onProgress,
        notSent: text.notSent,
      });
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
