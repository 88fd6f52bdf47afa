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

/** Of the last frames so many are kept to be looked at while the rules are written (`HW_GetKnownDevices`). */
export const RECENT_FRAMES_LIMIT = 20;

const properties = Type.Object({
  ...framingProperties,
  Encoding: enumProperty(encodings, 'latin1'),
  Rules: Type.Array(ruleSchema, { default: [], maxItems: 500 }),
  Commands: Type.Array(commandSchema, { default: [], maxItems: 500 }),
});
type Properties = Static<typeof properties>;

/** The module **Serial Device**: what speaks in frames over a stream of bytes, read by rules and told by commands. */
export const serialDevice: ModuleDefinition<typeof properties> = {
  id: '{5B1C8C4E-2F0D-4E0B-9C57-7C8B1A0B5E21}',
  name: 'Serial Device',
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

/** One variable for each ident, whether rules read it, a command writes it, or both. */
function variables({ Rules: rules, Commands }: Properties): VariableDeclaration[] {
  const written = new Set(Commands.map(({ Ident }) => Ident));
  const all = [
    ...rules.map((fields, at) => ({ fields, profileProperty: `Rules[${at}].Profile` })),
    ...Commands.map((fields, at) => ({ fields, profileProperty: `Commands[${at}].Profile` })),
  ];
  const byIdent = Map.groupBy(all, ({ fields }) => fields.Ident);
  return [...byIdent].map(([ident, entries], index) => {
    const named = entries.find(({ fields }) => fields.Profile !== undefined);
    const staleAfterS = rules.find(
      (one) => one.Ident === ident && one.StaleAfterS !== undefined,
    )?.StaleAfterS;
    return {
      ident,
      name: entries.find(({ fields }) => fields.Name !== undefined)?.fields.Name ?? ident,
      type: variableType[entries[0]?.fields.Type ?? 'string'],
      ...(named?.fields.Profile === undefined
        ? {}
        : { profile: named.fields.Profile, profileProperty: named.profileProperty }),
      action: written.has(ident),
      position: index + 1,
      ...(staleAfterS === undefined ? {} : { staleAfterS }),
    };
  });
}

function findConflict({ Rules: rules, Commands }: Properties): string | undefined {
  const twice = Commands.find(
    ({ Ident }, index) => Commands.findIndex((one) => one.Ident === Ident) !== index,
  );
  if (twice !== undefined) return `Commands has ${twice.Ident} twice`;
  const types = Map.groupBy([...rules, ...Commands], ({ Ident }) => Ident);
  for (const [ident, fields] of types) {
    if (new Set(fields.map(({ Type: type }) => type)).size > 1) return `${ident} has two types`;
  }
  return undefined;
}

class SerialDevice implements OpenInstance, FrameListener {
  readonly #host: Host<Properties>;
  readonly #stream: ByteStream;
  readonly #encoding: Encoding;
  readonly #rules: Rules;
  readonly #commands: ReadonlyMap<string, Command>;
  /** Idents that a rule reads: their value is what the device says, not what was sent. */
  readonly #read: ReadonlySet<string>;
  readonly #complaints: TransientProblems;
  readonly #framers: SenderFramers;
  readonly #unlisten: readonly (() => void)[];
  readonly #recent: { Frame: string; Matched: boolean }[] = [];
  #frames = 0;

  constructor(host: Host<Properties>, stream: ByteStream) {
    const { rules, commands } = compile(host.properties);
    this.#host = host;
    this.#stream = stream;
    this.#encoding = host.properties.Encoding;
    this.#rules = rules;
    this.#commands = commands;
    this.#read = new Set(host.properties.Rules.map(({ Ident }) => Ident));
    this.#complaints = new TransientProblems(host);
    this.#framers = new SenderFramers(() => createFramer(host.properties, host.clock, this));
    const unheard = stream.onData((bytes, from) => this.#framers.push(asBuffer(bytes), from));
    const unleft = stream.onLeave?.((who) => this.#framers.leave(who));
    const unbroken = stream.onBreak?.(() => this.#framers.restart());
    this.#unlisten = [unheard, unleft, unbroken].filter((one) => one !== undefined);
  }

  onFrame(bytes: Buffer, start: number, end: number): void {
    const text = bytes.toString(this.#encoding, start, end);
    const Matched = this.#rules.apply(text, this.#found);
    this.#recent[this.#frames++ % RECENT_FRAMES_LIMIT] = { Frame: text, Matched };
  }

  onOverflow(): void {
    const { MaxLength, Framing } = this.#host.properties;
    this.#complaints.add(
      'OVERFLOW',
      () =>
        `bytes that are no ${Framing} frame of at most ${MaxLength} bytes were dropped; check BaudRate, Framing and MaxLength`,
    );
  }

  async write(ident: string, value: Value): Promise<void> {
    const wished = this.#commands.get(ident);
    if (wished === undefined) throw fault('READ_ONLY', ident);
    await this.#stream.send(wished.encode(value));
    if (!this.#read.has(ident)) this.#host.report(ident, value);
  }

  /** The newest first, so that a person who writes the rules sees what they have to match. */
  knownDevices(): readonly object[] {
    const count = Math.min(this.#frames, RECENT_FRAMES_LIMIT);
    return Array.from(
      { length: count },
      (_, back) => this.#recent[(this.#frames - 1 - back) % RECENT_FRAMES_LIMIT] ?? {},
    );
  }

  async close(): Promise<void> {
    for (const unlisten of this.#unlisten) unlisten();
    this.#framers.close();
    this.#complaints.close();
    await Promise.resolve();
  }

  readonly #found = (ident: string, notation: ValueNotation, raw: string | number): void => {
    const value = readValue(notation, raw);
    if (value !== undefined) return this.#host.report(ident, value);
    this.#host.markUncertain(ident, UNREADABLE_REASON);
    this.#complaints.add('UNREADABLE', () => `${ident}: ${explainUnreadable(notation, raw)}`);
    this.#host.log.debug({ instance: this.#host.id, ident, text: excerpt(raw) }, 'a frame could not be read');
  };
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
