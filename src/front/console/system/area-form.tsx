import { useId } from 'preact/hooks';
import { builtInIcons } from '../../../media/built-in-icons.js';
import { objectType } from '../../web/objects.js';
import type { Model, TreeNode } from '../../web/model.js';
import { useApp } from '../app.js';
import { formText } from '../forms/form-text.js';
import { useDraft } from '../forms/use-draft.js';
import { useSubmit } from '../forms/use-submit.js';
import { systemTexts } from '../i18n/system.js';
import { CheckField } from '../parts/check-field.js';
import { Dialog } from '../parts/dialog.js';
import { FormButtons } from '../parts/form-buttons.js';
import { NewPassword } from '../parts/new-password.js';
import type { AreaSettings, Change } from './settings.js';

/** What is entered, without the password. */
interface AreaDraft {
  readonly title: string;
  readonly ident: string;
  readonly base: string;
  readonly mobile: boolean;
  readonly editable: boolean;
  readonly isOpen: boolean;
  readonly icon: string;
  readonly position: string;
  readonly autostart: string;
}

const draftOf = (area: AreaSettings | undefined): AreaDraft => ({
  title: area?.title ?? '',
  ident: '',
  base: area?.base ?? '/',
  mobile: area?.mobile === true,
  editable: area?.editable === true,
  isOpen: area?.passwordRequired === false,
  icon: area?.icon ?? '',
  position: area?.position === undefined ? '' : String(area.position),
  autostart: area?.autostart?.join('\n') ?? '',
});

interface AreaFormProps {
  /** The area to change; undefined: a new one. */
  readonly area: AreaSettings | undefined;
  /** Its place in the list. */
  readonly index: number;
  readonly onChange: (changes: readonly Change[]) => Promise<boolean>;
  readonly onClose: () => void;
}

/** Adds an area of residents with its password, or changes one. */
export function AreaForm({ area, index, onChange, onClose }: AreaFormProps) {
  const { gateway } = useApp();
  const id = useId();
  const before = draftOf(area);
  const { draft, set, clear, bind } = useDraft(`area/${area?.ident ?? ''}`, before);
  const { title, ident, base, mobile, editable, isOpen, icon, position } = draft;
  const close = () => {
    clear();
    onClose();
  };
  // One that was open has none.
  const needsPassword = !isOpen && (area === undefined || area.passwordRequired === false);
  const { areas: text } = systemTexts();
  const bases = basesIn(gateway.model);
  const save = (form: FormData) => {
    const path = `configurators[${index}]`;
    const addresses = draft.autostart.split(/[\s,]+/).filter((one) => one !== '');
    const common = { title: title.trim(), base, mobile };
    // What has its default is not in the file.
    const others = {
      icon: icon || null,
      position: position === '' ? null : Number(position),
      editable: editable || null,
      autostart: addresses.length > 0 ? addresses : null,
    };
    const given = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== null));
    const access = isOpen
      ? { passwordRequired: false }
      : needsPassword && { password: formText(form, 'password') };
    // A password and no password contradict each other.
    const removed = isOpen
      ? { password: null, passwordHash: null, passwordFile: null }
      : { passwordRequired: null };
    if (area === undefined) return onChange([[path, { ...common, ...given, ident, ...access }]]);
    const isChanged = (key: string) => draft[key as keyof AreaDraft] !== before[key as keyof AreaDraft];
    const changed = Object.entries({ ...common, ...others }).filter(([key]) => isChanged(key));
    // Somebody else may have changed the others since they were shown.
    const all = [...changed, ...(isChanged('isOpen') ? Object.entries({ ...removed, ...access }) : [])];
    return onChange(all.map(([key, value]) => [`${path}.${key}`, value]));
  };
  const { isBusy, onSubmit } = useSubmit(save, close);
  return (
    <Dialog title={area === undefined ? text.add : text.change(area.title)} onClose={close}>
      <form class="form" onSubmit={onSubmit}>
        <div class="field">
          <label for={`${id}-title`}>{text.title}</label>
          <input id={`${id}-title`} required maxLength={200} {...bind('title')} />
        </div>
        {area === undefined && (
          <div class="field">
            <label for={`${id}-ident`}>{text.ident}</label>
            <input
              id={`${id}-ident`}
              required
              pattern="[A-Za-z0-9_]+"
              {...bind('ident')}
              aria-describedby={`${id}-ident-hint`}
            />
            <small id={`${id}-ident-hint`}>{text.identHint}</small>
          </div>
        )}
        <div class="field">
          <label for={`${id}-base`}>{text.base}</label>
          <select id={`${id}-base`} {...bind('base')}>
            <option value="/">{text.everything}</option>
            {area !== undefined && area.base !== '/' && !bases.some(([path]) => path === area.base) && (
              <option value={area.base}>{area.base}</option>
            )}
            {bases.map(([path, name]) => (
              <option key={path} value={path}>
                {name}
              </option>
            ))}
          </select>
          <small>{text.baseHint}</small>
        </div>
        <CheckField label={text.mobile} checked={mobile} onChange={(on) => set({ mobile: on })} />
        <CheckField label={text.editable} checked={editable} onChange={(on) => set({ editable: on })} />
        <CheckField label={text.open} checked={isOpen} onChange={(on) => set({ isOpen: on })} />
        {needsPassword && <NewPassword />}
        <div class="fields">
          <div class="field">
            <label for={`${id}-icon`}>{text.icon}</label>
            <input
              id={`${id}-icon`}
              list={`${id}-icons`}
              autocomplete="off"
              spellcheck={false}
              {...bind('icon')}
            />
            <datalist id={`${id}-icons`}>
              {Object.keys(builtInIcons).map((name) => (
                <option key={name} value={name} />
              ))}
            </datalist>
          </div>
          <div class="field">
            <label for={`${id}-position`}>{text.position}</label>
            <input id={`${id}-position`} type="number" step={1} {...bind('position')} />
          </div>
        </div>
        <div class="field">
          <label for={`${id}-autostart`}>{text.autostart}</label>
          <textarea
            id={`${id}-autostart`}
            rows={2}
            spellcheck={false}
            {...bind('autostart')}
            aria-describedby={`${id}-autostart-hint`}
          />
          <small id={`${id}-autostart-hint`}>{text.autostartHint}</small>
        </div>
        <FormButtons submit={text.save} isDisabled={isBusy.value} onClose={close} />
      </form>
    </Dialog>
  );
}

/** The categories that can be the base of an area: their paths of idents, and the names on it. */
function basesIn(model: Model): (readonly [path: string, name: string])[] {
  const found: (readonly [string, string])[] = [];
  const collect = (parent: number, path: string, names: string) => {
    for (const node of model.children(parent)) {
      const { name } = node;
      const { ident } = node.entry.peek();
      if (!isCategory(node) || ident === '') continue;
      const [at, called] = [`${path}${ident}`, `${names}${name}`];
      found.push([at, called]);
      collect(node.id, `${at}/`, `${called} / `);
    }
  };
  collect(0, '', '');
  return found;
}

const isCategory = ({ type }: TreeNode): boolean => type === objectType.category;
