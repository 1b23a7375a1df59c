import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { type Direction, NetworkSpace } from "../../src/chaos/space/network-space.ts";
import { shell } from "../../src/chaos/space/shell.ts";

const space = await NetworkSpace.create().catch((error: Error) => error.message);

// Root may make namespaces; where it may not, or is not root, chaos runs do without and say so.
test.skipIf(typeof space === "string")("packets of a namespace are lost and found, in each direction", async () => {
  const own = space as NetworkSpace;
  onTestFinished(() => own.remove());
  const { hostAddress, prefix } = own;
  const server = createServer((socket) => socket.on("error", () => {}).end("hello\n")).listen(0, hostAddress);
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const [command, ...before] = prefix as [string, ...string[]];
  const script = "exec 3<>/dev/tcp/$0/$1 && read -r line <&3 && echo $line";
  const hears = (seconds = "20") =>
    shell(command, ...before, "timeout", seconds, "bash", "-c", script, hostAddress, String(port));

  expect(await hears()).toBe("hello\n");
  for (const direction of ["both", "in", "out"] satisfies Direction[]) {
    await own.partition(direction);
    await expect(hears("0.7"), direction).rejects.toThrow();
    await own.mend();
    expect(await hears()).toBe("hello\n");
  }
});

test.skipIf(typeof space === "string")("a namespace that was removed is gone, with its cable", async () => {
  const own = await NetworkSpace.create();
  const name = own.prefix.at(-1) as string;
  expect(await shell("ip", "netns", "list")).toContain(name);
  expect(await shell("ip", "-o", "addr")).toContain(own.hostAddress);
  await own.remove();
  expect(await shell("ip", "netns", "list")).not.toContain(name);
  expect(await shell("ip", "-o", "addr")).not.toContain(`${own.hostAddress}/`);
});
