import { rmSync } from "node:fs";
import { Inbox } from "./inbox.ts";

/** The parent as a child process sees it. */
export class Parent<In extends { readonly type: string }, Out extends object> {
  readonly inbox = new Inbox<In>();
  #finished = false;

  /**
   * `onGone` runs when the parent has closed the channel or died, before this process exits: whatever the reason,
   * nothing may stay behind.
   * @throws Error when this process was not forked
   */
  constructor(onGone: () => Promise<void>) {
    if (!process.connected) throw new Error("this command is for the processes that dt starts itself");
    process.on("message", (message) => this.inbox.deliver(message as In));
    process.once("disconnect", () => {
      if (!this.#finished) onGone().finally(() => process.exit());
    });
  }

  send(message: Out): Promise<void> {
    return new Promise((resolve) => {
      // An error means that the parent is gone, which "disconnect" deals with.
      process.send?.(message, () => resolve());
    });
  }

  /** Ends this process in good order. */
  finish(): never {
    this.#finished = true;
    process.exit();
  }
}

/** Removes the run's folder of temporary files; several processes may do so at once. */
export function removeScratch(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  } catch {
    // Another process is removing it, or still writes to it and will remove it.
  }
}
