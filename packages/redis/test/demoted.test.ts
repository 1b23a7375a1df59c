import { type AddressInfo, createServer, type Socket } from "node:net";
import { until } from "@dt-tooling/backends";
import { failure } from "@dt-tooling/backends/failure";
import { newcomer } from "@dt-tooling/simulator/requests";
import { expect, test } from "vitest";
import { afterwards, openStore } from "./support/keep.ts";

/** A stand-in for a server that became a replica: it refuses every script in these words. */
async function replica(words: string): Promise<{ readonly url: string; readonly sockets: ReadonlySet<Socket> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("data", (data) => {
      for (const command of data.toString().split(/(?=^\*\d+\r\n)/m))
        socket.write(/evalsha/i.test(command) ? `-${words}\r\n` : "+OK\r\n");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterwards(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets };
}

test.each([
  ["7", "READONLY You can't write against a read only replica. script: 1f, on @user_script:1."],
  [
    "5 and 6",
    "ERR Error running script (call to f_1): @user_script:1: @user_script: 1: -READONLY You can't write against a read only replica.",
  ],
])("a server that became a replica is left, in the words of Redis %s", async (_, words) => {
  const { url, sockets } = await replica(words);
  const store = openStore({ url, options: { enableReadyCheck: false } });
  expect(await failure(store.register("g", newcomer()))).toMatchObject({ code: "DT_STORE_UNSUITABLE" });
  await until("it connects again", 5_000, () => sockets.size > 1);
});
