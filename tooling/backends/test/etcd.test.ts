import { describe, expect, test } from "vitest";
import { type EtcdServer, startEtcd } from "../src/etcd.ts";
import { etcdCall } from "../src/etcd-http.ts";
import type { RunningServer } from "../src/running-server.ts";
import { expectNothingLeft } from "./leftovers.ts";
import { withVariable } from "./with-variable.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");

async function put(etcd: EtcdServer, value: string, node = 0): Promise<void> {
  await etcdCall({ url: etcd.endpoints[node] as string, ca: etcd.ca }, "/v3/kv/put", {
    key: base64("a"),
    value: base64(value),
  });
}

async function get(etcd: EtcdServer, node = 0): Promise<string | undefined> {
  const endpoint = { url: etcd.endpoints[node] as string, ca: etcd.ca };
  const { kvs = [] } = await etcdCall(endpoint, "/v3/kv/range", { key: base64("a") });
  const [found] = kvs as { value: string }[];
  return found && Buffer.from(found.value, "base64").toString();
}

const processes = (etcd: EtcdServer) => etcd.nodes.map(({ pid, folder }) => ({ pid: pid as number, folder }));

describe("a single etcd", () => {
  test("is paused, resumed, killed and restarted with its data and without, and leaves nothing", async () => {
    const etcd = await startEtcd({ control: true });
    const [node] = etcd.nodes as [RunningServer];
    await put(etcd, "1");
    await node.pause();
    await expect(get(etcd)).rejects.toThrow("no answer within");
    await node.resume();
    expect(await get(etcd)).toBe("1");
    await node.kill();
    await expect(get(etcd)).rejects.toThrow("ECONNREFUSED");
    await node.restart({ keepData: true });
    expect(await get(etcd)).toBe("1");
    expect(await etcd.leader()).toBe(node);
    await etcd.restart({ keepData: false });
    expect(await get(etcd)).toBeUndefined();
    const left = processes(etcd);
    await Promise.all([etcd.stop(), etcd.stop()]);
    for (const { pid, folder } of left) expectNothingLeft([pid], folder);
  });

  test("asks for a password over TLS, also after a restart without data", async () => {
    await using etcd = await startEtcd({ tls: true, password: "secret" });
    const endpoint = { url: etcd.endpoints[0] as string, ca: etcd.ca };
    expect(endpoint.url).toMatch(/^https:/);
    await expect(etcdCall({ url: endpoint.url }, "/version")).rejects.toThrow(/self-signed/);
    for (const round of ["first", "after the restart"]) {
      await expect(get(etcd), round).rejects.toThrow("user name is empty");
      const { token } = await etcdCall(endpoint, "/v3/auth/authenticate", { name: "root", password: "secret" });
      expect(token, round).toMatch(/./);
      await etcd.restart({ keepData: false });
    }
  });

  test("is found through DT_ETCD_URL for a plain start, and is then not ours to kill", async () => {
    await using own = await startEtcd({ control: true });
    await withVariable("DT_ETCD_URL", own.endpoints.join(","), async () => {
      const found = await startEtcd();
      expect(found.endpoints).toEqual(own.endpoints);
      expect(found.nodes[0]).toMatchObject({ origin: "environment", canControl: false, port: own.nodes[0]?.port });
      await expect(found.restart({ keepData: true })).rejects.toThrow("startEtcd({ control: true })");
      await found.stop();
      await put(found, "1");
    });
    await withVariable("DT_ETCD_URL", "http://127.0.0.1:1", async () => {
      await expect(startEtcd()).rejects.toThrow("DT_ETCD_URL=http://127.0.0.1:1 does not answer");
    });
  });
});

describe("an etcd of three nodes", () => {
  test("elects another leader when its own is paused or killed, and takes the old one back", async () => {
    const etcd = await startEtcd({ nodes: 3 });
    expect(etcd.nodes.length).toBe(3);
    const first = await etcd.leader();
    await first.pause();
    const second = await etcd.leader();
    expect(second).not.toBe(first);
    const secondIndex = etcd.nodes.indexOf(second);
    await put(etcd, "1", secondIndex);
    await first.resume();

    await second.kill();
    const third = await etcd.leader();
    expect(third).not.toBe(second);
    await expect(second.restart({ keepData: false })).rejects.toThrow("has already been bootstrapped");

    await etcd.restart({ keepData: false });
    expect(await get(etcd)).toBeUndefined();
    await put(etcd, "2", 2);
    await etcd.restart({ keepData: true });
    expect(await get(etcd)).toBe("2");
    const left = processes(etcd);
    await etcd.stop();
    for (const { pid, folder } of left) expectNothingLeft([pid], folder);
  });
});
