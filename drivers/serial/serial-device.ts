import { coded, type Text } from '../../src/base/codes/coded-text.js';
import { type Static, Type } from '@sinclair/typebox';
import { fault, messageOf } from '../../src/base/fault.js';
import { enumProperty } from '../../src/device/toolkit/enum-property.js';
import { TransientProblems } from '../../src/device/toolkit/transient-problems.js';
import {
  moduleKind,
  variableType,
  type Host,
  type ModuleDefinition,
  type OpenInstance,
  type Value,
  type VariableDeclaration,
} from '../../src/device/module.js';
import {
  excerpt,
  readValue,
  UNREADABLE_REASON,
  explainUnreadable,
  type ValueNotation,
} from '../../src/device/toolkit/notation.js';
import { byteStream, type ByteStream } from '../../src/device/byte-stream.js';
import { commandSchema, Command, encodings, type Encoding } from './command.js';
import { SenderFramers } from './sender-framers.js';
import { validateFraming, framingProperties, createFramer } from './framing-properties.js';
import type { FrameListener } from './framer.js';
import { ruleSchema, Rules } from './frame-rules.js';
import { withAdvancedHelp, withHelp } from '../../src/device/toolkit/property-help.js';

/** Number of recent frames kept for `HW_GetKnownDevices`, which helps with writing rules. */
export const RECENT_FRAMES_LIMIT = 20;

const properties = Type.Object({
  ...framingProperties,
  Encoding: withAdvancedHelp(enumProperty(encodings, 'latin1'), 'Frames', 'The encoding of texts.'),
  Rules: withHelp(
    Type.Array(ruleSchema, { default: [], maxItems: 500 }),
    'Variables',
    'How values are read from the frames that the device sends.',
  ),
  Commands: withHelp(
    Type.Array(commandSchema, { default: [], maxItems: 500 }),
    'Variables',
    'How commands are sent to the device.',
  ),
});
type Properties = Static<typeof properties>;

/**
 * The module **Serial Device**: a device that exchanges frames over a stream of bytes. Rules read its values,
 * commands write them.
 */
export const serialDevice: ModuleDefinition<typeof properties> = {
  id: '{5B1C8C4E-2F0D-4E0B-9C57-7C8B1A0B5E21}',
  name: 'Serial Device',
  description: 'A device that exchanges frames over a stream: rules read values, commands write them.',
  icon: 'Gear',
  page: 'hardware/serial.md',
  kind: moduleKind.device,
  prefix: 'HW',
  properties,
  requires: byteStream,
  variables,
  check(checked) {
    try {
      compile(checked);
      return validateFraming(checked) ?? findConflict(checked);
    } catch (thrown) {
      return messageOf(thrown);
    }
  },
  open: (host) => Promise.resolve(new SerialDevice(host, host.parent(byteStream))),
};

function compile({ Rules: rules, Commands, Encoding }: Properties): {
  rules: Rules;
  commands: Map<string, Command>;
} {
  const commands = Commands.map((fields) => new Command(fields, Encoding));
  return { rules: new Rules(rules), commands: new Map(commands.map((one) => [one.ident, one])) };
}

/** One variable per ident, whether rules read it, a command writes it, or both. */
function variables({ Rules: rules, Commands }: Properties): VariableDeclaration[] {
  const written = new Set(Commands.map(({ Ident }) => Ident));
  const all = [
    ...rules.map((fields, at) => ({ fields, profileProperty: `Rules[${at}].Profile` })),
    ...Commands.map((fields, at) => ({ fields, profileProperty: `Commands[${at}].Profile` })),
  ];
  const byIdent = Map.groupBy(all, ({ fields }) => fields.Ident);
  return [...byIdent].map(([ident, entries], index) => {
    const withProfile = entries.find(({ fields }) => fields.Profile !== undefined);
    const staleAfterS = rules.find(
      (one) => one.Ident === ident && one.StaleAfterS !== undefined,
    )?.StaleAfterS;
    return {
      ident,
      name: entries.find(({ fields }) => fields.Name !== undefined)?.fields.Name ?? ident,
      type: variableType[entries[0]?.fields.Type ?? 'string'],
      role: 'main',
      ...(withProfile?.fields.Profile === undefined
        ? {}
        : { profile: withProfile.fields.Profile, profileProperty: withProfile.profileProperty }),
      action: written.has(ident),
      position: index + 1,
      ...(staleAfterS === undefined ? {} : { staleAfterS }),
    };
  });
}

function findConflict({ Rules: rules, Commands }: Properties): Text | undefined {
  const duplicate = Commands.find(
    ({ Ident }, index) => Commands.findIndex((one) => one.Ident === Ident) !== index,
  );
  if (duplicate !== undefined)
    return coded`COMMANDS_CONTAINS_TWICE: Commands contains ${duplicate.Ident} twice`;
  const types = Map.groupBy([...rules, ...Commands], ({ Ident }) => Ident);
  for (const [ident, fields] of types) {
    if (new Set(fields.map(({ Type: type }) => type)).size > 1)
      return coded`TWO_DIFFERENT_TYPES: ${ident} has two different types`;
  }
  return undefined;
}

class SerialDevice implements OpenInstance, FrameListener {
  readonly #host: Host<Properties>;
  readonly #stream: ByteStream;
  readonly #encoding: Encoding;
  readonly #rules: Rules;
  readonly #commands: ReadonlyMap<string, Command>;
  /** Idents that a rule reads: their value is what the device reports, not what was sent. */
  readonly #read: ReadonlySet<string>;
  readonly #problems: TransientProblems;
  readonly #framers: SenderFramers;
  readonly #unsubscribe: readonly (() => void)[];
  readonly #recent: { Frame: string; Matched: boolean }[] = [];
  #frameCount = 0;

  constructor(host: Host<Properties>, stream: ByteStream) {
    const { rules, commands } = compile(host.properties);
    this.#host = host;
    this.#stream = stream;
    this.#encoding = host.properties.Encoding;
    this.#rules = rules;
    this.#commands = commands;
    this.#read = new Set(host.properties.Rules.map(({ Ident }) => Ident));
    this.#problems = new TransientProblems(host);
    this.#framers = new SenderFramers(() => createFramer(host.properties, host.clock, this));
    const offData = stream.onData((bytes, from) => this.#framers.push(asBuffer(bytes), from));
    const offLeave = stream.onLeave?.((who) => this.#framers.leave(who));
    const offBreak = stream.onBreak?.(() => this.#framers.restart());
    this.#unsubscribe = [offData, offLeave, offBreak].filter((one) => one !== undefined);
  }

  onFrame(bytes: Buffer, start: number, end: number): void {
    const text = bytes.toString(this.#encoding, start, end);
    const Matched = this.#rules.apply(text, this.#handleMatch);
    this.#recent[this.#frameCount++ % RECENT_FRAMES_LIMIT] = { Frame: text, Matched };
  }

  onOverflow(): void {
    const { MaxLength, Framing } = this.#host.properties;
    this.#problems.add(
      'OVERFLOW',
      () =>
        coded`BYTES_WERE_DROPPED_NOT: bytes were dropped that are not a ${Framing} frame of at most ${MaxLength} bytes; check BaudRate, Framing and MaxLength`,
    );
  }

  async write(ident: string, value: Value): Promise<void> {
    const command = this.#commands.get(ident);
    if (command === undefined) throw fault('READ_ONLY', ident);
    await this.#stream.send(command.encode(value));
    if (!this.#read.has(ident)) this.#host.report(ident, value);
  }

  /** The recent frames, newest first. */
  knownDevices(): readonly object[] {
    const count = Math.min(this.#frameCount, RECENT_FRAMES_LIMIT);
    return Array.from(
      { length: count },
      (_, back) => this.#recent[(this.#frameCount - 1 - back) % RECENT_FRAMES_LIMIT] ?? {},
    );
  }

  async close(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#framers.close();
    this.#problems.close();
    await Promise.resolve();
  }

  readonly #handleMatch = (ident: string, notation: ValueNotation, raw: string | number): void => {
    const value = readValue(notation, raw);
    if (value !== undefined) return this.#host.report(ident, value);
    this.#host.markUncertain(ident, UNREADABLE_REASON);
    this.#problems.add('UNREADABLE', () => coded`ABOUT: ${ident}: ${explainUnreadable(notation, raw)}`);
    this.#host.log.debug(
      { instance: this.#host.id, ident, text: excerpt(raw) },
      'unreadable value in a frame',
    );
  };
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
