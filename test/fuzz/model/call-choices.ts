import type { Random } from '../../tools/random.js';
import {
  conditionChoices,
  cyclicChoices,
  scheduleChoices,
  triggerChoices,
  VALUES,
} from './events/event-choices.js';
import { TEXTS as SCRIPTS } from './scripts.js';
import {
  DEVICE,
  IO,
  MISSING,
  TIME_PASSES,
  ROOT,
  UTILITY,
  type Choice,
  type Chooser,
  type Family,
  type CreatedObject,
} from './steps.js';

const IDENTS = ['', 'a', 'b', 'Light_1', 'not an ident', 'ä'];
const NAMES = ['', 'Lamp', 'Blind', 'ä "quoted"\n'];
const PROFILES = ['Own', 'Other', 'Third', '~Switch', '~Temperature', '~Intensity.100', 'Nowhere', '', 'a~b'];
const TEXTS = ['', 'x', ' °C', '\u{1F600}'];
/**
 * Of different sizes: files of the same size, written within a second, are indistinguishable until they are
 * read.
 */
const CONTENTS = ['', 'a', 'bcd', 'ä{}"'].map((text) => Buffer.from(text).toString('base64'));
const MEDIA_FILES = [
  'a.png',
  'media/a.png',
  'a.png',
  'user/b.svg',
  'rtsp://camera/1',
  '../c.png',
  'media/none.txt',
];
const SCRIPT_FILES = ['a.js', 'b.js', 'c.ts', 'no.txt', '../a.js'];

/** A family of calls about one kind of object. */
interface Subject {
  /** The objects that it needs, in addition to variables and the like. */
  readonly makes: (random: Random) => readonly CreatedObject[];
  readonly choices: (author: Chooser) => readonly Choice[];
}

const event = (type: number) => (): readonly CreatedObject[] => [{ kind: 'event', type }];

/** The kinds of objects that a sequence can be about. */
export const families: Readonly<Record<Family, Subject>> = {
  objects: { makes: () => [], choices: objectChoices },
  profiles: { makes: () => [], choices: profileChoices },
  triggers: { makes: event(0), choices: triggerChoices },
  cyclic: { makes: event(1), choices: cyclicChoices },
  schedules: { makes: event(2), choices: scheduleChoices },
  conditions: { makes: (random) => event(random.pick([0, 0, 1, 2]))(), choices: conditionChoices },
  media: {
    makes: (random) => [{ kind: 'media', type: random.below(6) }],
    choices: mediaChoices,
  },
  instances: {
    makes: () => [
      { kind: 'instance', type: IO },
      { kind: 'instance', type: DEVICE },
      { kind: 'instance', type: DEVICE },
    ],
    choices: instanceChoices,
  },
  scripts: { makes: () => [], choices: scriptChoices },
};

/** The possible steps; one of them is picked. */
export function choicesOf(family: Family, author: Chooser): readonly Choice[] {
  const { random } = author;
  const variable = author.ref('variable');
  const values: readonly Choice[] = [
    ['SetValue', variable, random.pick(VALUES)],
    ['SetValueBoolean', variable, random.chance(0.5)],
    ['SetValueInteger', variable, random.below(9)],
    ['SetValueFloat', variable, random.pick([0, -3, 2.5])],
    ['SetValueString', variable, random.pick(TEXTS)],
    ['SVC_SetParent', author.ref(), author.ref('category')],
    [TIME_PASSES, random.pick([1, 20, 61])],
  ];
  return random.chance(0.2) ? values : families[family].choices(author);
}

function objectChoices(author: Chooser): readonly Choice[] {
  const { random } = author;
  const id = author.ref();
  return [
    ['SVC_SetName', id, random.pick(NAMES)],
    ['SVC_SetName', id, 'Lamp'],
    ['SVC_SetIdent', id, random.pick(IDENTS)],
    ['SVC_SetPosition', id, random.below(5) - 2],
    ['SVC_SetHidden', id, random.chance(0.5)],
    ['SVC_SetDisabled', id, random.chance(0.5)],
    ['SVC_SetIcon', id, random.pick(TEXTS)],
    ['SVC_SetInfo', id, random.pick(TEXTS)],
    ['GW_SetPublishRule', id, random.pick(['home-assistant', 'none', ''])],
    ['SVC_SetParent', id, random.chance(0.2) ? ROOT : author.ref()],
    ['SVC_SetLinkTargetID', author.ref('link'), random.chance(0.2) ? ROOT : author.ref()],
  ];
}

function profileChoices(author: Chooser): readonly Choice[] {
  const { random } = author;
  const variable = author.ref('variable');
  const profile = random.pick(PROFILES);
  const number = random.pick([0, 1, -3, 2.5, 100]);
  const label = [random.pick(['', 'On', 'Off']), random.pick(['', 'Bulb']), random.below(300) - 1] as const;
  const action = random.chance(0.3)
    ? random.pick([0, 1])
    : author.ref(random.pick(['script', 'instance'] as const));
  return [
    ['SVC_SetVariableCustomProfile', variable, profile],
    ['SVC_SetVariableCustomAction', variable, action],
    ['SVC_CreateVariableProfile', profile, random.below(4)],
    ['SVC_SetVariableProfileText', profile, random.pick(TEXTS), random.pick(TEXTS)],
    ['SVC_SetVariableProfileValues', profile, number, number, 1],
    ['SVC_SetVariableProfileDigits', profile, random.below(20) - 2],
    ['SVC_SetVariableProfileIcon', profile, random.pick(TEXTS)],
    ['SVC_SetVariableProfileAssociation', profile, random.pick(VALUES), ...label],
    ['SVC_SetVariableProfileAssociation', profile, random.pick(VALUES), ...label],
    ['SVC_DeleteVariableProfile', profile],
  ];
}

function mediaChoices(author: Chooser): readonly Choice[] {
  const { random } = author;
  const id = author.ref('media');
  const file = random.pick(MEDIA_FILES);
  return [
    ['SVC_SetMediaContent', id, random.chance(0.1) ? 'not Base64!' : random.pick(CONTENTS)],
    ['SVC_SetMediaContent', id, random.pick(CONTENTS)],
    ['SVC_SetMediaFile', id, file, random.chance(0.3)],
    ['SVC_SetMediaFile', id, 'a.png', false],
    ['SVC_SetMediaCached', id, random.chance(0.7)],
    ['SVC_SendMediaEvent', id],
    ['SVC_DeleteMedia', random.chance(0.3) ? id : MISSING, true],
  ];
}

function instanceChoices(author: Chooser): readonly Choice[] {
  const { random, cast } = author;
  const id = author.ref('instance');
  const device = author.exactly('instance', DEVICE);
  const [name, value] = random.chance(0.1) ? ['Nowhere', 1] : random.pick(cast.settings);
  const given = random.chance(0.1) ? ['not a property'] : value;
  return [
    ['SVC_ConnectInstance', id, author.ref('instance')],
    ['SVC_ConnectInstance', device, author.exactly('instance', IO)],
    ['SVC_ConnectInstance', device, author.exactly('instance', IO)],
    ['SVC_DisconnectInstance', random.chance(0.5) ? id : device],
    ['SVC_DeleteInstance', random.chance(0.5) ? author.exactly('instance', IO) : MISSING],
    ['SVC_SetProperty', id, name, given],
    ['SVC_SetProperty', id, name, given],
    ['SVC_SetConfiguration', id, random.pick([JSON.stringify({ [name]: given }), '{}', '[', '[]'])],
    ['SVC_ApplyChanges', id],
    ['SVC_ApplyChanges', id],
    ['SVC_ResetChanges', id],
  ];
}

function scriptChoices(author: Chooser): readonly Choice[] {
  const { random } = author;
  const id = author.ref('script');
  return [
    ['SVC_SetScriptContent', id, random.pick(SCRIPTS).text],
    ['SVC_SetScriptContent', id, random.pick(SCRIPTS).text],
    ['SVC_SetScriptFile', id, random.pick(SCRIPT_FILES)],
    ['UC_RenameScript', UTILITY, id, random.pick(SCRIPT_FILES)],
  ];
}
