import { useEffect } from 'preact/hooks';
import { texts } from '../../web/i18n/i18n.js';
import type { Model, TreeNode } from '../../web/model.js';
import { objectType, variableType } from '../../web/objects.js';
import { Icon } from '../../web/parts/icon.js';
import { addressOf } from '../../web/router.js';
import { useApp, type App } from '../app.js';
import { useModal } from '../modal.js';
import { Status } from '../status.js';
import { isOperable, roleOf, tilesOf, variablesOf, type Tile } from '../tiles/kinds.js';
import { DiagnosticValue } from './diagnostic-value.js';
import { ValueDetails } from './details.js';
import { sheetTexts } from './texts.js';
import { ScriptControl, ShutterSheet, VariableControl } from './variable-control.js';

/** Details of a tile, in a dialog with an address of its own. */
export function Sheet() {
  const app = useApp();
  const route = app.router.sheet.value;
  void app.gateway.model.structure.value;
  if (route === undefined) return null;
  const { model } = app.gateway;
  const found = model.find(Number(route.id));
  // A notification may be about a link.
  const node = found?.type === objectType.link ? model.find(found.entry.value.data.targetID ?? 0) : found;
  if (node?.type === objectType.category) return <RoomInstead id={String(node.id)} />;
  return <OpenSheet key={route.id} node={node} />;
}

/** A room has a page, and no sheet: a notification about it opens the page. */
function RoomInstead({ id }: { readonly id: string }) {
  const app = useApp();
  useEffect(() => app.router.replace('room', id), [id]);
  return null;
}

function OpenSheet({ node }: { readonly node: TreeNode | undefined }) {
  const app = useApp();
  const dialog = useModal();
  const { close, gone } = texts();
  // Not if another address has closed it: then it is gone.
  const closed = () => {
    if (dialog.current !== null && app.router.sheet.peek() !== undefined) app.router.back();
  };
  return (
    <dialog
      ref={dialog}
      class="sheet"
      aria-labelledby="sheet-title"
      onClose={closed}
      onClick={({ target }) => target === dialog.current && dialog.current?.close()}
    >
      <div class="sheet-body">
        <header>
          <h2 id="sheet-title">{node === undefined ? gone : titleOf(app, node)}</h2>
          <button class="control" aria-label={close} onClick={() => dialog.current?.close()}>
            <Icon name="close" />
          </button>
        </header>
        {node !== undefined && <SheetContent node={node} />}
      </div>
      <Status dialog={dialog} />
    </dialog>
  );
}

/** An object's name; of a variable of a device, with the device's. */
function titleOf(app: App, node: TreeNode): string {
  const { name } = node;
  const device = deviceOf(app.gateway.model, node);
  return device === undefined ? name : `${device.name} · ${app.captionOf(node)}`;
}

function SheetContent({ node }: { readonly node: TreeNode }) {
  const { model } = useApp().gateway;
  const sheet = sheetTexts();
  const [tile] = tilesOf(model, node);
  const isOwn = node.type === objectType.variable || node.type === objectType.instance;
  const own = isOwn ? variablesOf(model, node) : [];
  const device = deviceOf(model, node);
  const all = device === undefined ? own : variablesOf(model, device);
  const isPlain = (one: TreeNode) => !isOperable(model, one);
  const below = (...roles: readonly string[]) =>
    all.filter((one) => one !== node && roles.includes(roleOf(one.entry.value.data)));
  const diagnostics = [...below('diagnostic'), ...below('state').filter(isPlain)];
  const more = below('detail').filter(isPlain);
  // A device with several tiles has a sheet for each of them, and what belongs to all is in every one.
  const operable = below('state', 'detail').filter((one) => !own.includes(one));
  const others = [...own, ...operable].filter(
    (one) => ![...diagnostics, ...more].includes(one) && !isInShutter(tile, one),
  );
  return (
    <>
      {tile?.kind === 'shutter' && <ShutterSheet shutter={node} />}
      {tile?.kind === 'script' && <ScriptControl script={tile.object} />}
      {others.map((variable) => (
        <VariableControl key={variable.id} variable={variable} isAlone={others.length === 1} />
      ))}
      {tile !== undefined && <MediaView tile={tile} />}
      <Values title={sheet.otherValues} variables={more} />
      <Actions node={node} variables={own} />
      {node.entry.value.info !== '' && <p class="soft">{node.entry.value.info}</p>}
      <ValueDetails title={sheet.details} variables={others.length > 0 ? others : own.slice(0, 1)} />
      <Values title={sheet.diagnostics} variables={diagnostics.filter((one) => !isSentence(one))} />
    </>
  );
}

/** The device that a variable belongs to. */
function deviceOf(model: Model, node: TreeNode): TreeNode | undefined {
  const parent = model.find(node.entry.value.parentID);
  return node.type === objectType.variable && parent?.type === objectType.instance ? parent : undefined;
}

/** Position, slats and motor of a shutter are one group of controls. */
function isInShutter(tile: Tile | undefined, variable: TreeNode): boolean {
  return tile?.kind === 'shutter' && ['POSITION', 'SLAT', 'MOVE'].includes(variable.entry.value.ident);
}

function MediaView({ tile: { kind, object } }: { readonly tile: Tile }) {
  const app = useApp();
  const { crc = '', isAvailable } = object.entry.value.data;
  const address = `${app.base}media/${object.id}?${crc}`;
  const { name } = object;
  if (kind === 'image') return isAvailable ? <img class="media" src={address} alt={name} /> : null;
  if (kind === 'sound') return <audio class="media" src={address} controls />;
  if (kind !== 'document') return null;
  return (
    <p>
      <a href={address} target="_blank" rel="noopener">
        {name}
      </a>
    </p>
  );
}

/** History and favourites. */
function Actions({ node, variables }: { readonly node: TreeNode; readonly variables: readonly TreeNode[] }) {
  const app = useApp();
  const sheet = sheetTexts();
  const { favourites } = app.preferences.value;
  const isFavourite = favourites.includes(node.id);
  // A text has no chart.
  const logged = variables.filter(
    ({ id, entry }) =>
      entry.value.data.type !== variableType.string && app.gateway.model.logged.value.has(id),
  );
  const change = () =>
    app.preferences.change({
      favourites: isFavourite ? favourites.filter((id) => id !== node.id) : [...favourites, node.id],
    });
  return (
    <p class="actions">
      {logged.map((variable) => (
        <a key={variable.id} class="plain" href={addressOf('history', variable.id)}>
          <Icon name="Graph" />
          {logged.length === 1 ? sheet.history : `${sheet.history}: ${app.captionOf(variable)}`}
        </a>
      ))}
      <button class="plain" aria-pressed={isFavourite} onClick={change}>
        <Icon name="star" />
        {isFavourite ? sheet.removeFavourite : sheet.addFavourite}
      </button>
    </p>
  );
}

/** The rule and the scheduled change as English sentences: the state line has them in the user's language. */
function isSentence({ entry }: TreeNode): boolean {
  const { data, ident } = entry.value;
  return roleOf(data) === 'state' && (ident === 'RULE' || ident === 'PENDING');
}

interface ValuesProps {
  readonly title: string;
  readonly variables: readonly TreeNode[];
}

/** Values without controls, a line for each. */
function Values({ title, variables }: ValuesProps) {
  const app = useApp();
  return variables.length === 0 ? null : (
    <details>
      <summary>{title}</summary>
      <dl>
        {variables.map((variable) => (
          <div key={variable.id}>
            <dt>{app.captionOf(variable)}</dt>
            <dd>
              <DiagnosticValue variable={variable} />
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
