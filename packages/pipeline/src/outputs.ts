import type { Ending } from "./ending.ts";
import type { Sink } from "./sinks/sink.ts";

/** The sinks of the three kinds. One that was given for several kinds is opened and closed once. */
export class Outputs<Input, Result> {
  readonly #byKind: Readonly<Record<Ending["kind"], Sink<Input, Result> | undefined>>;
  /** Hears of every ending after its sink. */
  readonly #listener: Pick<Sink<Input, Result>, "write"> | undefined;
  readonly #all: ReadonlySet<Sink<Input, Result>>;

  constructor(
    byKind: Readonly<Record<Ending["kind"], Sink<Input, Result> | undefined>>,
    listener?: Pick<Sink<Input, Result>, "write">,
  ) {
    this.#byKind = byKind;
    this.#listener = listener;
    this.#all = new Set(Object.values(byKind).filter((sink) => sink !== undefined));
  }

  async open(): Promise<void> {
    for (const sink of this.#all) await sink.open?.();
  }

  /** Resolves when the ending was taken. */
  async write(ending: Ending<Input, Result>): Promise<void> {
    await this.#byKind[ending.kind]?.write(ending);
    await this.#listener?.write(ending);
  }

  async flush(): Promise<void> {
    await Promise.all([...this.#all].map((sink) => sink.flush?.()));
  }

  /** Closes all of them, also when one of them fails; rejects with the first failure. */
  async close(): Promise<void> {
    const closed = await Promise.allSettled([...this.#all].map(async (sink) => sink.close?.()));
    for (const result of closed) if (result.status === "rejected") throw result.reason;
  }
}
