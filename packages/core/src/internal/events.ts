import type { Channel } from "node:diagnostics_channel";
import { CHANNEL_PREFIX } from "../errors/scope.ts";
import { invalidOption } from "./check.ts";

/** A function that receives each event of one kind. */
export type Listener<Event> = (event: Event) => void;

/** Not imported: a bundle for browsers, which have no such module, would not load. */
const diagnostics = typeof process === "undefined" ? undefined : process.getBuiltinModule?.("node:diagnostics_channel");

/** One kind of event, with those who listen to it. */
export class Topic<Event extends object> {
  readonly #listeners = new Set<Listener<Event>>();
  readonly #source: object;
  readonly #channel: Channel | undefined;

  constructor(channel: string, source: object) {
    this.#source = source;
    this.#channel = diagnostics?.channel(channel);
  }

  /** True when somebody would hear of an event: otherwise there is no need to make one. */
  get observed(): boolean {
    return this.#listeners.size > 0 || this.#channel?.hasSubscribers === true;
  }

  on(listener: Listener<Event>): () => void {
    if (typeof listener !== "function") throw invalidOption("listener", listener, "give a function");
    // A fresh function for each registration: one listener that is registered twice is called twice, and removed once.
    const own: Listener<Event> = (event) => listener(event);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  emit(event: Event): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        // Reported as what it is, an uncaught exception of the listener, outside the work of whoever emits.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
    // Subscribers hear of every object of the process, so they are told whose event it is. One that throws is reported
    // by Node in the same way.
    if (this.#channel?.hasSubscribers) this.#channel.publish({ ...this.#source, ...event });
  }
}

/**
 * Typed events by name, for the listeners of one object, and on `node:diagnostics_channel` for tools that watch the
 * whole process: event `grant` of scope `throttle` is published as `dt:throttle:grant`. While nobody listens an event
 * costs one question: `has`. A listener that throws does not disturb the emitter.
 */
export class Events<Shapes extends { readonly [Name in keyof Shapes]: object }> {
  readonly #topics: { readonly [Name in keyof Shapes]: Topic<Shapes[Name]> };

  /**
   * @param scope the middle part of the channels' names
   * @param names every event there is
   * @param source what identifies the emitter; put before the fields of each message on a channel
   */
  constructor(scope: string, names: Readonly<Record<keyof Shapes & string, true>>, source: object) {
    const topics = Object.keys(names).map((name) => [name, new Topic(`${CHANNEL_PREFIX}:${scope}:${name}`, source)]);
    this.#topics = Object.fromEntries(topics);
  }

  /**
   * Listens to an event; returns a function that ends it.
   * @throws DtError `DT_INVALID_OPTION` when there is no such event, or the listener is not a function
   */
  on<Name extends keyof Shapes>(name: Name, listener: Listener<Shapes[Name]>): () => void {
    if (typeof name !== "string" || !Object.hasOwn(this.#topics, name))
      throw invalidOption("event", name, `there is no such event; known are ${Object.keys(this.#topics).join(", ")}`);
    return this.#topics[name].on(listener);
  }

  /** True when somebody would hear of such an event. */
  has(name: keyof Shapes): boolean {
    return this.#topics[name].observed;
  }

  emit<Name extends keyof Shapes>(name: Name, event: Shapes[Name]): void {
    this.#topics[name].emit(event);
  }

  /** One kind of event, for a path so hot that the look at its name would count. */
  topic<Name extends keyof Shapes>(name: Name): Topic<Shapes[Name]> {
    return this.#topics[name];
  }
}
