import { isAbsolute } from "node:path";
import { type SqliteStoreOptions, sqliteStore } from "@dt/sqlite";
import { describe, expect, it } from "vitest";

describe("sqliteStore refuses", () => {
  const cases: readonly (readonly [options: unknown, message: string])[] = [
    [undefined, "options is undefined; give an object; its keys are path, migrate, timeout, runtime"],
    [{ pth: "x.db" }, "pth: there is no such option; did you mean path?"],
    [{ path: "x.db", busyTimeout: 5_000 }, "busyTimeout: there is no such option; "],
    [{ path: "x.db", readonly: true }, "readonly: there is no such option; "],
    [{}, "path is undefined; give the path of a file"],
    [{ path: "" }, 'path is ""; give the path of a file'],
    [{ path: 7 }, "path is 7; give the path of a file"],
    [{ path: "a\0b" }, "give the path of a file"],
    [{ path: ":memory:" }, "other processes cannot see it; within one process use MemoryStore of @dt/core"],
    [{ path: "file:x.db" }, "give a plain path, not a URL"],
    [{ path: "x.db", runtime: {} }, "runtime is an object; give an object with now, setTimer and random"],
    [{ path: "x.db", timeout: 0 }, "timeout is 0; give at least 1 ms"],
    [{ path: "x.db", timeout: "soon" }, 'timeout is "soon"; give milliseconds'],
    [{ path: "x.db", timeout: Number.NaN }, "timeout is NaN; give milliseconds"],
  ];
  it.each(cases)("%j", (options, message) => {
    expect(() => sqliteStore(options as SqliteStoreOptions)).toThrow(
      expect.objectContaining({ code: "DT_INVALID_OPTION" }),
    );
    expect(() => sqliteStore(options as SqliteStoreOptions)).toThrow(message);
  });
});

it("a relative path is resolved once, when the store is made", async () => {
  const store = sqliteStore({ path: "no-such-folder/x.db" });
  const error = (await store.inspect("g").catch((reason: unknown) => reason)) as Error;
  expect(isAbsolute(error.message.split(" ")[0] as string)).toBe(true);
});

it("a store can be disposed of", async () => {
  const store = sqliteStore({ path: "x.db" });
  await store[Symbol.asyncDispose]();
  await expect(store.inspect("g")).rejects.toMatchObject({ code: "DT_STORE_CLOSED" });
});
