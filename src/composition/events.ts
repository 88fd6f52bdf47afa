import { fault } from '../base/fault.js';
import { Lazy } from '../base/lazy.js';
import type { ActionOf } from '../config/apply/apply-event.js';
import type { EventEngine } from '../events/event-engine.js';
import type { Ports } from '../functions/ports.js';
import { objectType } from '../kernel/object.js';

/** Runs the events of a gateway. Loaded with the first event, because small gateways often have none. */
export class LazyEvents implements AsyncDisposable {
  readonly #ports: () => Ports;
  readonly #engine = new Lazy(() => this.#load());
  #isClosed = false;

  /** `ports` is called when the engine is created. */
  constructor(ports: () => Ports) {
    this.#ports = ports;
  }

  /** The running engine. Rejects with `STOPPING`. */
  readonly ready = (): Promise<EventEngine> => this.#engine.get();

  /** Starts the engine if the tree has an event. */
  async start(): Promise<void> {
    const { done } = this.#ports().kernel.tree.objectsOfType(objectType.event).next();
    if (done !== true) await this.ready();
  }

  /** Computes the next runs again, in the new time zone. */
  async onTimeZoneChange(): Promise<void> {
    (await this.#engine.current())?.replan();
  }

  /** An action by its name, for events of the configuration. */
  readonly actionOf: ActionOf = async (name, parameters) =>
    (await import('../functions/events/built-in-actions.js')).actionByName(name, parameters);

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    (await this.#engine.current())?.[Symbol.dispose]();
  }

  async #load(): Promise<EventEngine> {
    const [{ EventEngine: Engine }, { actionById }] = await Promise.all([
      import('../events/event-engine.js'),
      import('../functions/events/built-in-actions.js'),
    ]);
    if (this.#isClosed) throw fault('STOPPING');
    const ports = this.#ports();
    const { kernel, clock, scripts, log } = ports;
    return new Engine({
      kernel,
      clock,
      log: log.subject('event'),
      runScript: (run) => scripts.run(run),
      performAction: async (id, run) => actionById(id).run(ports, run),
    });
  }
}
