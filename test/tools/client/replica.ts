import type { Kernel } from '../../../src/kernel/kernel.js';
import type { TreeObject } from '../../../src/kernel/object.js';
import { SnapshotReader, type SnapshotDepth } from '../../../src/kernel/snapshot.js';
import { applyToEvent } from './event-messages.js';
import { messageNumber } from './message-numbers.js';

/** A snapshot's object entry (interface §2.2), as a client keeps it. */
export interface Entry {
  position: number;
  readOnly: boolean;
  ident: string;
  hidden: boolean;
  disabled: boolean;
  type: number;
  name: string;
  info: string;
  icon: string;
  parentID: number;
  summary: string;
  publish?: string | undefined;
  data: Record<string, unknown>;
}

export interface Frame {
  readonly TimeStamp: number;
  readonly SenderID: number;
  readonly Message: number;
  readonly Data: readonly never[];
}

const attributes: ReadonlyMap<number, keyof Entry> = new Map<number, keyof Entry>([
  [messageNumber.OM_CHANGEPARENT, 'parentID'],
  [messageNumber.OM_CHANGENAME, 'name'],
  [messageNumber.OM_CHANGEINFO, 'info'],
  [messageNumber.OM_CHANGESUMMARY, 'summary'],
  [messageNumber.OM_CHANGEPOSITION, 'position'],
  [messageNumber.OM_CHANGEREADONLY, 'readOnly'],
  [messageNumber.OM_CHANGEHIDDEN, 'hidden'],
  [messageNumber.OM_CHANGEICON, 'icon'],
  [messageNumber.OM_CHANGEIDENT, 'ident'],
  [messageNumber.OM_CHANGEDISABLED, 'disabled'],
]);

/**
 * Applies a snapshot and the changes after it like a client (interface §3.3): an object exists from
 * OM_REGISTER on, with defaults; everything else is sent by messages. Throws on contradictions.
 */
export class Replica {
  readonly objects = new Map<number, Entry>();
  readonly children = new Map<number, Set<number>>();

  constructor(objects: Record<string, Entry>) {
    for (const [key, entry] of Object.entries(objects))
      this.objects.set(Number(key.slice(2)), structuredClone(entry));
    for (const [id, entry] of this.objects) if (id !== 0) this.#childrenOf(entry.parentID).add(id);
  }

  apply({ SenderID: id, Message: message, Data: data }: Frame): void {
    if (message === messageNumber.OM_REGISTER) return this.#register(id, data[0] as unknown as number);
    if (message === messageNumber.OM_UNREGISTER) return this.#unregister(id);
    if (message === messageNumber.OM_CHILDADDED)
      return void this.#childrenOf(id).add(data[0] as unknown as number);
    if (message === messageNumber.OM_CHILDREMOVED)
      return this.#childRemoved(id, data[0] as unknown as number);
    if (message >= 11300 && message < 11400) return;
    if (message < messageNumber.OM_REGISTER) return;
    const entry = this.objects.get(id);
    if (entry === undefined) throw new Error(`message ${message} of a missing object: ${id}`);
    if (message === messageNumber.GW_PUBLISH) {
      if (data[0] === '') delete entry.publish;
      else entry.publish = data[0];
      return;
    }
    const key = attributes.get(message);
    if (key !== undefined) Object.assign(entry, { [key]: data[0] });
    else this.#typed(entry, message, data);
  }

  #typed(entry: Entry, message: number, data: readonly unknown[]): void {
    const own = entry.data;
    if (message === messageNumber.IM_CREATE)
      Object.assign(own, { moduleID: data[0], moduleName: data[1], moduleType: data[2] });
    else if (message === messageNumber.IM_CONNECT) own['connectionID'] = data[0];
    else if (message === messageNumber.IM_DISCONNECT) own['connectionID'] = 0;
    else if (message === messageNumber.IM_CHANGESTATUS) own['status'] = data[0];
    else if (message === messageNumber.VM_CREATE)
      Object.assign(own, { type: data[0], value: [false, 0, 0, ''][Number(data[0])] });
    else if (message === messageNumber.VM_UPDATE) {
      own['value'] = data[0];
      own['lastUpdate'] = data[3];
      if (data[1] === true) own['lastChange'] = data[3];
    } else if (message === messageNumber.VM_CHANGEPROFILENAME)
      Object.assign(own, { customProfile: data[0], profile: data[1] });
    else if (message === messageNumber.VM_CHANGEPROFILEACTION)
      Object.assign(own, { customAction: data[0], action: data[1] });
    else if (message === messageNumber.GW_QUALITY) {
      if (data[0] === 0) delete own['quality'];
      else own['quality'] = { state: data[0], reason: data[1], text: data[2] };
    } else if (message === messageNumber.GW_ROLE) own['role'] = data[0];
    else if (message === messageNumber.GW_RESIDENTS) {
      if (data[0] === 'none') delete own['residents'];
      else own['residents'] = data[0];
    } else if (message === messageNumber.GW_RULE) {
      if (data[0] === '') delete own['rule'];
      else own['rule'] = { code: data[0], untilMs: data[1], group: data[2] };
    } else if (message === messageNumber.GW_PENDING) {
      if (data[2] === '') delete own['pending'];
      else own['pending'] = { value: data[0], atMs: data[1], code: data[2] };
    } else if (message === messageNumber.SM_CREATE) own['type'] = data[0];
    else if (message === messageNumber.SM_CHANGEFILE) own['file'] = data[0];
    else if (message === messageNumber.SM_BROKEN) own['isBroken'] = data[0];
    else if (message === messageNumber.MM_CREATE) own['type'] = data[0];
    else if (message === messageNumber.MM_CHANGEFILE) own['file'] = data[0];
    else if (message === messageNumber.MM_AVAILABLE) own['isAvailable'] = data[0];
    else if (message === messageNumber.MM_UPDATE)
      Object.assign(own, { crc: data[0], size: data[1], lastUpdate: data[2] });
    else if (message === messageNumber.MM_CHANGECACHED) own['cached'] = data[0];
    else if (message === messageNumber.LM_CHANGETARGET) own['targetID'] = data[0];
    else if (message > 10800 && message < 10900) applyToEvent(own, message, data);
  }

  #register(id: number, type: number): void {
    if (this.objects.has(id)) throw new Error(`registered twice: ${id}`);
    const data: Record<string, unknown>[] = [
      {},
      { connectionID: 0 },
      {
        profile: '',
        customProfile: '',
        action: 0,
        customAction: 0,
        lastUpdate: 0,
        lastChange: 0,
        isLocked: false,
        role: 'main',
      },
      { file: '', lastExecute: 0, isBroken: false },
      { active: false, limit: 0, script: '', lastRun: 0, nextRun: 0 },
      { file: '', lastUpdate: 0, crc: '', size: 0, isAvailable: false, cached: false },
      { targetID: 0 },
    ];
    const name = `Unnamed Object (ID: ${id})`;
    const flags = { readOnly: false, hidden: false, disabled: false };
    this.objects.set(id, {
      position: 0,
      ident: '',
      type,
      name,
      info: '',
      icon: '',
      parentID: 0,
      summary: '',
      ...flags,
      data: data[type] ?? {},
    });
  }

  #unregister(id: number): void {
    if (!this.objects.delete(id)) throw new Error(`unregistered but not there: ${id}`);
    for (const [parent, children] of this.children)
      if (children.has(id)) throw new Error(`still a child of ${parent}: ${id}`);
    this.children.delete(id);
  }

  #childRemoved(parent: number, child: number): void {
    if (!this.objects.has(child)) throw new Error(`a missing child was removed: ${child}`);
    if (!this.#childrenOf(parent).delete(child)) throw new Error(`${child} was no child of ${parent}`);
  }

  #childrenOf(id: number): Set<number> {
    const found = this.children.get(id) ?? new Set();
    this.children.set(id, found);
    return found;
  }
}

/** The objects of a kernel's snapshot, all or some, as a client reads them: `ID12345` and its entry. */
export function snapshotOf(
  kernel: Kernel,
  objects?: Iterable<readonly [TreeObject, SnapshotDepth]>,
): Record<string, Entry> {
  const reader = new SnapshotReader(kernel.tree, objects);
  const parts: string[] = [];
  for (let part = reader.read(7); part !== undefined; part = reader.read(7)) parts.push(part);
  return JSON.parse(`{${parts.join(',')}}`) as Record<string, Entry>;
}
