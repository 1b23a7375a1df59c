import { DtError, type Timer } from "@dt/core";
import { isSignalError, SignalError } from "../errors.ts";
import { Link, type LinkListener } from "./link.ts";
import type { ClientSettings } from "./options.ts";

/** A producer or consumer. */
export interface Member {
  /** Takes part on a new connection. @throws DtError `DT_REFUSED`, `DT_CONNECTION_LOST` */
  attach(link: Link): Promise<void>;
  /** The connection is over. */
  detach(): void;
  /** It is over for good. */
  end(error: Error): void;
}

/** What a connector tells. */
export interface ConnectorListener extends LinkListener {
  connected(): void;
  disconnected(error: Error | undefined): void;
}

interface Waiting {
  readonly resolve: (link: Link) => void;
  readonly reject: (error: Error) => void;
}

/** The longest wait before the next attempt, in first waits. */
const LONGEST_DELAY = 100;

/** Keeps a connection for as long as there are members, and takes them along to the next one. */
export class Connector {
  readonly #settings: ClientSettings;
  readonly #listener: ConnectorListener;
  readonly #members = new Set<Member>();
  readonly #waiting = new Set<Waiting>();
  /** The connection, from the attempt on. */
  #current: Link | undefined;
  /** The connection, once it can be used. */
  #link: Link | undefined;
  #running = false;
  #closed = false;
  #hurry: () => void = () => undefined;

  constructor(settings: ClientSettings, listener: ConnectorListener) {
    this.#settings = settings;
    this.#listener = listener;
  }

  /**
   * Takes a member in; resolves when it takes part.
   * @throws DtError `DT_REFUSED`, `DT_CONNECTION_LOST`, `DT_STOPPED`
   */
  async join(member: Member): Promise<void> {
    const link = this.#link ?? (await this.#next());
    await member.attach(link);
    this.#members.add(member);
    // The connection may have ended in the very moment in which it was joined.
    if (this.#link !== link) member.detach();
  }

  leave(member: Member): void {
    this.#members.delete(member);
  }

  close(error: Error): void {
    this.#closed = true;
    for (const member of [...this.#members]) member.end(error);
    for (const { reject } of this.#waiting) reject(error);
    this.#current?.close();
    this.#hurry();
  }

  /** The next connection that can be used. */
  #next(): Promise<Link> {
    if (this.#closed) return Promise.reject(new DtError("DT_STOPPED", "the client is closed"));
    const { runtime, requestTimeoutMs } = this.#settings;
    let waiting: Waiting;
    let timer: Timer;
    const link = new Promise<Link>((resolve, reject) => {
      waiting = { resolve, reject };
      this.#waiting.add(waiting);
      timer = runtime.setTimer(
        () => reject(new SignalError("DT_CONNECTION_LOST", `there was no connection within ${requestTimeoutMs} ms`)),
        requestTimeoutMs,
      );
    });
    void this.#run();
    return link.finally(() => {
      timer.cancel();
      this.#waiting.delete(waiting);
    });
  }

  async #run(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    const { reconnectDelayMs, runtime } = this.#settings;
    let delayMs = reconnectDelayMs;
    while (!this.#closed && this.#members.size + this.#waiting.size > 0) {
      const error = await this.#session(() => {
        delayMs = reconnectDelayMs;
      });
      this.#link = undefined;
      for (const member of this.#members) member.detach();
      this.#listener.disconnected(error);
      if (this.#closed) break;
      await this.#pause(delayMs * (0.5 + runtime.random() / 2));
      delayMs = Math.min(2 * delayMs, LONGEST_DELAY * reconnectDelayMs);
    }
    this.#running = false;
  }

  /** One connection, to its end; says what was wrong with it. */
  async #session(greeted: () => void): Promise<Error | undefined> {
    try {
      const link = new Link(await this.#settings.connect(), this.#settings, this.#listener);
      this.#current = link;
      if (this.#closed) link.close();
      await link.greeted();
      greeted();
      this.#link = link;
      this.#listener.connected();
      for (const member of this.#members) this.#bring(member, link);
      for (const { resolve } of this.#waiting) resolve(link);
      return await link.over();
    } catch (error) {
      this.#current?.close();
      return error as Error;
    }
  }

  /**
   * A member that the server no longer wants is over. Any other failure is that of the connection, and comes right with
   * the next one.
   */
  #bring(member: Member, link: Link): void {
    member.attach(link).catch((error: Error) => {
      if (isSignalError(error, "DT_REFUSED")) member.end(error);
      else link.close(error);
    });
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#settings.runtime.setTimer(resolve, ms);
      this.#hurry = () => {
        timer.cancel();
        resolve();
      };
    });
  }
}
