import { useApp } from '../app.js';
import { words } from '../i18n/console-texts.js';
import { systemTexts } from '../i18n/system.js';
import { useLoaded } from '../load.js';
import { LoadedView } from '../parts/loaded-view.js';
import { restoreDeletion } from '../tree/deletion.js';

/** What was deleted since the start of the gateway, and can be restored. */
export function DeletedList() {
  const app = useApp();
  const { gateway } = app;
  const { state, reload } = useLoaded(
    () => app.call('GW_GetDeleted'),
    [gateway.state.value, gateway.model.structure.value],
  );
  const { deleted: text } = systemTexts();
  const { objectTypes } = words();
  const restore = async (id: number, name: string) => {
    if (!(await restoreDeletion(app, id, name))) reload();
  };
  return (
    <>
      <p class="soft">{text.hint}</p>
      <LoadedView state={state}>
        {(deletions) =>
          deletions.length === 0 ? (
            <p class="soft">{text.none}</p>
          ) : (
            <ul class="cards">
              {deletions.map(({ ID, DeletedMs, User, ObjectType, Name, Location, Count }) => (
                <li key={ID}>
                  <strong>{Name}</strong>
                  <small>
                    {Location.split('\\').join(' / ')} · {objectTypes[ObjectType]}
                    {Count > 1 && ` · ${text.objects(Count)}`} · {app.moment(DeletedMs)} · {User}
                  </small>
                  <p class="row-head">
                    <button
                      class="plain"
                      type="button"
                      aria-label={text.restoreName(Name)}
                      onClick={() => void restore(ID, Name)}
                    >
                      {text.restore}
                    </button>
                  </p>
                </li>
              ))}
            </ul>
          )
        }
      </LoadedView>
    </>
  );
}
