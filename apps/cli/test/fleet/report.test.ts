import { readFileSync } from "node:fs";
import { join } from "node:path";
import { MemoryStore, setLimit } from "@dt/core";
import { semaphoreGroup } from "@dt/core/internal";
import { accepted, newcomer, permitRequest, spendRequest } from "@dt-tooling/simulator/requests";
import { expect, test } from "vitest";
import { readFleet } from "../../src/fleet/read-fleet.ts";

const ADDRESS = { kind: "redis", url: "redis://user:secret@localhost:6379/0?x=secret" } as const;

/** The names of all fields at any depth, as `limiters[].limits[].max`, and what their values are. */
function fieldsOf(value: unknown, path = ""): Map<string, string> {
  if (Array.isArray(value)) return new Map(value.flatMap((one) => [...fieldsOf(one, `${path}[]`)]));
  if (typeof value !== "object" || value === null) return new Map();
  return new Map(
    Object.entries(value).flatMap(([name, one]) => {
      const at = path === "" ? name : `${path}.${name}`;
      const type = Array.isArray(one) ? "array" : typeof one;
      return [[at, type] as const, ...fieldsOf(one, at)];
    }),
  );
}

/** One limiter of each kind, with all that a report can tell of it. */
async function everything(): Promise<MemoryStore> {
  const store = new MemoryStore();
  const member = newcomer({ id: "web-1", stored: true });
  const { generation, members } = accepted(await store.register("payments", member));
  const report = { seq: 2, generation, members, held: 0, max: 10, level: null, stored: true };
  await store.sync("payments", member, { ...report, activity: { used: 3, waiting: 2 } });
  await setLimit(store, { kind: "throttle", name: "payments" }, "4/s", { by: "ann", why: "an incident", for: "2h" });
  await setLimit(store, { kind: "throttle", name: "payments" }, "5/s", { by: "ann" });
  await store.register(semaphoreGroup("ocr"), newcomer({ intervalMs: 1 }));
  await store.reserve("emails", permitRequest({ terms: "every 1000 ms, burst 1" }));
  await store.spend("llm", spendRequest({}, { terms: "terms" }));
  const limit = { max: 5, windowMs: 60_000, burst: 5, concurrent: 2 };
  const take = { cost: 5, maxWaitMs: 0, ahead: 0, aheadWithinMs: 0 };
  await store.take([{ name: "api", key: "tenant-17", limit, take }]);
  return store;
}

/** Only where a limiter cannot be read: held by the tests of damaged rows. */
const OF_ERRORS = ["limiters[].error", "limiters[].error.code", "limiters[].error.message"];

test("the JSON of a report has the fields that the manual has, and no others", async () => {
  const store = await everything();
  const report = JSON.parse(JSON.stringify(await readFleet(store, ADDRESS, { silentAfterMs: 0 })));
  const fields = [...fieldsOf(report).keys()]
    // What a record of a limit has is the contract's, and values have the names of limits.
    .filter((path) => !path.startsWith("limiters[].stored."));
  const manual = readFileSync(join(import.meta.dirname, "../../README.md"), "utf8");
  const [, table = ""] = /<!-- fields of the report -->\n([\s\S]*?)\n\n/.exec(manual) ?? [];
  const documented = [...table.matchAll(/^\| `([^`]+)`/gm)].map(([, path = ""]) => path);
  expect(documented.toSorted()).toEqual([...new Set([...fields, ...OF_ERRORS])].toSorted());
  await store.close();
});

test("a report has the schema 1, and no secret of the address", async () => {
  const store = await everything();
  const report = await readFleet(store, ADDRESS, { silentAfterMs: 0 });
  expect(report).toMatchObject({ schema: 1, store: "redis://localhost:6379/0", state: "attention" });
  expect(JSON.stringify(report)).not.toContain("secret");
  expect(report.requests.count).toBeGreaterThan(9);
  expect(report.requests.maxMs).toBeGreaterThanOrEqual(report.requests.meanMs);
  expect(report.limiters.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    ...["throttle payments", "pacer emails", "semaphore ocr", "budget llm", "keyed api"],
  ]);
  await store.close();
});
