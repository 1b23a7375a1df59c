import { expect, it } from "vitest";
import { type Call, SetUpFirst, Store } from "../../src/store/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";
import { bareBackend } from "./support/bare-backend.ts";

/** A database whose tables another program drops, and what was asked of it. */
class Droppable {
  readonly asked: string[] = [];
  made = false;
  known = false;
  drops = 0;
  readonly runtime = new VirtualRuntime();
  readonly store: Store = new Store(
    bareBackend(this.runtime, {
      inspect: async () => {
        this.asked.push("inspect");
        if (this.drops > 0) {
          this.drops -= 1;
          this.made = false;
        }
        if (this.made) throw new Error("reached");
        this.known = false;
        throw new SetUpFirst();
      },
      setUp: {
        timeoutMs: 60_000,
        isDone: () => this.known,
        make: async (call: Call) => {
          this.asked.push("make");
          await new Promise<void>((resolve, reject) => {
            this.runtime.setTimer(resolve, 30_000);
            call.signal.addEventListener("abort", () => reject(call.signal.reason));
          });
          this.made = true;
          this.known = true;
        },
      },
    }),
  );

  /** The message of what became of an `inspect`, with as much time as it takes. */
  async inspect(): Promise<string> {
    const failure = this.store.inspect("g").catch((error: Error) => error.message);
    for (let i = 0; i < 4; i++) await this.runtime.advance(30_000);
    return failure as unknown as Promise<string>;
  }
}

it("a call makes what is missing first, and its deadline begins then", async () => {
  const database = new Droppable();
  expect(await database.inspect()).toBe("bare inspect failed: reached");
  expect(database.asked).toEqual(["make", "inspect"]);
});

it("a call that finds it dropped makes it anew", async () => {
  const database = new Droppable();
  database.made = true;
  database.known = true;
  database.drops = 1;
  expect(await database.inspect()).toBe("bare inspect failed: reached");
  expect(database.asked).toEqual(["inspect", "make", "inspect"]);
});

it("a call that finds it dropped again and again says so", async () => {
  const database = new Droppable();
  database.drops = 10;
  expect(await database.inspect()).toMatch(
    /^bare inspect failed: .* was missing again after it was made; find the program that drops it/,
  );
});

it("setUp makes it once, by a deadline of its own", async () => {
  const database = new Droppable();
  const done = database.store.setUp();
  await database.runtime.advance(30_000);
  await done;
  await database.store.setUp();
  expect(database.asked).toEqual(["make"]);
});
