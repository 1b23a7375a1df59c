import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { DEMO_PROCESS, type DemoRole } from "../../commands/demo-process.ts";
import { type Entry, JournalReader } from "../journal.ts";
import { Inbox } from "./inbox.ts";
import { JOURNAL_FD } from "./worker.ts";

/** How much of what a process writes to standard error is kept for the message about its end. */
const STDERR_KEPT = 4_000;

type Message = { readonly type: string };

/** A process of the demo as the parent sees it. */
export class Child<In extends Message, Out extends Message> {
  readonly name: string;
  readonly inbox = new Inbox<Out>();
  /**
   * Resolves when the process has ended and everything it wrote was read: with nothing when all was well, else with how
   * it ended.
   */
  readonly ended: Promise<string | undefined>;
  readonly #process: ChildProcess;
  #stderr = "";

  /** `onEntry` is told what the process writes to its journal, `onMessage` of every message, as they come. */
  constructor(
    entry: string,
    role: DemoRole,
    name: string,
    listeners: { onEntry?(entry: Entry): void; onMessage?(message: Out): void } = {},
  ) {
    this.name = name;
    this.#process = fork(entry, [DEMO_PROCESS, role], {
      stdio: ["ignore", "ignore", "pipe", "ipc", "pipe"],
      serialization: "advanced",
      // A session of its own: Ctrl-C in a terminal is for the parent alone, which then decides what happens.
      detached: true,
      windowsHide: true,
    });
    this.#process.on("message", (message) => {
      listeners.onMessage?.(message as Out);
      this.inbox.deliver(message as Out);
    });
    this.#process.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_KEPT);
    });
    const reader = new JournalReader();
    const journal = this.#process.stdio[JOURNAL_FD] as Readable;
    journal.setEncoding("utf8").on("data", (text: string) => {
      for (const one of reader.read(text)) listeners.onEntry?.(one);
    });
    // Not the event "close": it never comes after a `disconnect` from this side.
    const read = Promise.all([this.#process.stderr, journal].map((stream) => stream && once(stream, "close")));
    const exited = new Promise<string | undefined>((resolve) => {
      this.#process.once("error", (error) => resolve(error.message));
      this.#process.once("exit", (code, signal) => resolve(code === 0 ? undefined : howItEnded(code, signal)));
    });
    this.ended = Promise.all([exited, read]).then(
      ([how]) => how && [how, this.#stderr.trim()].filter(Boolean).join(": "),
    );
  }

  send(message: In): void {
    // An error means that the process has ended, which `ended` tells.
    this.#process.send(message, () => undefined);
  }

  /** SIGKILL: no warning, no goodbye. */
  kill(): void {
    this.#process.kill("SIGKILL");
  }

  /** Ends the process: closes the channel, which it takes as a request, and uses force after `withinMs`. */
  async end(withinMs: number): Promise<void> {
    if (this.#process.connected) this.#process.disconnect();
    const timer = setTimeout(() => this.kill(), withinMs);
    await this.ended;
    clearTimeout(timer);
  }
}

function howItEnded(code: number | null, signal: NodeJS.Signals | null): string {
  return signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
}
