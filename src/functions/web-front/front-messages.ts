import { fault } from '../../base/fault.js';
import { declare, int, text, type FunctionDeclaration } from '../../device/declare.js';
import { INFO_LIMIT, checkLength } from '../../kernel/text-limits.js';
import { message } from '../../kernel/messages.js';
import { objectType, type TreeObject } from '../../kernel/object.js';
import { Areas } from './areas.js';
import type { Ports } from '../ports.js';

/** How long a notification may stay, seconds: what is to stay longer is a popup. */
const TIMEOUT_LIMIT_S = 86_400;
/** A sound, among the kinds of media (interface §1). */
const SOUND = 2;

/**
 * What is said to the fronts of a configurator that are connected, or ask for changes soon after (interface §3.5). All
 * of them give true: it was sent; who is there to see it nobody knows.
 */
export function frontMessageFunctions(ports: Ports): FunctionDeclaration[] {
  const areas = new Areas(ports);
  return [...notices(ports, areas), ...orders(ports, areas)];
}

function notices(ports: Ports, areas: Areas): FunctionDeclaration[] {
  const [InstanceID, Title, Text] = [int('InstanceID'), text('Title'), text('Text')];
  return [
    declare({
      name: 'WFC_SendPopup',
      parameters: [InstanceID, Title, Text],
      result: 'boolean',
      help: 'Shows a message in the fronts of a configurator until somebody closes it.',
      run: (_caller, id, title, body) => {
        areas.of(id);
        return send(ports, id, [message.WF_POPUP, ...wording(title, body)]);
      },
    }),
    declare({
      name: 'WFC_SendNotification',
      parameters: [InstanceID, Title, Text, text('Icon'), int('Timeout')],
      result: 'boolean',
      help: 'Shows a message in the fronts of a configurator for so many seconds; with 0 until somebody closes it.',
      run: (_caller, id, title, body, icon, timeoutS) => {
        areas.of(id);
        checkLength('The icon', icon);
        if (timeoutS < 0 || timeoutS > TIMEOUT_LIMIT_S) throw fault('PARAMETER_BOUNDS', 'Timeout');
        return send(ports, id, [message.WF_NOTIFICATION, ...wording(title, body), icon, timeoutS, '', 0]);
      },
    }),
    declare({
      name: 'WFC_PushNotification',
      parameters: [InstanceID, Title, Text, text('Sound'), int('TargetID')],
      result: 'boolean',
      help: 'As WFC_SendNotification, with a sound and an object of the area to go to, or 0. It reaches connected fronts only: this gateway has no push service.',
      run: (_caller, id, title, body, sound, targetId) => {
        if (targetId !== 0 && !areas.of(id).contains(targetId)) throw fault('OBJECT_MISSING', targetId);
        areas.of(id);
        checkLength('The sound', sound);
        const data = [...wording(title, body), '', 0, sound, targetId];
        return send(ports, id, [message.WF_NOTIFICATION, ...data]);
      },
    }),
    declare({
      name: 'WFC_AudioNotification',
      parameters: [InstanceID, Title, int('MediaID')],
      result: 'boolean',
      help: 'Has the fronts of a configurator play a sound: a media object of its area.',
      run: (_caller, id, title, mediaId) => {
        const media = inArea(ports, areas, [id, mediaId]);
        if (!media?.is(objectType.media) || media.data.type !== SOUND)
          throw fault('NOT_OF_TYPE', 'Sound', mediaId);
        checkLength('The title', title);
        return send(ports, id, [message.WF_AUDIO, title, mediaId]);
      },
    }),
  ];
}

function orders(ports: Ports, areas: Areas): FunctionDeclaration[] {
  const InstanceID = int('InstanceID');
  return [
    declare({
      name: 'WFC_SwitchPage',
      parameters: [InstanceID, text('PageName')],
      result: 'boolean',
      help: 'Has the fronts of a configurator show another page: an item, by its ID.',
      run: (_caller, id, page) => {
        areas.of(id);
        checkLength('The name', page);
        return send(ports, id, [message.WF_SWITCH_PAGE, page]);
      },
    }),
    declare({
      name: 'WFC_OpenCategory',
      parameters: [InstanceID, int('CategoryID')],
      result: 'boolean',
      access: 'webfront',
      help: 'Has the fronts of a configurator show a category, or an instance, of its area.',
      run: (_caller, id, categoryId) => {
        const place = inArea(ports, areas, [id, categoryId]);
        if (!place?.is(objectType.category) && !place?.is(objectType.instance))
          throw fault('NOT_OF_TYPE', 'Category', categoryId);
        return send(ports, id, [message.WF_OPEN_CATEGORY, categoryId]);
      },
    }),
    declare({
      name: 'WFC_Reload',
      parameters: [InstanceID],
      result: 'boolean',
      help: 'Has the fronts of a configurator begin anew, with its items as they are now.',
      run: (_caller, id) => {
        areas.of(id);
        return send(ports, id, [message.WF_RELOAD]);
      },
    }),
  ];
}

/** Title and text, checked. */
function wording(title: string, body: string): readonly [string, string] {
  checkLength('The title', title);
  checkLength('The text', body, INFO_LIMIT);
  return [title, body];
}

/** An object of the area proper; whether another is there nobody learns. */
function inArea(
  { kernel }: Ports,
  areas: Areas,
  [configuratorId, id]: readonly [number, number],
): TreeObject | undefined {
  return areas.of(configuratorId).contains(id) ? kernel.tree.find(id) : undefined;
}

function send(
  { kernel }: Ports,
  configuratorId: number,
  [sent, ...data]: readonly [number, ...(string | number)[]],
): true {
  kernel.changes.emit(configuratorId, sent, data);
  return true;
}
