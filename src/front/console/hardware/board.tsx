import { useSignal } from '@preact/signals';
import type { Lines } from '../../../client/generated/records.js';
import { useApp } from '../app.js';
import { words } from '../i18n/console-texts.js';
import { aboutHardware } from '../i18n/gateway-texts.js';
import { LoadedView } from '../parts/loaded-view.js';
import { LinePanel } from './line-panel.js';
import type { Hardware } from './use-hardware.js';

type Line = Lines['Lines'][number];

interface BoardSectionProps {
  readonly hardware: Hardware;
  readonly parent: number;
}

/** The header of the board with its lines, and the line that is selected. */
export function BoardSection({ hardware, parent }: BoardSectionProps) {
  const chosen = useSignal('');
  const { hardware: text } = words();
  return (
    <section aria-labelledby="board">
      <h2 id="board">{text.board}</h2>
      <LoadedView state={hardware.lines}>
        {(lines) => {
          const line = lines.Lines.find((one) => keyOf(one) === chosen.value);
          return (
            <>
              <p class="soft">{aboutHardware(lines.Board)}</p>
              <div class="board-and-line">
                <Board lines={lines} chosen={chosen.value} onChoose={(key) => (chosen.value = key)} />
                {line === undefined ? (
                  <p class="soft">{text.chooseLine}</p>
                ) : (
                  <LinePanel key={chosen.value} line={line} hardware={hardware} parent={parent} />
                )}
              </div>
            </>
          );
        }}
      </LoadedView>
    </section>
  );
}

interface BoardProps {
  readonly lines: Lines;
  readonly chosen: string;
  readonly onChoose: (key: string) => void;
}

function Board({ lines: { Header, Lines: all }, chosen, onChoose }: BoardProps) {
  const { hardware } = words();
  const byName = new Map(all.map((line) => [line.Name, line]));
  const onHeader = new Set(Header.flat());
  const others = all.filter(({ Name }) => Name !== '' && !onHeader.has(Name));
  const pin = (name: string, side: number) => {
    const line = byName.get(name);
    return line === undefined ? (
      <Supply key={side} name={name} side={side} />
    ) : (
      <Pin key={side} line={line} side={side} isChosen={keyOf(line) === chosen} onChoose={onChoose} />
    );
  };
  return (
    <div class="board">
      {Header.length === 0 ? (
        <p class="soft">{hardware.noHeader}</p>
      ) : (
        <ol class="header" aria-label={hardware.board}>
          {Header.map((row, index) => (
            <li key={index}>{row.map(pin)}</li>
          ))}
        </ol>
      )}
      {others.length > 0 && (
        <details open={Header.length === 0}>
          <summary>{`${hardware.lines} (${others.length})`}</summary>
          <ul class="header other">
            {others.map((line) => (
              <li key={keyOf(line)}>
                <Pin line={line} side={1} isChosen={keyOf(line) === chosen} onChoose={onChoose} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

/** A pin without a line: power or ground. */
function Supply({ name, side }: { readonly name: string; readonly side: number }) {
  const kind = name === 'GND' ? 'ground' : 'power';
  return (
    <span class={`pin side-${side} ${kind}`}>
      <span class="pin-name">{name}</span>
      <i aria-hidden="true" />
    </span>
  );
}

interface PinProps {
  readonly line: Line;
  readonly side: number;
  readonly isChosen: boolean;
  readonly onChoose: (key: string) => void;
}

function Pin({ line, side, isChosen, onChoose }: PinProps) {
  const app = useApp();
  const { Name, Direction, Used, Consumer, InstanceID, Active } = line;
  const { hardware } = words();
  const user = InstanceID === 0 ? Consumer : (app.gateway.model.find(InstanceID)?.name ?? Consumer);
  const value = Active === undefined ? '' : Active ? hardware.active : hardware.inactive;
  return (
    <button
      class={`pin side-${side} is-${Direction} ${Used ? 'used' : ''} ${Active === true ? 'on' : ''}`}
      type="button"
      aria-pressed={isChosen}
      onClick={() => onChoose(keyOf(line))}
    >
      <span class="pin-name">
        {Name}
        <small>
          {[user, hardware.directions[Direction], value].filter((text) => text !== '').join(' · ')}
        </small>
      </span>
      <i aria-hidden="true" />
    </button>
  );
}

function keyOf({ Chip, Offset }: Line): string {
  return `${Chip}/${Offset}`;
}
