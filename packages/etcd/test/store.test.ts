import type { MemberView } from "@dt/core";
import { type EtcdServer, startEtcd, timed } from "@dt-tooling/backends";
import { failure, thrown } from "@dt-tooling/backends/failure";
import { agree, Member } from "@dt-tooling/simulator/hybrid";
import { Etcd3, Range } from "etcd3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EtcdStoreOptions, etcdStore } from "../src/index.ts";
import { settledRequests } from "./support/metrics.ts";

describe("options", () => {
  it.each<[option: string, what: string, options: unknown, remedy: string]>([
    ["options", "undefined", undefined, "give an object"],
    ["the way to etcd", "none", {}, "either client or endpoints"],
    [
      "the way to etcd",
      "two",
      { client: new Etcd3(), endpoints: "http://localhost:2379" },
      "either client or endpoints",
    ],
    ["client", "no client", { client: {} }, "new Etcd3("],
    ["endpoints", "none", { endpoints: [] }, "http://host:port"],
    ["endpoints", "no URL", { endpoints: "localhost:2379" }, "http://host:port"],
    ["endpoints", "with a password", { endpoints: "http://user:secret@host:1" }, "a password goes to auth"],
    ["endpoints", "of two kinds", { endpoints: ["http://a:1", "https://b:1"] }, "of the same kind"],
    ["auth", "a number", { endpoints: "http://a:1", auth: 5 }, "auth is a number; give { username, password }"],
    ["auth", "text", { endpoints: "http://a:1", auth: "root:secret" }, "auth is text; give { username, password }"],
    [
      "auth.username",
      "missing",
      { endpoints: "http://a:1", auth: { password: "secret" } },
      "auth.username is missing;",
    ],
    ["auth.username", "empty", { endpoints: "http://a:1", auth: { username: "", password: "secret" } }, "is empty;"],
    ["auth.password", "missing", { endpoints: "http://a:1", auth: { username: "u" } }, "auth.password is missing;"],
    ["auth", "beside a client", { client: new Etcd3(), auth: { username: "u", password: "p" } }, "leave it out"],
    ["tls", "without https", { endpoints: "http://a:1", tls: { ca: "-----BEGIN CERTIFICATE-----" } }, "https://"],
    ["tls", "a flag", { endpoints: "https://a:1", tls: true }, "tls is a boolean; give { ca, cert?, key? }"],
    ["tls.ca", "missing", { endpoints: "https://a:1", tls: {} }, "tls.ca is missing; give PEM text"],
    ["tls.ca", "a path", { endpoints: "https://a:1", tls: { ca: "/secret.pem" } }, "is text without -----BEGIN;"],
    ["tls.ca", "bytes", { endpoints: "https://a:1", tls: { ca: Buffer.from("secret") } }, "tls.ca is an object;"],
    ["tls.key", "missing", { endpoints: "https://a:1", tls: { ca: "-----BEGIN A", cert: "-----BEGIN B" } }, "PEM"],
    ["prefix", "empty", { endpoints: "http://a:1", prefix: "" }, "non-empty"],
    ["prefix", "with two slashes", { endpoints: "http://a:1", prefix: "a//b" }, "second slash"],
    ["prefix", "with a slash", { endpoints: "http://a:1", prefix: "limits/" }, "slash"],
    ["runtime", "none", { endpoints: "http://a:1", runtime: {} }, "now, setTimer and random"],
    ["timeout", "no duration", { endpoints: "http://a:1", timeout: "soon" }, "milliseconds"],
    ["timeout", "too long for a driver", { endpoints: "http://a:1", timeout: "13d" }, "at most 10 days"],
    ["endpoint", "misspelt", { endpoint: "http://secret:1" }, "did you mean endpoints?"],
    ["credentials", "unknown", { endpoints: "https://a:1", credentials: { password: "secret" } }, "known are client"],
    [
      "auth.passwort",
      "misspelt",
      { endpoints: "http://a:1", auth: { username: "u", password: "p", passwort: "secret" } },
      "did you mean auth.password?",
    ],
    [
      "tls.rootCertificate",
      "unknown",
      { endpoints: "https://a:1", tls: { rootCertificate: "secret" } },
      "known are ca",
    ],
  ])("%s, %s: is refused with the option's name and the remedy", (option, _, options, remedy) => {
    const error = thrown(() => etcdStore(options as EtcdStoreOptions));
    expect(error.code).toBe("DT_INVALID_OPTION");
    expect(error.message).toMatch(new RegExp(`^${option}( is |: there is no such option)`));
    expect(error.message).toContain(remedy);
    expect(error.message).not.toContain("secret");
  });
});

describe("on one node", () => {
  interface StoredValue {
    readonly row?: readonly unknown[];
  }

  /** A row as the next version may write it: with a field that this one does not know. A head has no row. */
  function withNewerRow({ row, ...rest }: StoredValue): object {
    return row ? { ...rest, row: ["f2", ...row.slice(1), 7] } : { ...rest, v: "f2" };
  }

  let server: EtcdServer;
  beforeAll(async () => {
    server = await startEtcd({ control: true });
  });
  afterAll(() => server?.stop());
  const options = () => ({ endpoints: server.endpoints, timeout: "10s" }) as const;

  it("stores with different prefixes do not see each other, also when one is the beginning of the other", async () => {
    await using first = etcdStore({ ...options(), prefix: "limits" });
    await using second = etcdStore({ ...options(), prefix: "limits/g" });
    await new Member(first, "g/g", "a").join();
    expect((await new Member(second, "g", "b").join()).members).toBe(1);
    expect((await first.inspect("g/g")).memberCount).toBe(1);
  });

  it("a prefix within another one's group keeps no dead member of that alive, and is not begun again with it", async () => {
    const short = { staleAfterMs: 4_000 };
    await using outer = etcdStore({ ...options(), prefix: "nest" });
    const [dead, living] = [new Member(outer, "g", "dead", short), new Member(outer, "g", "living", short)];
    await dead.join();
    await living.join();
    // Its keys would lie where the signs of life of the outer group are, and where its members' rows are.
    await using inner = etcdStore({ ...options(), prefix: "nest/g" });
    for (const group of ["alive", "member"]) await new Member(inner, group, "other", { staleAfterMs: 600_000 }).join();
    await expect.poll(async () => (await living.beat()).members).toBe(1);
    await outer.repair("g", { reset: true });
    for (const group of ["alive", "member"]) expect((await inner.inspect(group)).memberCount, group).toBe(1);
    expect(await outer.repair("g")).toMatchObject({ found: [] });
  });

  it("a client handed in is used, and stays open when the store is closed", async () => {
    const client = new Etcd3({ hosts: [...server.endpoints] });
    const store = etcdStore({ client });
    await new Member(store, "handed-in", "a").join();
    await store.close();
    expect(await client.getAll().prefix("dt//groups/handed-in/").keys()).toContain("dt//groups/handed-in/head");
    client.close();
  });

  it("a sync in steady state asks for one small key and renews one lease, and reads no list of members", async () => {
    await using store = etcdStore(options());
    const members = Array.from(
      { length: 20 },
      (_, i) => new Member(store, "steady", `m${i}`, { staleAfterMs: 600_000 }),
    );
    for (const member of members) await member.join();
    await agree(...members);
    for (const member of members) await member.beat();
    const url = server.endpoints[0] as string;
    const begunMs = performance.now();
    const before = await settledRequests(url);
    let slow = 0;
    for (let round = 0; round < 5; round++)
      for (const member of members) {
        const sentMs = performance.now();
        await member.beat();
        if (performance.now() - sentMs > 100) slow += 1;
      }
    const after = await settledRequests(url);
    const used = (method: string): number => (after.get(method) ?? 0) - (before.get(method) ?? 0);
    // A call that took long shows that the member lives once more at its end.
    expect(used("LeaseKeepAlive")).toBeGreaterThanOrEqual(100);
    expect(used("LeaseKeepAlive")).toBeLessThanOrEqual(100 + slow);
    // The time in the head is written anew when it is 312 ms old, a quarter of what it may be, instead of a read.
    expect(used("Range") + used("Txn")).toBeGreaterThanOrEqual(99);
    expect(used("Range") + used("Txn")).toBeLessThanOrEqual(101 + slow);
    expect(used("Txn")).toBeLessThanOrEqual(2 + (performance.now() - begunMs) / 312);
    expect(used("Put") + used("LeaseGrant") + used("DeleteRange")).toBe(0);
  });

  it("a key that holds something else is named by inspect and repaired by the next call, and the group learns", async () => {
    await using store = etcdStore(options());
    const client = new Etcd3({ hosts: [...server.endpoints] });
    for (const [group, key, value] of [
      ["bad-head", "head", "hello"],
      ["bad-group", "group", '{"v":"f1","row":["f1",2],"limits":[]}'],
      ["bad-row", "group", '{"v":"f1","birth":"x","row":["f1",-1,0,0,0,0,1000,0,0,0,0,1],"limits":[]}'],
      ["bad-levels", "levels", '{"v":"f1","levels":[["a",1]]}'],
      ["bad-member", "member/x", "{}"],
    ] as const) {
      await client.put(`dt//groups/${group}/${key}`).value(value);
      // Without aggregates there is no group to look at.
      if (key === "group" || key === "head") {
        const error = await failure(store.inspect(group));
        expect(error.code, group).toBe("DT_STORE_DATA");
        expect(error.message).toContain(`etcd key dt//groups/${group}/${key}`);
        expect(error.message).toContain("dt repair");
      }
      expect(await new Member(store, group, "a").register(), group).toMatchObject({
        status: "disagree",
        learning: true,
      });
      expect(await store.inspect(group), group).toMatchObject({ memberCount: 1, learning: true });
    }
    client.close();
  });

  it.each([
    ["of a newer version", (stored: StoredValue) => ({ ...stored, v: "f2", more: "fields" }), "newer version"],
    ["with rows of a newer version", withNewerRow, "made by a newer version"],
    ["from before format 1", (stored: StoredValue) => ({ ...stored, v: 1 }), "before the first release"],
  ])(
    "keys %s are refused, and left as they are, by every call and by repair; a reset forgets them",
    async (_, change, says) => {
      await using store = etcdStore(options());
      const client = new Etcd3({ hosts: [...server.endpoints] });
      const group = says.replaceAll(" ", "-");
      await new Member(store, group, "a").join();
      const before = (await store.inspect(group)).generation;
      for (const name of ["group", "head", "member/a-boot"]) {
        const key = `dt//groups/${group}/${name}`;
        const good = await client.get(key).string();
        const other = JSON.stringify(change(JSON.parse(good as string)));
        await client.put(key).value(other);
        await using fresh = etcdStore(options());
        for (const call of [
          () => new Member(fresh, group, "b").register(),
          () => fresh.inspect(group),
          () => fresh.repair(group),
        ]) {
          const error = await failure(call());
          expect(error.code, name).toBe("DT_STORE_DATA");
          expect(error.message).toContain(says);
          expect(error.message).toContain("--reset");
        }
        expect(await client.get(key).string()).toBe(other);
        if (name !== "member/a-boot") await client.put(key).value(good as string);
      }
      expect(await store.repair(group, { reset: true })).toMatchObject({ members: 0, reset: true });
      expect((await store.inspect(group)).generation).toBeGreaterThan(before);
      client.close();
    },
  );

  it("repair says what it found, and reset forgets the members, who come back", async () => {
    await using store = etcdStore(options());
    const client = new Etcd3({ hosts: [...server.endpoints] });
    const member = new Member(store, "mend", "a");
    const before = await member.join();
    expect(await store.repair("mend")).toEqual({ found: [], members: 1, reset: false });
    expect(await store.repair("mend", { reset: true })).toEqual({ found: [], members: 0, reset: true });
    expect(await client.getAll().prefix("dt//groups/mend/").keys()).toEqual([
      "dt//groups/mend/group",
      "dt//groups/mend/head",
    ]);
    expect((await member.sync()).status).toBe("unknown");
    const after = await new Member(store, "mend", "a").register({ rejoin: true, claim: 100 });
    expect(after).toMatchObject({ status: "disagree", learning: true, held: 100 });
    expect((after as MemberView).generation).toBeGreaterThan(before.generation);
    await client.delete().key("dt//groups/mend/group");
    const { found, members, reset } = await store.repair("mend");
    expect({ members, reset }).toEqual({ members: 0, reset: true });
    expect(found[0]).toContain("etcd key dt//groups/mend/group is missing");
    client.close();
  });

  it("aggregates that are not the members' are found by whoever joins", async () => {
    await using store = etcdStore(options());
    const client = new Etcd3({ hosts: [...server.endpoints] });
    const member = new Member(store, "wrong", "a");
    await member.join();
    const good = JSON.parse((await client.get("dt//groups/wrong/group").string()) as string) as { row: number[] };
    const row = good.row.map((value, at) => (at === 2 ? 0 : value));
    await client.put("dt//groups/wrong/group").value(JSON.stringify({ ...good, row }));
    await using other = etcdStore(options());
    expect(await new Member(other, "wrong", "b").register()).toMatchObject({ learning: true, held: 0, members: 1 });
    client.close();
  });

  it("a wrong sum is found by the next one to join, also when the group was looked through a moment ago", async () => {
    await using store = etcdStore(options());
    const client = new Etcd3({ hosts: [...server.endpoints] });
    const [a, b] = ["a", "b"].map((id) => new Member(store, "sums", id, { staleAfterMs: 600_000 })) as [Member, Member];
    expect(await a.join()).toMatchObject({ held: 100 });
    const good = JSON.parse((await client.get("dt//groups/sums/group").string()) as string) as { row: number[] };
    await client.put("dt//groups/sums/group").value(JSON.stringify({ ...good, row: good.row.with(2, 0) }));
    // All that the first one may be using would be given away again.
    expect(await b.join()).toMatchObject({ learning: true, held: 0 });
    client.close();
  });

  it("a level is recorded at once the first time, and of later ones no more than two in a stale age", async () => {
    await using store = etcdStore(options());
    const member = new Member(store, "levels", "a", { resumeWithinMs: 60_000, staleAfterMs: 600_000 });
    await member.join();
    await member.beat({ level: 5 });
    const levelOf = async (): Promise<unknown> => (await store.inspect("levels")).members[0]?.level;
    expect(await levelOf()).toBe(5);
    for (const level of [6, 7, 8]) await member.beat({ level });
    expect(await levelOf()).toBe(5);
    await store.deregister("levels", member.ref, { seq: 99, level: 9 });
    expect(await new Member(store, "levels", "a").register({ incarnation: "next" })).toMatchObject({ resumeLevel: 9 });
  });

  it("a group's ledger is small keys: a join among hundreds writes and reads no more than among few", async () => {
    await using store = etcdStore(options());
    const client = new Etcd3({ hosts: [...server.endpoints] });
    const crowd = Array.from({ length: 300 }, (_, i) => new Member(store, "sizes", `m${i}`, { staleAfterMs: 600_000 }));
    for (let i = 0; i < crowd.length; i += 10) await Promise.all(crowd.slice(i, i + 10).map((member) => member.join()));
    const values = await client.getAll().prefix("dt//groups/sizes/").strings();
    const longest = Math.max(...Object.values(values).map((value) => value.length));
    expect(Object.keys(values)).toHaveLength(2 + 3 * 300);
    expect(longest).toBeLessThan(400);
    client.close();
  });
});

describe("where etcd asks for a password over TLS", () => {
  let server: EtcdServer;
  beforeAll(async () => {
    server = await startEtcd({ password: "secret", tls: true });
  });
  afterAll(() => server?.stop());
  const options = () => ({
    endpoints: server.endpoints,
    tls: { ca: server.ca as string },
    auth: { username: "root", password: "secret" },
    timeout: "10s" as const,
  });

  it("the store works, watches included", async () => {
    await using store = etcdStore(options());
    const hints: number[] = [];
    const stop = await store.onHint("g", () => hints.push(1));
    const [a, b] = [new Member(store, "g", "a"), new Member(store, "g", "b")];
    await a.join();
    await b.join();
    await agree(a, b);
    await expect.poll(() => hints.length).toBeGreaterThan(0);
    stop();
    await b.leave();
    expect((await store.inspect("g")).memberCount).toBe(1);
  });

  it("after etcd has forgotten the login, the store logs in again", async () => {
    await using store = etcdStore(options());
    const member = new Member(store, "login", "a");
    await member.join();
    await server.restart({ keepData: true });
    await expect.poll(() => member.sync().then(({ status }) => status, String)).toBe("agree");
  });

  it("a wrong password is an error that says so", async () => {
    await using store = etcdStore({ ...options(), auth: { username: "root", password: "wrong" } });
    const error = await failure(store.inspect("g"));
    expect(error).toMatchObject({ code: "DT_STORE_UNSUITABLE", effect: "definite" });
    expect(error.message).toContain("auth.password");
    expect(error.message).not.toContain("wrong");
  });

  it("a user without permission on the prefix is told which one to grant", async () => {
    const { ca = "" } = server;
    const admin = new Etcd3({
      hosts: [...server.endpoints],
      credentials: { rootCertificate: Buffer.from(ca) },
      auth: { username: "root", password: "secret" },
    });
    await admin.role("throttle").create();
    await admin.role("throttle").grant({ permission: "Readwrite", range: Range.prefix("limits/") });
    await admin.user("worker").create("pass");
    await admin.user("worker").addRole("throttle");
    admin.close();
    const user = { ...options(), auth: { username: "worker", password: "pass" } };
    await using allowed = etcdStore({ ...user, prefix: "limits" });
    expect((await new Member(allowed, "g", "a").join()).status).toBe("agree");
    await using refused = etcdStore(user);
    const error = await failure(new Member(refused, "g", "a").register());
    expect(error).toMatchObject({ code: "DT_STORE_UNSUITABLE", effect: "definite" });
    expect(error.message).toContain("grant-permission");
  });

  it("a certificate that is not trusted is an error within the deadline", async () => {
    await using store = etcdStore({ endpoints: server.endpoints, auth: options().auth });
    const { value: error, ms } = await timed(failure(store.inspect("g")));
    expect(error?.code).toMatch(/DT_STORE_(UNAVAILABLE|TIMEOUT)/);
    expect(ms).toBeLessThan(2_500);
  });
});
