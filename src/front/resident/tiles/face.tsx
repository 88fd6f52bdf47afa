import type { ComponentChildren } from 'preact';
import { associationOf } from '../../web/format.js';
import { texts } from '../../web/i18n/i18n.js';
import { Countdown } from '../../web/parts/countdown.js';
import { Icon } from '../../web/parts/icon.js';
import { tintOf } from '../../web/tint.js';
import { useApp, type App } from '../app.js';
import type { Tile } from './kinds.js';
import { isKnown, type StateLine } from './state-line.js';

interface FaceProps {
  readonly tile: Tile;
  readonly line?: StateLine | undefined;
  /** The value in words is left out for screen readers: the element's own state says it. */
  readonly isStateKnown?: boolean;
  readonly children?: ComponentChildren;
}

/** Icon, name, and the state line: the value and what must be known about it. */
export function TileFace({ tile, line, isStateKnown = false, children }: FaceProps) {
  const { name, named, suffix, room } = tile;
  const app = useApp();
  const below = suffix ? app.captionOf(suffix) : room;
  return (
    <>
      <TileIcon tile={tile} />
      <span class="name">
        {name ?? named.name}
        {below && <small> {below}</small>}
      </span>
      {line !== undefined && (
        <StateText line={{ ...line, reason: line.short || line.reason }} isStateKnown={isStateKnown} />
      )}
      {children}
    </>
  );
}

/** The state line as text. */
export function StateText({
  line,
  isStateKnown = false,
}: {
  readonly line: StateLine;
  readonly isStateKnown?: boolean;
}) {
  const app = useApp();
  return (
    <span class="state">
      <span class="value" aria-hidden={isStateKnown}>
        {line.value}
      </span>
      {line.reason !== '' && (
        <span class="reason">
          <span aria-hidden={isStateKnown}> · </span>
          {line.reason}
          {line.untilMs > 0 && (
            <Countdown untilMs={line.untilMs} now={() => app.gateway.now()} text={texts().tile.seconds} />
          )}
        </span>
      )}
    </span>
  );
}

function TileIcon({ tile }: { readonly tile: Tile }) {
  const app = useApp();
  const { name, color } = iconOf(app, tile);
  return <Icon name={name} files={`${app.base}icon/`} color={tintOf(color, app.isDark.value)} />;
}

/** What a tile is called. */
export function nameOf(app: App, { name, named, suffix }: Tile): string {
  const shown = name ?? named.name;
  return suffix === undefined ? shown : `${shown} · ${app.captionOf(suffix)}`;
}

/** The icons of kinds that no profile describes. */
const kindIcons: Partial<Record<Tile['kind'], string>> = {
  script: 'Script',
  image: 'picture',
  sound: 'Speaker',
  chart: 'Graph',
  document: 'file',
  pulse: 'Execute',
  shutter: 'Jalousie',
  text: 'text',
  time: 'Clock',
};

interface ChosenIcon {
  readonly name: string;
  /** RGB of the association; −1: none. */
  readonly color: number;
}

function iconOf({ gateway: { model } }: App, tile: Tile): ChosenIcon {
  const { icon, named, object, variable, kind } = tile;
  const profile = variable === undefined ? undefined : model.profileOf(variable);
  // The last value that was known says nothing about the present one.
  const associated =
    profile === undefined || variable === undefined || !isKnown(variable)
      ? undefined
      : associationOf(variable.value.value, profile);
  const own = icon ?? '';
  const name =
    own ||
    named.entry.value.icon ||
    object.entry.value.icon ||
    (variable?.entry.value.icon ?? '') ||
    (associated?.icon ?? '') ||
    (kindIcons[kind] ?? '') ||
    (profile?.icon ?? '') ||
    'dot';
  return { name, color: associated?.color ?? -1 };
}
