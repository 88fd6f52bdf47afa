import { coded, type Text } from '../../../src/base/codes/coded-text.js';
import type { Cancel } from '../../../src/base/clock.js';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';
import { messageOf } from '../../../src/base/fault.js';
import type { HardwareItem, InstanceTemplate } from '../../../src/device/hardware-search.js';
import type { Host } from '../../../src/device/module.js';
import { excerpt } from '../../../src/device/toolkit/notation.js';
import { TransientProblems } from '../../../src/device/toolkit/transient-problems.js';
import { InvalidAnnouncement } from '../discovery/announcement.js';
import { buildDevice } from '../discovery/device-model.js';
import { packRecord, type DeviceRecord } from '../discovery/device-record.js';
import { DeviceRegistry } from '../discovery/device-registry.js';
import type { TemplateEngine } from '../discovery/lazy-template.js';
import type { SubscriptionRouter } from '../subscription-router.js';
import { DEVICE_MODULE } from './discovery-flow.js';

/** A device announces its entities one after the other: they are one change if none follows within this time. */
const QUIET_MS = 500;
/** A change is taken after this time even if announcements keep arriving. */
const QUIET_LIMIT_MS = 3_000;

/** Problems that are named in a search result. */
const PROBLEMS_SHOWN = 3;

/** Which devices become instances by themselves. */
interface AdoptRule {
  readonly Adopt: 'all' | 'listed' | 'none';
  readonly Devices: readonly string[];
  readonly Ignore: readonly string[];
}

/** An open instance of a device. */
interface Attachment {
  /** The id of the instance. */
  readonly id: number;
  /** What it has stored. */
  readonly record: DeviceRecord;
  readonly text: string;
  readonly isRemoved: boolean;
  /** Called with the new record, or undefined if the device was removed. */
  readonly onChange: (text: string | undefined) => void;
}

/** The discovered devices of one broker, their instances, and the rule for those without. */
export class DiscoveryHub {
  readonly topics: SubscriptionRouter;
  readonly engine: TemplateEngine;
  readonly registry = new DeviceRegistry();
  readonly #host: Host<AdoptRule>;
  readonly #problems: TransientProblems;
  readonly #attachments = new Set<Attachment>();
  /** Instances by the keys of their devices. */
  readonly #byKey = new Map<string, Attachment>();
  /** Why devices could not be created. */
  readonly #notCreated = new Map<string, Text>();
  #dirty = new Set<string>();
  #cancel: Cancel | undefined;
  #firstMs = 0;

  constructor(host: Host<AdoptRule>, topics: SubscriptionRouter, engine: TemplateEngine) {
    this.#host = host;
    this.topics = topics;
    this.engine = engine;
    this.#problems = new TransientProblems(host);
  }

  /** Runs a change of the registry; its problems are reported, not thrown. */
  change(topic: string, run: () => readonly string[] | undefined): void {
    try {
      for (const problem of run() ?? [])
        this.#problems.add('ANNOUNCEMENT', () => coded`ANNOUNCEMENT_PROBLEM: ${topic}: ${problem}`);
    } catch (thrown) {
      if (!(thrown instanceof InvalidAnnouncement)) throw thrown;
      const text = () => coded`ANNOUNCEMENT_PROBLEM: ${topic}: ${thrown.message}`;
      return this.#problems.add('ANNOUNCEMENT', text);
    }
    const changed = this.registry.takeChanged();
    if (changed.size > 0) this.#schedule(changed);
  }

  /** Connects an instance with its device. Returns what ends it. */
  attach(attachment: Attachment): () => void {
    const { record, isRemoved } = attachment;
    this.#attachments.add(attachment);
    for (const key of record.keys) this.#byKey.set(key, attachment);
    if (!isRemoved) this.registry.restore(record);
    // What was announced, or removed, before the instance was opened.
    const id = this.registry.find(record.keys) ?? (isRemoved ? undefined : record.keys[0]);
    if (id !== undefined) this.#schedule([id]);
    return () => {
      this.#attachments.delete(attachment);
      for (const key of record.keys) if (this.#byKey.get(key) === attachment) this.#byKey.delete(key);
    };
  }

  /** The devices as results of a search. */
  items(): HardwareItem[] {
    return [...this.registry.ids()].flatMap((id) => {
      const record = this.registry.record(id);
      if (record === undefined) return [];
      try {
        return [this.#itemOf(id, record)];
      } catch (thrown) {
        this.#reportFailure(id, thrown);
        return [];
      }
    });
  }

  close(): void {
    this.#cancel?.();
    this.#problems.close();
  }

  #schedule(ids: Iterable<string>): void {
    for (const id of ids) this.#dirty.add(id);
    const { clock } = this.#host;
    const nowMs = Number(clock.monotonicNs() / 1_000_000n);
    if (this.#cancel === undefined) this.#firstMs = nowMs;
    this.#cancel?.();
    const left = this.#firstMs + QUIET_LIMIT_MS - nowMs;
    this.#cancel = clock.after(Math.max(0, Math.min(QUIET_MS, left)), () => {
      this.#cancel = undefined;
      void this.#apply().catch((thrown: unknown) => {
        this.#host.log.error(
          { instance: this.#host.id, err: thrown },
          'discovered devices could not be applied',
        );
      });
    });
  }

  /** Updates the instances of the changed devices, and creates those that the rule requires. */
  async #apply(): Promise<void> {
    const ids = this.#dirty;
    this.#dirty = new Set();
    for (const id of ids) {
      if (this.#host.signal.aborted) return;
      try {
        this.#update(id);
      } catch (thrown) {
        // The others are not concerned.
        this.#reportFailure(id, thrown);
      }
      await yieldToEventLoop();
    }
    if (this.#host.signal.aborted) return;
    this.#host.setProblem('ADOPT', this.#notCreated.values().next().value);
    this.#host.report('FOUND', [...this.registry.ids()].length);
  }

  /** Reports that a device can be neither shown nor stored: its record may be too long. */
  #reportFailure(id: string, thrown: unknown): void {
    const record = this.registry.record(id);
    const name = record === undefined ? id : nameOf(id, record);
    this.#problems.add('DEVICE', () => coded`ANNOUNCEMENT_PROBLEM: ${name}: ${messageOf(thrown)}`);
  }

  #update(id: string): void {
    this.#notCreated.delete(id);
    const record = this.registry.record(id);
    if (record === undefined) {
      const gone = this.#byKey.get(id);
      if (gone !== undefined && !gone.isRemoved) gone.onChange(undefined);
      return;
    }
    const attachment = this.#attachmentOf(record);
    const text = packRecord(record);
    if (attachment === undefined) this.#adopt(id, record, text);
    else if (attachment.text !== text || attachment.isRemoved) attachment.onChange(text);
  }

  #adopt(id: string, record: DeviceRecord, text: string): void {
    const { Adopt, Devices, Ignore } = this.#host.properties;
    const names = [id, id.replace(/^id /, ''), nameOf(id, record)];
    const isAdopted =
      (Adopt === 'all' || (Adopt === 'listed' && isListed(Devices, names))) && !isListed(Ignore, names);
    if (!isAdopted || this.#configuredFor(record) !== undefined) return;
    try {
      this.#host.createConnected(this.#templateFor(id, text), nameOf(id, record));
    } catch (thrown) {
      const name = excerpt(nameOf(id, record));
      this.#notCreated.set(id, coded`ADOPT_FAILED: ${name} could not be created: ${messageOf(thrown)}`);
    }
  }

  #itemOf(id: string, record: DeviceRecord): HardwareItem {
    const instance = this.#attachmentOf(record)?.id ?? this.#configuredFor(record) ?? 0;
    const { entities, problems } = buildDevice(record);
    const model = [record.manufacturer, record.model].filter(Boolean).join(' ');
    const count = entities.length === 1 ? '1 entity' : `${entities.length} entities`;
    const missed =
      problems.length === 0
        ? ''
        : `not understood: ${problems.slice(0, PROBLEMS_SHOWN).join('; ')}${problems.length > PROBLEMS_SHOWN ? ' …' : ''}`;
    return {
      id,
      kind: 'mqtt',
      name: nameOf(id, record),
      about: [model, record.origin, count, missed].filter(Boolean).join(', '),
      usedBy: '',
      instance,
      makes: instance === 0 ? [this.#templateFor(id, packRecord(record))] : [],
    };
  }

  #templateFor(id: string, text: string): InstanceTemplate {
    return {
      module: DEVICE_MODULE,
      properties: { Device: id, Announcement: text },
      recognizedBy: ['Device'],
      connectTo: this.#host.id,
    };
  }

  #attachmentOf({ keys }: DeviceRecord): Attachment | undefined {
    return keys.map((key) => this.#byKey.get(key)).find((one) => one !== undefined);
  }

  /** The instance that is configured for a device, open or not. */
  #configuredFor({ keys }: DeviceRecord): number | undefined {
    return this.#host.connected().find(({ properties }) => keys.includes(String(properties['Device'])))?.id;
  }
}

/** The name of a device; without one, that of its only entity, its model, or its identifier. */
function nameOf(id: string, { name, model, entities }: DeviceRecord): string {
  const [first] = entities;
  const own = entities.length === 1 ? first?.settings['name'] : undefined;
  return name || (typeof own === 'string' ? own : '') || model || id.replace(/^\w+ /, '');
}

/** Whether one of the names is in a list, in which `*` is any text. */
function isListed(list: readonly string[], names: readonly string[]): boolean {
  return list.some((entry) => names.some((name) => matches(entry.toLowerCase(), name.toLowerCase())));
}

/** Matches without a regular expression, whose time could grow with the text. */
function matches(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return pattern === name;
  const last = rest.pop() ?? '';
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
