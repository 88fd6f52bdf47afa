import { imageTypes, variableType } from '../../../../src/device/module.js';
import type { EntityBuilder } from '../entity-builder.js';
import { NOW, UNKNOWN, UNREADABLE, type Source } from '../model.js';
import { humanized } from '../names.js';
import { binaryProfile, numberProfile, optionsProfile, pressProfile } from '../presentation.js';
import { pressCommand } from './inputs.js';
import { NONE, isObject, jsonIn, memberOf, numberOf, readJson, readText } from '../readers.js';

const { boolean, float, integer, string } = variableType;

/** Characters up to this code are blanks and line breaks, which Base64 may contain. */
const SPACE = 0x20;
/** `=` */
const PADDING = 0x3d;

/** The last event; retained messages are none. */
export function buildEvent(entity: EntityBuilder): void {
  const { settings } = entity;
  const types = settings.list('event_types') ?? [];
  if (types.length === 0) settings.problem('it has no event types');
  const readEvent = readJson((object) => {
    const type = memberOf(object, 'event_type');
    return typeof type === 'string' && (types.length === 0 || types.includes(type)) ? type : UNREADABLE;
  });
  const read: Source['read'] = (text, current) =>
    text === NONE || text === '{}' || text === 'null' ? undefined : readEvent(text, current);
  entity.add({
    type: string,
    profile: optionsProfile(types),
    sources: entity.sources('state_topic', { template: ['value_template'], read, isEvent: true }),
  });
}

/** A trigger of a device: a counter, because the same trigger may occur again and again. */
export function buildDeviceAutomation(entity: EntityBuilder): void {
  const { settings } = entity;
  const type = settings.text('type') ?? '';
  const subtype = settings.text('subtype') ?? '';
  if (settings.text('automation_type') !== 'trigger') settings.problem('automation_type is not trigger');
  const payload = settings.text('payload');
  const read: Source['read'] = (text, current) =>
    text !== '' && (payload === undefined || payload === text) ? Number(current('') ?? 0) + 1 : undefined;
  entity.add({
    name: humanized([subtype, type].filter(Boolean).join(' ')) || 'Trigger',
    type: integer,
    sources: entity.sources('topic', { template: ['value_template'], read, isEvent: true }),
  });
}

/** The last tag that was scanned. */
export function buildTag(entity: EntityBuilder): void {
  entity.add({
    name: 'Tag',
    type: string,
    sources: entity.sources('topic', { template: ['value_template'], read: readText, isEvent: true }),
  });
}

/** Whether somebody is at home, and where otherwise. */
export function buildDeviceTracker(entity: EntityBuilder): void {
  const { settings } = entity;
  const home = settings.payload('payload_home', 'home');
  const away = settings.payload('payload_not_home', 'not_home');
  const reset = settings.payload('payload_reset', NONE);
  const template = ['value_template'];
  const located =
    (read: (text: string) => boolean | string): Source['read'] =>
    (text) =>
      text === '' ? undefined : text === reset || text === NONE ? UNKNOWN : read(text);
  entity.add({
    type: boolean,
    profile: '~Presence',
    sources: entity.sources('state_topic', { template, read: located((text) => text === home) }),
  });
  entity.add({
    part: 'LOCATION',
    name: 'Location',
    type: string,
    role: 'state',
    sources: entity.sources('state_topic', {
      template,
      read: located((text) => (text === home ? 'home' : text === away ? 'not_home' : text)),
    }),
  });
  addCoordinate(entity, 'LATITUDE', 'Latitude');
  addCoordinate(entity, 'LONGITUDE', 'Longitude');
}

/** A member of the attributes of a tracker. */
function addCoordinate(entity: EntityBuilder, part: string, name: string): void {
  const profile = numberProfile({ unit: '°', digits: 5 });
  entity.add({
    part,
    name,
    type: float,
    role: 'detail',
    profile,
    sources: entity.sources('json_attributes_topic', {
      template: ['json_attributes_template'],
      read: readJson((object) => numberOf(memberOf(object, name.toLowerCase()))),
    }),
  });
}

/** An image with the time of the last one; its URL if it has one. */
export function buildPicture(entity: EntityBuilder): void {
  const { settings } = entity;
  const topic = settings.has('image_topic') ? 'image_topic' : 'topic';
  const type = settings.text('content_type')?.replace(/^image\/jpg$/, 'image/jpeg') ?? 'image/jpeg';
  if (!imageTypes.includes(type)) settings.problem(`content_type is none of ${imageTypes.join(', ')}`);
  const decodeImage = settings.text('image_encoding') === 'b64' ? decodeBase64 : (payload: Buffer) => payload;
  entity.add({
    part: '',
    name: 'Last image',
    type: integer,
    // The image is what it is for.
    role: entity.role === 'main' ? 'state' : entity.role,
    profile: '~UnixTimestamp',
    sources: entity.sources(topic, { read: () => NOW, decodeImage }),
  });
  entity.add({
    ...(entity.hasVariables ? { part: 'URL', name: 'URL' } : {}),
    type: string,
    sources: entity.sources('url_topic', { template: ['url_template'], read: readText }),
  });
}

/** Decodes Base64 with or without line breaks and padding; undefined if it is none. */
function decodeBase64(payload: Buffer): Buffer | undefined {
  let characters = 0;
  for (const byte of payload) if (byte > SPACE && byte !== PADDING) characters += 1;
  const bytes = Buffer.from(payload.toString('latin1'), 'base64');
  // Decoding skips invalid characters.
  return bytes.length === Math.floor((characters * 3) / 4) ? bytes : undefined;
}

/** The installed version, the latest one, and whether they differ. */
export function buildUpdate(entity: EntityBuilder): void {
  const { settings } = entity;
  const source = (read: Source['read']) =>
    entity.sources('state_topic', { template: ['value_template'], read });
  const latestSource = (read: Source['read']) =>
    entity.sources('latest_version_topic', { template: ['latest_version_template'], read });
  const member =
    (key: string, isPlain: boolean): Source['read'] =>
    (text) => {
      if (text === '') return undefined;
      const json = jsonIn(text);
      if (!isObject(json)) return isPlain && json !== null ? text : undefined;
      const version = memberOf(json, key);
      return typeof version === 'string' || typeof version === 'number' ? String(version) : undefined;
    };
  const isNewer =
    (version: Source['read'], other: string, isInstalled: boolean): Source['read'] =>
    (text, current) => {
      const own = version(text, current);
      const known = (isInstalled ? member('latest_version', false) : version)(text, current);
      const against = isInstalled ? (known ?? current(other)) : current(other);
      return typeof own !== 'string' || typeof against !== 'string' ? undefined : own !== against;
    };
  const installed = member('installed_version', true);
  const latest = member('latest_version', true);
  const version = { type: string, role: 'diagnostic' } as const;
  entity.add({ part: 'INSTALLED', name: 'Installed version', ...version, sources: source(installed) });
  entity.add({
    part: 'LATEST',
    name: 'Latest version',
    ...version,
    sources: [...source(member('latest_version', false)), ...latestSource(latest)],
  });
  // After the versions, which it compares.
  entity.add({
    type: boolean,
    profile: binaryProfile('update'),
    role: 'detail',
    sources: [
      ...source(isNewer(installed, 'LATEST', true)),
      ...latestSource(isNewer(latest, 'INSTALLED', false)),
    ],
  });
  const publish = entity.publisher('command_topic');
  const payload = settings.text('payload_install');
  if (publish === undefined || payload === undefined) return;
  entity.add({
    part: 'INSTALL',
    name: 'Install',
    type: integer,
    role: 'detail',
    profile: pressProfile('Install'),
    command: pressCommand(publish, payload),
  });
}
