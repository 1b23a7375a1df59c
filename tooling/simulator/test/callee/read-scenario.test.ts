import { describe, expect, it } from "vitest";
import { readScenario, scenarios } from "../../src/callee/index.ts";

const VALID = {
  seconds: 60,
  callee: { servers: 4, service: { kind: "exponential", meanMs: 20 } },
  clients: [{ load: { kind: "open", perSecond: 100 } }],
};

describe("a scenario that somebody wrote", () => {
  it("needs a callee, clients and a length; the rest has defaults", () => {
    expect(readScenario(VALID, "mine")).toEqual({
      ...VALID,
      name: "mine",
      title: "mine",
      measured: { fromSeconds: 15, toSeconds: 60 },
      timeoutMs: 1_000,
      cancels: false,
      callee: { ...VALID.callee, changes: [] },
      clients: [{ load: { kind: "open", perSecond: 100, changes: [] } }],
    });
  });

  it.each(scenarios)("may be one of ours: $name", (scenario) => {
    const { name, ...written } = JSON.parse(JSON.stringify(scenario)) as typeof scenario;
    expect(readScenario(written, name)).toMatchObject(scenario);
  });

  it.each<[string, object, string]>([
    ["no object", [], "the scenario is []; give an object"],
    ["no length", { ...VALID, seconds: undefined }, "seconds is missing; give a number more than 0 and at most 36000"],
    ["a text for a number", { ...VALID, seconds: "60" }, 'seconds is "60"; give a number more than 0'],
    ["no callee", { ...VALID, callee: undefined }, "the scenario has no callee"],
    ["no clients", { ...VALID, clients: [] }, "clients is []; give a list of objects"],
    [
      "half a server",
      { ...VALID, callee: { ...VALID.callee, servers: 1.5 } },
      "callee.servers is 1.5; give a whole number from 1 to 100000",
    ],
    [
      "an unknown field",
      { ...VALID, timeout: 5 },
      'the scenario has an unknown field "timeout"; did you mean timeoutMs?',
    ],
    [
      "an unknown service",
      { ...VALID, callee: { servers: 1, service: { kind: "normal" } } },
      'callee.service.kind is "normal"; give one of fixed, exponential',
    ],
    ["no service", { ...VALID, callee: { servers: 1 } }, "callee.service is missing"],
    [
      "a negative rate",
      { ...VALID, clients: [{ load: { kind: "open", perSecond: -1 } }] },
      "clients[0].load.perSecond is -1; give a number from 0",
    ],
    [
      "changes in disorder",
      { ...VALID, callee: { ...VALID.callee, changes: [{ atSeconds: 20 }, { atSeconds: 10 }] } },
      "callee.changes[1].atSeconds is 10; give changes in order, this one after 20",
    ],
    [
      "a change after the end",
      { ...VALID, callee: { ...VALID.callee, changes: [{ atSeconds: 61 }] } },
      "callee.changes[0].atSeconds is 61",
    ],
    [
      "a client that never begins",
      { ...VALID, clients: [{ count: 3, staggerSeconds: 30, load: { kind: "open", perSecond: 1 } }] },
      "clients[0]: the last client begins at 60 s",
    ],
    [
      "nothing measured",
      { ...VALID, measured: { fromSeconds: 60 } },
      "measured.fromSeconds is 60; give less than toSeconds, 60",
    ],
    [
      "more calls than anybody wants to wait for",
      { ...VALID, clients: [{ load: { kind: "open", perSecond: 1e6 } }] },
      "about 60 million calls",
    ],
    [
      "a cost of nothing",
      { ...VALID, clients: [{ cost: [{ cost: 0, share: 1 }], load: { kind: "open", perSecond: 1 } }] },
      "clients[0].cost[0].cost is 0",
    ],
  ])("is refused with the field, the value and the remedy: %s", (_, value, message) => {
    const read = (): unknown => readScenario(JSON.parse(JSON.stringify(value)), "mine");
    expect(read).toThrow(TypeError);
    expect(read).toThrow(message);
  });
});
