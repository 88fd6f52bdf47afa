import { texts } from '../../web/i18n/i18n.js';
import { useApp } from '../app.js';
import type { FrontMessage } from '../front-messages.js';

interface MessageActionsProps {
  readonly message: FrontMessage;
  readonly onDone?: () => void;
}

/** Opens the object of a message, or plays its sound. */
export function MessageActions({ message, onDone }: MessageActionsProps) {
  const app = useApp();
  const { messages } = texts();
  if (message.target === 0 || app.gateway.model.find(message.target) === undefined) return null;
  return (
    <button
      class="plain"
      onClick={() => {
        app.messages.show(message);
        onDone?.();
      }}
    >
      {message.kind === 'audio' ? messages.playSound : messages.show}
    </button>
  );
}
