import type { BoardParts } from '../../device/module-registry.js';
import type { Properties } from '../../device/properties.js';
import type { ConfigDocument, DocumentPath } from '../document.js';
import type { Reference } from '../../device/property-references.js';
import { didYouMean } from '../../base/did-you-mean.js';

/** The first claimant: its name, and its line in the file. */
interface FirstClaim {
  readonly name: string;
  readonly line: number;
}

/** The claimant: its name, and the path of the claim in the file. */
interface Claimant {
  readonly name: string;
  readonly path: DocumentPath;
}

/** Wildcard addresses. */
const ALL: readonly string[] = ['0.0.0.0', '::'];

/**
 * Tracks resources that only one claimant can have: lines, channels, LEDs, serial ports, listening ports.
 * Adds a problem for the second claim.
 */
export class Claims {
  readonly #document: ConfigDocument;
  readonly #claims = new Map<string, FirstClaim>();
  readonly #ports: { readonly key: string; readonly host: string; readonly firstClaim: FirstClaim }[] = [];

  constructor(document: ConfigDocument) {
    this.#document = document;
  }

  /** Claims a resource by its key; `what` is its name in messages. */
  claim(key: string, what: string, { name, path }: Claimant): void {
    const firstClaim = this.#claims.get(key);
    if (firstClaim === undefined) this.#claims.set(key, { name, line: this.#document.lineOf(path) });
    else this.#addConflict(what, firstClaim, path);
  }

  /** Claims a port at an address; port 0 is any free port. */
  claimPort(of: { kind: 'tcp' | 'udp'; host: string; port: number }, { name, path }: Claimant): void {
    const { kind, host, port } = of;
    if (port === 0) return;
    const key = `${kind} ${port}`;
    const taken = this.#ports.find(
      (one) => one.key === key && (one.host === host || ALL.includes(one.host) || ALL.includes(host)),
    );
    if (taken === undefined)
      this.#ports.push({ key, host, firstClaim: { name, line: this.#document.lineOf(path) } });
    else this.#addConflict(`port ${port}`, taken.firstClaim, path);
  }

  #addConflict(what: string, firstClaim: FirstClaim, path: DocumentPath): void {
    this.#document.addProblem(
      path,
      `${what} is already used by ${firstClaim.name} (line ${firstClaim.line}); choose another`,
    );
  }
}

/** A reference in an instance's properties, with all its properties. */
export interface InstanceReference {
  readonly reference: Reference;
  readonly properties: Properties;
  readonly claimant: Claimant;
}

/** Claims the resource that a property refers to, if it is exclusive. */
export function claimReference(
  claims: Claims,
  { reference: { refers, value }, properties, claimant }: InstanceReference,
  parts: BoardParts | undefined,
): void {
  const text = String(value);
  const bindIp = textIn(properties, 'BindIP');
  switch (refers) {
    case 'line':
      return claims.claim(
        `line ${lineKey(text, textIn(properties, 'Chip'), parts)}`,
        `line ${text}`,
        claimant,
      );
    case 'channel':
      return claims.claim(
        `channel ${channelKey(text, textIn(properties, 'Chip'), parts)}`,
        `PWM channel ${text}`,
        claimant,
      );
    case 'led':
    case 'bus':
    case 'onewire':
    case 'serialPort':
      return claims.claim(`${refers} ${text}`, text, claimant);
    case 'tcpPort':
      return claims.claimPort({ kind: 'tcp', host: bindIp, port: Number(value) }, claimant);
    case 'udpPort':
      if (properties['EnableReuseAddress'] === true) return;
      return claims.claimPort({ kind: 'udp', host: bindIp, port: Number(value) }, claimant);
    case 'switch':
    case 'file':
  }
}

function textIn(properties: Properties, name: string): string {
  const value = properties[name];
  return typeof value === 'string' ? value : '';
}

/** The key of a line: the same for its name and its offset. */
function lineKey(name: string, chip: string, parts: BoardParts | undefined): string {
  const named = parts?.gpio.find(
    (one) => (chip === '' || one.chip === chip) && Object.hasOwn(one.lines, name),
  );
  if (named !== undefined) return `${named.chip}/${named.lines[name]}`;
  const [only, ...others] = parts?.gpio ?? [];
  return `${chip === '' && others.length === 0 ? (only?.chip ?? '') : chip}/${name}`;
}

function channelKey(name: string, chip: string, parts: BoardParts | undefined): string {
  const named = parts?.pwm?.find(
    (one) => (chip === '' || one.chip === chip) && Object.hasOwn(one.channels, name),
  );
  return named === undefined ? `${chip}/${name}` : `${named.chip}/${named.channels[name]}`;
}

/** Explains that the board has no such part; undefined if it has, or that can't be known. */
export function missingPart(
  { reference: { refers, value }, properties }: InstanceReference,
  { name: board, parts }: { readonly name: string; readonly parts?: BoardParts },
): string | undefined {
  const name = String(value);
  if (parts === undefined) return undefined;
  const isSimulated = parts.simulated !== undefined;
  const chip = textIn(properties, 'Chip');
  if (refers === 'line') return missingLine({ board, name, chip, isSimulated }, parts);
  if (!isSimulated) return undefined;
  const names = {
    led: parts.leds.map((led) => led.name),
    channel: (parts.pwm ?? []).flatMap(({ channels }) => Object.keys(channels)),
  };
  const known = refers === 'led' || refers === 'channel' ? names[refers] : undefined;
  if (known === undefined || known.includes(name) || /^\d+$/.test(name)) return undefined;
  const what = refers === 'led' ? 'LED' : 'PWM channel';
  return `the board ${board} has no ${what} ${name}${didYouMean(name, known) || `; it has ${listOf(known)}`}`;
}

function missingLine(
  { board, name, chip, isSimulated }: { board: string; name: string; chip: string; isSimulated: boolean },
  { gpio }: BoardParts,
): string | undefined {
  const chips = gpio.map((one) => one.chip);
  if (chip !== '' && !chips.includes(chip))
    return isSimulated ? `the board ${board} has no chip ${chip}; it has ${listOf(chips)}` : undefined;
  const known = gpio
    .filter((one) => chip === '' || one.chip === chip)
    .flatMap(({ lines }) => Object.keys(lines));
  if (known.includes(name) || /^\d+$/.test(name)) return undefined;
  return `the board ${board} has no line ${name}${didYouMean(name, known) || '; stellwerk lines lists its lines'}`;
}

const listOf = (names: readonly string[]): string => (names.length === 0 ? 'none' : names.join(', '));
