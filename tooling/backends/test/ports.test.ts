import { createServer } from "node:net";
import { afterEach, describe, expect, test, vi } from "vitest";
import { leasePort, PortTakenError, peerPortOffset, withFreshPorts } from "../src/ports.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

/** Makes every choice of a port the same. */
const rigTheDice = () => vi.spyOn(Math, "random").mockReturnValue(Math.random());

describe("a leased port", () => {
  // Elsewhere there is no abstract socket to hold it with.
  test.runIf(process.platform === "linux")("is nobody else's until it is released", async () => {
    rigTheDice();
    const lease = await leasePort();
    await expect(leasePort()).rejects.toThrow("no free port");
    await lease.release();
    const again = await leasePort();
    expect(again.port).toBe(lease.port);
    await again.release();
    await again.release();
  });

  test.each([0, peerPortOffset])("is not one where somebody listens (port + %d)", async (offset) => {
    rigTheDice();
    const { port, release } = await leasePort();
    await release();
    const squatter = createServer();
    await new Promise<void>((resolve) => void squatter.listen(port + offset, "127.0.0.1", resolve));
    try {
      await expect(leasePort()).rejects.toThrow("no free port");
    } finally {
      squatter.close();
    }
  });

  test("taken from under a server makes it start again, with an end", async () => {
    let starts = 0;
    const start = async () => {
      starts += 1;
      if (starts < 3) throw new PortTakenError("taken");
      return "up";
    };
    expect(await withFreshPorts(start)).toBe("up");
    await expect(withFreshPorts(() => Promise.reject(new PortTakenError("taken")))).rejects.toThrow("taken");
    starts = 0;
    await expect(withFreshPorts(() => Promise.reject(new Error(`other ${++starts}`)))).rejects.toThrow("other 1");
  });
});
