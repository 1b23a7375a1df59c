import {
  type CaseResult,
  ConformanceFailure,
  conformanceCases,
  RULES,
  runConformance,
  type StoreTarget,
} from "@dt/conformance";
import { type CoordinationStore, MemoryStore } from "@dt/core";
import { describe, expect, it } from "vitest";

describe("runConformance", () => {
  const target = {
    name: "memory",
    capabilities: { ...new MemoryStore().capabilities },
    sharesData: false,
    createStore: () => new MemoryStore(),
  } as const;

  it("runs the cases that match, tells of each as it ends, and counts them", async () => {
    const results: CaseResult[] = [];
    const report = await runConformance(target, { filter: /^R(14|17) /, onResult: (result) => results.push(result) });
    expect(results.map(({ rule, outcome }) => `${rule} ${outcome}`).sort()).toEqual([
      "R14 passed",
      "R14 passed",
      "R17 skipped",
    ]);
    expect(report).toMatchObject({ passed: 2, failed: 0, skipped: [{ why: "the target has no roundTrips" }] });
  });

  it("says of every case that it skips why", async () => {
    const { skipped } = await runConformance(
      { ...target, capabilities: { ...target.capabilities, ledger: false } },
      { filter: "R7" },
    );
    expect(skipped.length).toBeGreaterThan(5);
    for (const { why } of skipped) expect(why).toBe("the store keeps no ledger (capabilities.ledger is false)");
  });

  it("skips the cases of permits when the store keeps none, unless the target says that it does", async () => {
    const createStore = (): CoordinationStore => {
      const store = new MemoryStore();
      return Object.assign(store, { reserve: undefined });
    };
    const filter = /^P(3|9) /;
    for (const permits of [undefined, false] as const) {
      const declared = permits === undefined ? {} : { permits };
      const { passed, failed, skipped } = await runConformance({ ...target, createStore, ...declared }, { filter });
      expect({ passed, failed }).toEqual({ passed: 0, failed: 0 });
      expect(skipped.length).toBeGreaterThan(15);
      const why =
        permits === false ? "the target keeps no permits" : "the store keeps no permits (it has no reserve())";
      expect(skipped.map((skip) => skip.why)).toContain(why);
    }
    const { failures } = await runConformance({ ...target, createStore, permits: true }, { filter: /^P3 / });
    expect(failures[0]?.summary).toBe("the target promises permits, and the store has no reserve()");
  });

  it("skips the cases of hints of a store that does not tell of freed permits", async () => {
    const createStore = (): CoordinationStore => Object.assign(new MemoryStore(), { onPermitHint: undefined });
    const { failed, skipped } = await runConformance({ ...target, createStore }, { filter: "listen" });
    expect(failed).toBe(0);
    expect(skipped.filter(({ why }) => why.includes("no onPermitHint()"))).toHaveLength(3);
  });

  it("counts a case that its target cannot run as failed, with the target's error", async () => {
    const createStore = (): never => {
      throw new Error("no server at 127.0.0.1:6379");
    };
    const { failures } = await runConformance({ ...target, createStore }, { filter: "R14" });
    expect(failures).toHaveLength(2);
    expect(failures[0]?.summary).toContain("no server at 127.0.0.1:6379");
  });

  it.each([
    [{ sharedData: true }, "sharedData: there is no such option; did you mean sharesData?"],
    [{ capabilities: { ...target.capabilities, demands: true } }, "did you mean capabilities.demand?"],
    [{ faults: { puase: () => {} } }, "faults.puase: there is no such option; known are kill, restart, pause"],
    [{ damage: { spoilMembers: () => {} } }, "did you mean damage.spoilMember?"],
    [{ damage: { spoilMember: true } }, "damage.spoilMember is true; give a function, or leave it out"],
    [{ damage: 5 }, "damage is 5; give an object; its keys are spoilMember"],
  ])("refuses a target with %j: %s", async (slip, message) => {
    const slipped = { ...target, ...slip } as unknown as StoreTarget;
    await expect(runConformance(slipped)).rejects.toMatchObject({
      code: "DT_INVALID_OPTION",
      message: expect.stringContaining(message),
    });
  });

  it("takes a target that can be started and stopped", async () => {
    const served = { ...target, start: async () => {}, stop: async () => {} };
    expect(await runConformance(served, { filter: "R14" })).toMatchObject({ failed: 0 });
  });

  it("ends every store that it made", async () => {
    let open = 0;
    const createStore = (): MemoryStore => {
      open += 1;
      return new MemoryStore();
    };
    const destroyStore = async (store: { close(): Promise<void> }): Promise<void> => {
      open -= 1;
      await store.close();
    };
    await runConformance({ ...target, createStore, destroyStore }, { filter: /^R(7|14|16) / });
    expect(open).toBe(0);
  });
});

it("cases can be listed and run one by one", async () => {
  const cases = conformanceCases({
    name: "memory",
    capabilities: new MemoryStore().capabilities,
    sharesData: false,
    createStore: () => new MemoryStore(),
  });
  expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
  const rules = new Set(cases.map(({ rule }) => rule));
  expect([...Object.keys(RULES)].filter((rule) => !rules.has(rule as "R1"))).toEqual([]);
  await cases.find(({ rule }) => rule === "R14")?.run();
  expect(new ConformanceFailure("R1", "x", []).message).toContain("no call");
});

describe("a store without a ledger", () => {
  /** Every member alone in its group: what a group of one would be. */
  class Storeless extends MemoryStore {
    override readonly capabilities = { ...new MemoryStore().capabilities, ledger: false };
  }

  const rejected = async (change: (store: CoordinationStore) => Partial<CoordinationStore>): Promise<string[]> => {
    const createStore = (): CoordinationStore => {
      const store = new Storeless();
      return Object.assign(store, change(store));
    };
    const { capabilities } = new Storeless();
    const target = { name: "storeless", capabilities, sharesData: false, createStore, permits: false };
    const { failures, passed } = await runConformance(target, { filter: /^R/ });
    expect(passed + failures.length).toBeGreaterThanOrEqual(14);
    return failures.map(({ rule }) => rule);
  };

  it("is asked what holds without one", async () => {
    expect(await rejected(() => ({}))).toEqual([]);
  });

  it("is rejected when it does not forget who has left", async () => {
    expect(await rejected(() => ({ deregister: async () => {} }))).toContain("R12");
  });

  it("is rejected when it takes no notice of another max", async () => {
    const broken = (store: CoordinationStore): Partial<CoordinationStore> => {
      const sync = store.sync.bind(store);
      return { sync: (group, member, report, signal) => sync(group, member, { ...report, max: 100 }, signal) };
    };
    expect(await rejected(broken)).toContain("R6");
  });

  it("is rejected when it takes no notice of an aborted signal", async () => {
    const broken = (store: CoordinationStore): Partial<CoordinationStore> => {
      const register = store.register.bind(store);
      return { register: (group, registration) => register(group, registration) };
    };
    expect(await rejected(broken)).toContain("R16");
  });

  it("is rejected when it takes malformed reports", async () => {
    const broken = (store: CoordinationStore): Partial<CoordinationStore> => {
      const sync = store.sync.bind(store);
      return {
        sync: (group, member, report, signal) =>
          Number.isSafeInteger(report.held)
            ? sync(group, member, report, signal)
            : sync(group, member, { ...report, held: 0 }, signal),
      };
    };
    expect(await rejected(broken)).toContain("R7");
  });

  it("is rejected when a registration that arrives again is another member", async () => {
    const broken = (store: CoordinationStore): Partial<CoordinationStore> => {
      const register = store.register.bind(store);
      let n = 0;
      return {
        register: (group, registration, signal) => {
          n += 1;
          return register(
            group,
            { ...registration, incarnation: `${registration.incarnation.slice(0, 900)}-${n}` },
            signal,
          );
        },
      };
    };
    expect(await rejected(broken)).toContain("R11");
  });

  it("is rejected when it cuts ids", async () => {
    const broken = (store: CoordinationStore): Partial<CoordinationStore> => {
      const register = store.register.bind(store);
      return {
        register: (group, registration, signal) =>
          register(group, { ...registration, id: registration.id.slice(0, 255) }, signal),
      };
    };
    expect(await rejected(broken)).toContain("R15");
  });
});
