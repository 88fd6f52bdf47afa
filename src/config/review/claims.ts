import { coded, type CodedText, type Text } from '../../base/codes/coded-text.js';
import type { BoardParts } from '../../device/module-registry.js';
import type { Properties } from '../../device/properties.js';
import type { ConfigDocument, DocumentPath } from '../document.js';
import {
  areInConflict,
  resourceOf,
  type ExclusiveResource,
  type Reference,
} from '../../device/property-references.js';
import { didYouMean } from '../../base/did-you-mean.js';

/** The first claimant: its name, and its line in the file. */
interface FirstClaim {
  readonly resource: ExclusiveResource;
  readonly name: string;
  readonly line: number;
}

/** The claimant: its name, and the path of the claim in the file. */
interface Claimant {
  readonly name: string;
  readonly path: DocumentPath;
}

/**
 * Tracks resources that only one claimant can have: lines, channels, LEDs, serial ports, listening ports.
 * Adds a problem for the second claim.
 */
export class Claims {
  readonly #document: ConfigDocument;
  readonly #claims: FirstClaim[] = [];

  constructor(document: ConfigDocument) {
    this.#document = document;
  }

  /** Claims a resource; the second claim is a problem. */
  claim(resource: ExclusiveResource, { name, path }: Claimant): void {
    const taken = this.#claims.find((one) => areInConflict(one.resource, resource));
    if (taken === undefined) this.#claims.push({ resource, name, line: this.#document.lineOf(path) });
    else this.#addConflict(resource.what, taken, path);
  }

  /** Claims a port at an address; port 0 is any free port. */
  claimPort(
    { kind, host, port }: { kind: 'tcp' | 'udp'; host: string; port: number },
    claimant: Claimant,
  ): void {
    if (port !== 0)
      this.claim({ key: `${kind} ${port}`, what: coded`PORT_NAMED: port ${port}`, host }, claimant);
  }

  #addConflict(what: Text, firstClaim: FirstClaim, path: DocumentPath): void {
    this.#document.addProblem(
      path,
      coded`ALREADY_USED_CHOOSE_ANOTHER: ${what} is already used by ${firstClaim.name} (line ${firstClaim.line}); choose another`,
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
  { reference, properties, claimant }: InstanceReference,
  parts: BoardParts | undefined,
): void {
  const resource = resourceOf(reference, properties, parts);
  if (resource !== undefined) claims.claim(resource, claimant);
}

function textIn(properties: Properties, name: string): string {
  const value = properties[name];
  return typeof value === 'string' ? value : '';
}

/** Explains that the board has no such part; undefined if it has, or that can't be known. */
export function missingPart(
  { reference: { refers, value }, properties }: InstanceReference,
  { name: board, parts }: { readonly name: string; readonly parts?: BoardParts },
): CodedText | undefined {
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
  const what = refers === 'led' ? 'LED' : coded`KIND_PWM_CHANNEL: PWM channel`;
  return coded`BOARD_HAS_NO: the board ${board} has no ${what} ${name}${didYouMean(name, known) || coded`BOARD_HAS: ; it has ${listOf(known)}`}`;
}

function missingLine(
  { board, name, chip, isSimulated }: { board: string; name: string; chip: string; isSimulated: boolean },
  { gpio }: BoardParts,
): CodedText | undefined {
  const chips = gpio.map((one) => one.chip);
  if (chip !== '' && !chips.includes(chip))
    return isSimulated
      ? coded`BOARD_HAS_NO_CHIP: the board ${board} has no chip ${chip}; it has ${listOf(chips)}`
      : undefined;
  const known = gpio
    .filter((one) => chip === '' || one.chip === chip)
    .flatMap(({ lines }) => Object.keys(lines));
  if (known.includes(name) || /^\d+$/.test(name)) return undefined;
  return coded`BOARD_HAS_NO_LINE: the board ${board} has no line ${name}${didYouMean(name, known) || coded`SEE_LINES: ; stellwerk lines lists its lines`}`;
}

const listOf = (names: readonly string[]): string => (names.length === 0 ? 'none' : names.join(', '));
