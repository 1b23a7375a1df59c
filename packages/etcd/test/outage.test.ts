import { type EtcdServer, FaultProxy, startEtcd, timed } from "@dt-tooling/backends";
import { failure } from "@dt-tooling/backends/failure";
import { agree, Member } from "@dt-tooling/simulator/hybrid";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { etcdStore } from "../src/index.ts";
import { permitRequest } from "./support/permit-request.ts";

/** About a second, and room for a busy machine. */
const SETTLED_MS = 2_000;

let server: EtcdServer;
let proxy: FaultProxy;
beforeAll(async () => {
  server = await startEtcd({ control: true });
  proxy = await FaultProxy.listen(server.nodes[0] as EtcdServer["nodes"][number]);
});
afterAll(async () => {
  await proxy?.close();
  await server?.stop();
});
/** The network is back; connections from before are not. */
function mend(): void {
  proxy.reset();
  proxy.apply(undefined);
}
afterEach(mend);
const node = () => server.nodes[0] as EtcdServer["nodes"][number];
const options = () => ({ endpoints: `http://127.0.0.1:${proxy.port}` });

/** Every call fails within about a second, with a code of the contract. */
async function everyCallSettles(store: ReturnType<typeof etcdStore>, group: string, member: Member): Promise<void> {
  const calls = [
    member.sync(),
    new Member(store, group, "newcomer").register(),
    new Member(store, group, "leaver").leave(),
    store.inspect(group),
    store.onHint(group, () => {}),
    store.reserve(group, permitRequest()),
    store.release(group, { id: "r", keep: 0 }),
    store.onPermitHint(group, () => {}),
  ];
  for (const { value, ms } of await Promise.all(calls.map((call) => timed(failure(call))))) {
    expect(value?.code).toMatch(/^DT_STORE_(TIMEOUT|UNAVAILABLE)$/);
    expect(ms).toBeLessThan(SETTLED_MS);
  }
}

describe.each<[state: string, begin: () => Promise<void>, end: () => Promise<void>]>([
  ["stopped", () => node().pause(), () => node().resume()],
  ["killed", () => node().kill(), () => node().restart({ keepData: true })],
  ["cut off", async () => proxy.apply({ type: "stall" }), async () => mend()],
])("while etcd is %s", (state, begin, end) => {
  it("every call settles in about a second; afterwards the members are where they were", {
    timeout: 60_000,
  }, async () => {
    await using store = etcdStore(options());
    // The outage of the test before may be a moment ago.
    await expect.poll(() => store.inspect(state).then(() => "answers", String)).toBe("answers");
    const [a, b] = [new Member(store, state, "a"), new Member(store, state, "b")];
    await a.join();
    await b.join();
    const [before] = await agree(a, b);
    await begin();
    try {
      await everyCallSettles(store, state, a);
    } finally {
      await end();
    }
    await expect.poll(() => a.sync().then(({ status }) => status, String)).not.toMatch(/Error/);
    await new Member(store, state, "newcomer").leave();
    const [after] = await agree(a, b);
    expect(after).toMatchObject({ members: 2, held: 50 });
    expect(after?.storeTimeMs).toBeGreaterThan(before?.storeTimeMs as number);
  });

  it("a watch hears of changes again afterwards", async () => {
    await using store = etcdStore(options());
    const group = `watch-${state}`;
    await new Member(store, group, "a").join();
    let hints = 0;
    const stop = await store.onHint(group, () => {
      hints += 1;
    });
    await begin();
    await failure(store.inspect(group));
    await end();
    let visitors = 0;
    const heard = async (): Promise<boolean> => {
      const before = hints;
      const visitor = new Member(store, group, `v${visitors++}`);
      await visitor.register().catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 100));
      return hints > before;
    };
    await expect.poll(heard).toBe(true);
    stop();
  });

  it("a call that is given up settles at once", async () => {
    await using store = etcdStore(options());
    await store.inspect("given-up");
    await begin();
    try {
      const controller = new AbortController();
      const call = failure(store.inspect("given-up", controller.signal));
      controller.abort();
      const { value, ms } = await timed(call);
      expect(value?.code).toBe("DT_ABORTED");
      expect(ms).toBeLessThan(200);
    } finally {
      await end();
    }
  });
});

it("after etcd has lost its data the members are unknown, and come back with what they hold", {
  timeout: 60_000,
}, async () => {
  await using store = etcdStore(options());
  const [a, b] = [new Member(store, "lost", "a"), new Member(store, "lost", "b")];
  await a.join();
  await b.join();
  const [before] = await agree(a, b);
  await server.restart({ keepData: false });
  await expect.poll(() => a.sync().then(({ status }) => status, String)).toBe("unknown");
  const observedMs = before?.storeTimeMs as number;
  const back = await a.register({ rejoin: true, claim: 50, observedMs });
  expect(back).toMatchObject({ members: 1 });
  expect(back.storeTimeMs).toBeGreaterThanOrEqual(observedMs);
  expect(await b.register({ rejoin: true, claim: 50, observedMs })).toMatchObject({ members: 2, held: 50 });
  // They are witnesses that data was lost: others may hold what is on record no more, so that nobody is raised for a
  // stale age.
  expect((await a.beat()).learning).toBe(true);
  const statuses = async (): Promise<string[]> => [(await a.beat()).status, (await b.beat()).status];
  await expect.poll(statuses, { interval: 500 }).toEqual(["agree", "agree"]);
});

it("closing the store while etcd does not answer fails pending calls at once", async () => {
  const store = etcdStore({ ...options(), timeout: "10s" });
  await store.inspect("closing");
  await node().pause();
  try {
    const calls = [store.inspect("closing"), new Member(store, "closing", "a").register()].map(failure);
    const { value, ms } = await timed(store.close().then(() => Promise.all(calls)));
    for (const error of value ?? []) expect(error).toMatchObject({ code: "DT_STORE_CLOSED", effect: "unknown" });
    expect(value).toHaveLength(2);
    expect(ms).toBeLessThan(200);
  } finally {
    await node().resume();
  }
});
