import { message } from '../kernel/messages.js';

/** The messages of a hardware search in the change stream. */
export const searchMessage = {
  start: message.IM_SEARCHSTART,
  update: message.IM_SEARCHUPDATE,
  stop: message.IM_SEARCHSTOP,
} as const;

/** A module, by name, and the properties with which an instance of it would use a hardware item. */
export interface InstanceTemplate {
  readonly module: string;
  readonly properties: Readonly<Record<string, unknown>>;
  /**
   * The I/O instance to connect it to: an existing one with these properties, otherwise one that is created
   * too.
   */
  readonly over?: InstanceTemplate;
  /** The I/O instance to connect it to, by its id. */
  readonly connectTo?: number;
  /** The properties by which an existing instance for the item is recognised; all by default. */
  readonly recognizedBy?: readonly string[];
  /** Other values of its properties by which an existing instance is recognised: `{ Port: ['/dev/ttyUSB0'] }`. */
  readonly aliases?: Readonly<Record<string, readonly unknown[]>>;
}

/** A piece of hardware of this machine, found without changing its state. */
export interface HardwareItem {
  /** Stable across restarts: `line pinctrl-bcm2711/17`, `port /dev/serial/by-id/…`. */
  readonly id: string;
  readonly kind: 'chip' | 'line' | 'port' | 'pwm' | 'led' | 'onewire' | 'sensor' | 'mqtt' | 'modbus';
  /** The display name: `GPIO17`, `/dev/ttyUSB0`. */
  readonly name: string;
  /** A description. */
  readonly about: string;
  /** Who uses it, if known; empty if nobody does. */
  readonly usedBy: string;
  /** The instance that uses it, 0 for none. */
  readonly instance: number;
  /**
   * The instances that can be created for it, those that move nothing first; empty if it is not available.
   */
  readonly makes: readonly InstanceTemplate[];
}

/** A search for hardware. */
export interface Search {
  readonly isSearching: boolean;
  /**
   * Starts a search. Returns false if one is running, which then searches once more before it ends.
   * IM_SEARCHSTOP announces the end.
   */
  start(): boolean;
  /** Stops a running search; the results of the last complete one stay. Returns false if none is running. */
  stop(): boolean;
  /** The results of the last complete search. */
  found(): readonly HardwareItem[];
}

/** Finds the hardware that one driver can use. */
export type HardwareFinder = () => Promise<readonly HardwareItem[]>;
