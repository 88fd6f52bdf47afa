import { texts } from '../../web/i18n/i18n.js';
import { Icon } from '../../web/parts/icon.js';
import { useApp } from '../app.js';
import type { FrontMessage } from '../front-messages.js';
import { useModal } from '../modal.js';
import { Status } from '../status.js';
import { MessageActions } from './message-actions.js';

/** What is shown over the page: the oldest popup, and all notifications. */
export function MessageOverlay() {
  const app = useApp();
  const shown = app.messages.shown.value;
  const popup = shown.find(({ kind }) => kind === 'popup');
  const others = shown.filter(({ kind }) => kind !== 'popup');
  return (
    <>
      <div class="notes" role="log" aria-label={texts().messages.area}>
        {others.map((message) => (
          <Note key={message.key} message={message} />
        ))}
      </div>
      {popup !== undefined && <Popup key={popup.key} message={popup} />}
    </>
  );
}

function Note({ message }: { readonly message: FrontMessage }) {
  const app = useApp();
  const dismiss = () => app.messages.dismiss(message);
  return (
    <div class="note-card">
      <Icon name={message.icon || 'message'} files={`${app.base}icon/`} />
      <div class="grow">
        <strong>{message.title}</strong>
        <p>{message.text}</p>
      </div>
      <MessageActions message={message} onDone={dismiss} />
      <button class="control" aria-label={texts().close} onClick={dismiss}>
        <Icon name="close" />
      </button>
    </div>
  );
}

/** Stays until a user closes it. */
function Popup({ message }: { readonly message: FrontMessage }) {
  const app = useApp();
  const dialog = useModal();
  return (
    <dialog
      ref={dialog}
      class="popup"
      aria-labelledby="popup-title"
      aria-describedby="popup-text"
      onClose={() => app.messages.dismiss(message)}
    >
      <h2 id="popup-title">{message.title}</h2>
      <p id="popup-text">{message.text}</p>
      <button class="primary" onClick={() => dialog.current?.close()}>
        {texts().close}
      </button>
      <Status dialog={dialog} />
    </dialog>
  );
}
