import { describe, expect, it } from "vitest";
import { createGroupedPacer, createPacer, createThrottle, MemoryStore } from "../../src/index.ts";
import { checkVersion, option, settingsOf } from "../../src/internal/index.ts";
import { wrapStore } from "../../src/store/index.ts";

const MARK = Symbol.for("@dt/core/version");

/** The object as another version of core had made it. */
function ofOtherVersion<T extends object>(made: T): T {
  Object.defineProperty(made, MARK, { value: "7.8.9" });
  return made;
}

/** The methods of a store, as somebody else may implement them. */
function writtenByHand(store: MemoryStore) {
  const { capabilities } = store;
  const method = <Name extends "register" | "sync" | "deregister" | "inspect">(name: Name): MemoryStore[Name] =>
    store[name].bind(store) as MemoryStore[Name];
  return {
    capabilities,
    register: method("register"),
    sync: method("sync"),
    deregister: method("deregister"),
    inspect: method("inspect"),
    close: () => store.close(),
  };
}

describe("a version of core", () => {
  it("is marked on what stores and limiters are made of", () => {
    const store = new MemoryStore();
    const throttle = createThrottle({ name: "g", max: 1, store });
    const pacer = createPacer({ name: "k", every: 1, store });
    for (const made of [store, throttle, pacer]) expect(Reflect.get(made, MARK)).toBe("sources");
    expect(Object.keys(store)).not.toContain(MARK);
  });

  it("is marked on a wrapped store as on the store", async () => {
    const run = (_: unknown, call: () => Promise<unknown>) => call();
    expect(Reflect.get(wrapStore(ofOtherVersion(new MemoryStore()), run), MARK)).toBe("7.8.9");
    expect(MARK in wrapStore(writtenByHand(new MemoryStore()), run)).toBe(false);
  });

  it("is compared: another one is refused with both versions and the remedy", () => {
    checkVersion("store", new MemoryStore());
    expect(() => checkVersion("store", ofOtherVersion(new MemoryStore()))).toThrow(
      expect.objectContaining({
        code: "DT_INVALID_OPTION",
        message:
          'store was made with @dt/core 7.8.9 and is given to @dt/core sources; a program needs one version of @dt/core: "npm ls @dt/core" shows which packages ask for which, and "npm dedupe" or an update of one of them leaves one',
      }),
    );
  });

  it("says nothing of an object without a mark, and of what is no object", () => {
    for (const value of [undefined, null, 1, "store", {}, () => undefined]) checkVersion("store", value);
    createThrottle({ name: "g", max: 1, store: writtenByHand(new MemoryStore()) });
  });
});

describe("a store or a limiter of another version is refused where it is handed over:", () => {
  const store = ofOtherVersion(new MemoryStore());
  const sites = { a: { store, weight: 1 }, b: { store: new MemoryStore(), weight: 1 } };
  const table = { part: option.having(["go"], "give a part"), limiter: option.limiter() };
  it.each<[string, () => unknown]>([
    ["store", () => createThrottle({ name: "g", max: 1, store })],
    ["store", () => createPacer({ name: "k", every: 1, store })],
    ["sites.a.store", () => createGroupedPacer({ name: "k", every: 1, sites, site: "a" })],
    ["part", () => settingsOf(table, { part: ofOtherVersion({ go: () => undefined }) })],
    ["limiter", () => settingsOf(table, { part: { go: () => undefined }, limiter: ofOtherVersion({}) })],
  ])("%s of case %#", (name, make) => {
    expect(make).toThrow(`${name} was made with @dt/core 7.8.9`);
  });
});
