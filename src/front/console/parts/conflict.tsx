import { locale } from '../../web/i18n/i18n.js';

const en = {
  problem: 'Someone else has changed this since it was loaded. Your change was not saved.',
  theirs: 'Text that is saved now',
  takeTheirs: 'Discard mine, load theirs',
  keepMine: 'Replace theirs with mine',
};

const de: typeof en = {
  problem: 'Jemand anderes hat dies geändert, seit es geladen wurde. Ihre Änderung wurde nicht gespeichert.',
  theirs: 'Text, der jetzt gespeichert ist',
  takeTheirs: 'Meine Änderung verwerfen, die andere laden',
  keepMine: 'Die andere Änderung durch meine ersetzen',
};

interface ConflictProps {
  /** The text that is saved now; undefined: it is not shown. */
  readonly theirs?: string;
  readonly onChoose: (keepsMine: boolean) => void;
}

/** Somebody else has saved something else: asks which one stays. */
export function Conflict({ theirs, onChoose }: ConflictProps) {
  const text = locale() === 'de' ? de : en;
  return (
    <div class="card" role="alert">
      <p class="problem">{text.problem}</p>
      {theirs !== undefined && (
        <details>
          <summary>{text.theirs}</summary>
          <pre class="output" tabIndex={0}>
            {theirs}
          </pre>
        </details>
      )}
      <div class="row-head">
        <button class="plain" type="button" onClick={() => onChoose(false)}>
          {text.takeTheirs}
        </button>
        <button class="danger" type="button" onClick={() => onChoose(true)}>
          {text.keepMine}
        </button>
      </div>
    </div>
  );
}
