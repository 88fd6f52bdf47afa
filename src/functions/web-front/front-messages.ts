import { fault } from '../../base/fault.js';
import { declare, int, text, type FunctionDeclaration } from '../../device/declare.js';
import { INFO_LIMIT, checkLength } from '../../kernel/text-limits.js';
import { message } from '../../kernel/messages.js';
import { objectType, type TreeObject } from '../../kernel/object.js';
import { Areas } from './areas.js';
import type { Ports } from '../ports.js';

/** Maximum display time of a notification, s; use a popup for a longer one. */
const TIMEOUT_LIMIT_S = 86_400;
/** The media type of sounds (interface §1). */
const SOUND = 2;

/**
 * Messages to the fronts of a configurator that are connected or poll for changes (interface §3.5). All
 * functions return true, which only means that the message was sent.
 */
export function frontMessageFunctions(ports: Ports): FunctionDeclaration[] {
  const areas = new Areas(ports);
  return [...notifications(ports, areas), ...commands(ports, areas)];
}

function notifications(ports: Ports, areas: Areas): FunctionDeclaration[] {
  const [InstanceID, Title, Text] = [int('InstanceID'), text('Title'), text('Text')];
  return [
    declare({
      name: 'WFC_SendPopup',
      parameters: [InstanceID, Title, Text],
      result: 'boolean',
      help: 'Shows a popup in the fronts of a configurator until a user closes it.',
      run: (_caller, id, title, body) => {
        areas.of(id);
        return send(ports, id, [message.WF_POPUP, ...checkedTexts(title, body)]);
      },
    }),
    declare({
      name: 'WFC_SendNotification',
      parameters: [InstanceID, Title, Text, text('Icon'), int('Timeout')],
      result: 'boolean',
      help: 'Shows a notification in the fronts of a configurator for a number of seconds; 0: until a user closes it.',
      run: (_caller, id, title, body, icon, timeoutS) => {
        areas.of(id);
        checkLength('The icon', icon);
        if (timeoutS < 0 || timeoutS > TIMEOUT_LIMIT_S) throw fault('PARAMETER_BOUNDS', 'Timeout');
        return send(ports, id, [
          message.WF_NOTIFICATION,
          ...checkedTexts(title, body),
          icon,
          timeoutS,
          '',
          0,
        ]);
      },
    }),
    declare({
      name: 'WFC_PushNotification',
      parameters: [InstanceID, Title, Text, text('Sound'), int('TargetID')],
      result: 'boolean',
      help: 'Like WFC_SendNotification, with a sound and a target object in the area, or 0.',
      run: (_caller, id, title, body, sound, targetId) => {
        if (targetId !== 0 && !areas.of(id).contains(targetId)) throw fault('OBJECT_MISSING', targetId);
        areas.of(id);
        checkLength('The sound', sound);
        const data = [...checkedTexts(title, body), '', 0, sound, targetId];
        return send(ports, id, [message.WF_NOTIFICATION, ...data]);
      },
    }),
    declare({
      name: 'WFC_AudioNotification',
      parameters: [InstanceID, Title, int('MediaID')],
      result: 'boolean',
      help: 'Plays a sound, which is a media object in the area, in the fronts of a configurator.',
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

function commands(ports: Ports, areas: Areas): FunctionDeclaration[] {
  const InstanceID = int('InstanceID');
  return [
    declare({
      name: 'WFC_SwitchPage',
      parameters: [InstanceID, text('PageName')],
      result: 'boolean',
      help: 'Switches the fronts of a configurator to a page, given by the ID of its item.',
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
      help: 'Opens a category or instance of the area in the fronts of a configurator.',
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
      help: 'Reloads the fronts of a configurator with its current items.',
      run: (_caller, id) => {
        areas.of(id);
        return send(ports, id, [message.WF_RELOAD]);
      },
    }),
  ];
}

/** Title and text, checked. */
function checkedTexts(title: string, body: string): readonly [string, string] {
  checkLength('The title', title);
  checkLength('The text', body, INFO_LIMIT);
  return [title, body];
}

/** An object in the area; undefined for all others, whether they exist or not. */
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
