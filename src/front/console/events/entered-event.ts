import type { EventRecord } from '../../../client/generated/records.js';
import type { ConsoleApp } from '../app.js';

type Part = Partial<EventRecord>;

/** What was entered for an event and not saved. */
export interface Entered {
  readonly event?: Part;
  /** The members of `event` as they were before they were entered. */
  readonly base?: Part;
  readonly name?: string;
  readonly parent?: number;
}

/** Runs count it down, and a save that was rejected sets it: another value is nobody's change. */
const FREE: readonly (keyof EventRecord)[] = ['EventLimit', 'EventActive'];

const text = (value: unknown): string | undefined => JSON.stringify(value);

function select(part: Part, isKept: (name: keyof EventRecord) => boolean): Part {
  return Object.fromEntries(Object.entries(part).filter(([name]) => isKept(name as keyof EventRecord)));
}

/** Adds a part that was entered while `event` was shown; a part that was taken back is no longer entered. */
export function withPart(entered: Entered | undefined, event: EventRecord, part: Part): Entered {
  const { event: mine, base: known, ...place } = entered ?? {};
  const { EventActive: _, ...shown } = event;
  const base: Part = { ...shown, ...known };
  const all: Part = { ...mine, ...part };
  const changed = select(all, (name) =>
    [base, event].some((other) => name === 'EventActive' || text(all[name]) !== text(other[name])),
  );
  return { ...place, event: changed, base: select(base, (name) => name in changed) };
}

/** The same entries, as if they had been entered while `event` was shown; `names`: only these. */
export function basedOn(entered: Entered, event: EventRecord, names: Part = entered.event ?? {}): Entered {
  const base: Part = { ...entered.base, ...select(event, (name) => name in names) };
  return { ...entered, base: select(base, (name) => name in (entered.event ?? {})) };
}

/** Whether saving would overwrite what somebody else has changed since it was entered. */
export function isOverwriting({ event = {}, base = {} }: Entered, stored: EventRecord): boolean {
  // It is saved already if only the reply to a save was lost.
  const isConflict = (name: keyof EventRecord) =>
    ![base, event].some((known) => text(known[name]) === text(stored[name]));
  return Object.keys(select(event, (name) => !FREE.includes(name) && isConflict(name))).length > 0;
}

/** What was entered after `sent` was submitted with `place`; `stored` is what its save has made of the event. */
export function enteredSince(
  entered: Entered | undefined,
  {
    sent,
    place,
  }: { readonly sent: Entered; readonly place: { readonly name: string; readonly parent: number } },
  stored: EventRecord,
): Entered | undefined {
  const { name = place.name, parent = place.parent, ...now } = entered ?? {};
  // A member that was taken back to what it was before differs from what was saved.
  const mine: Part = { ...sent.base, ...now.event };
  const { event: saved = {} } = sent;
  const event = select(
    mine,
    (member) => member !== 'EventActive' && text(mine[member]) !== text(saved[member]),
  );
  const left: Entered = {
    ...(Object.keys(event).length > 0 && basedOn({ ...now, event }, stored, saved)),
    ...(name !== (sent.name ?? place.name) && { name }),
    ...(parent !== (sent.parent ?? place.parent) && { parent }),
  };
  return Object.keys(left).length > 0 ? left : undefined;
}

/** Forgets that the next save activates an event that a rejected one has left inactive. */
export function forgetActivation(app: ConsoleApp, id: number): void {
  const entered = app.form<Entered>(`event/${id}`);
  const { event: { EventActive, ...event } = {}, base, ...others } = entered.peek() ?? {};
  if (EventActive === undefined) return;
  const isEmpty = Object.keys({ ...event, ...others }).length === 0;
  entered.value = isEmpty ? undefined : { ...others, event, ...(base !== undefined && { base }) };
}
