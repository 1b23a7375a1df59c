import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { expect, it } from "vitest";
import { DelayProxy } from "../src/stores/delay-proxy.ts";

it("the proxy by which round trips are measured makes each one longer by twice the delay, and two in a row by four times", async () => {
  const echo = createServer((socket) => socket.pipe(socket));
  await new Promise<void>((resolve) => echo.listen(0, "127.0.0.1", resolve));
  const proxy = await DelayProxy.start({ host: "127.0.0.1", port: (echo.address() as AddressInfo).port });
  const client = connect(proxy.port, "127.0.0.1");
  try {
    const trips = async (times: number): Promise<number> => {
      const startMs = performance.now();
      for (let i = 0; i < times; i++) {
        client.write("?");
        await once(client, "data");
      }
      return performance.now() - startMs;
    };
    await trips(1);
    proxy.eachWayMs = 40;
    // Timers may fire a millisecond early by this clock.
    expect(await trips(1)).toBeGreaterThan(78);
    expect(await trips(2)).toBeGreaterThan(156);
  } finally {
    client.destroy();
    await proxy.stop();
    await new Promise((resolve) => echo.close(resolve));
  }
});
