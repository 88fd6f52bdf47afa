import { Instances } from './instances.js';
import { Links } from './links.js';
import { Scripts } from './scripts.js';
import { Changes, type BufferLimits } from './changes.js';
import { Events } from './events/events.js';
import { Journal } from './journal.js';
import { MediaObjects } from './media.js';
import { message, runlevel, type Runlevel } from './messages.js';
import { Profiles } from './profiles/profiles.js';
import { Tree } from './tree.js';
import { Variables } from './variables.js';

/** Options of a kernel. */
interface KernelOptions {
  /** The first message gets the counter after this one. */
  readonly counter: number;
  /** In [0, 1), for the ids. */
  readonly random: () => number;
  readonly buffer?: BufferLimits;
  /** Whether the wall clock is trusted; true by default. */
  readonly isClockTrusted?: () => boolean;
  /** Called at every change of the configuration; it must only schedule work. */
  readonly onJournal?: () => void;
}

/** The object tree with everything that belongs to it. Pure and synchronous: no IO, no timers, no await. */
export class Kernel {
  readonly journal: Journal;
  readonly changes: Changes;
  readonly tree: Tree;
  readonly profiles: Profiles;
  readonly variables: Variables;
  readonly instances: Instances;
  readonly scripts: Scripts;
  readonly links: Links;
  readonly media: MediaObjects;
  readonly events: Events;
  #runlevel: Runlevel = runlevel.create;

  constructor({ counter, random, buffer, onJournal, isClockTrusted = () => true }: KernelOptions) {
    this.journal = new Journal(onJournal);
    this.changes = new Changes(counter, buffer);
    this.tree = new Tree(this.changes, this.journal, random);
    this.profiles = new Profiles(this.changes, this.journal);
    this.variables = new Variables(this.tree, this.profiles, isClockTrusted);
    this.instances = new Instances(this.tree);
    this.scripts = new Scripts(this.tree);
    this.links = new Links(this.tree);
    this.media = new MediaObjects(this.tree);
    this.events = new Events(this.tree);
  }

  get runlevel(): Runlevel {
    return this.#runlevel;
  }

  setRunlevel(level: Runlevel): void {
    this.#runlevel = level;
    this.changes.emit(0, message.KERNEL_MESSAGE, [level]);
    if (level === runlevel.ready) this.changes.emit(0, message.KERNEL_STARTED, []);
    if (level === runlevel.shutdown) this.changes.emit(0, message.KERNEL_SHUTDOWN, []);
  }
}
