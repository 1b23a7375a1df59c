import { createServer, type RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { withVariable } from "./with-variable.ts";

/** Asks afresh, as a new process would, with an engine's socket behaving as told. */
async function askWith(listener: RequestListener): Promise<boolean> {
  const socket = join(tmpdir(), `dt-engine-${process.pid}.sock`);
  const server = createServer(listener);
  await new Promise<void>((resolve) => void server.listen(socket, resolve));
  let answer = false;
  try {
    await withVariable("DOCKER_HOST", `unix://${socket}`, async () => {
      vi.resetModules();
      const { dockerAnswers } = await import("../src/docker-engine.ts");
      answer = await dockerAnswers();
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
  return answer;
}

describe("the question whether a Docker engine is there", () => {
  test("is answered yes by one that answers a ping", async () => {
    expect(
      await askWith((request, response) => response.writeHead(request.url === "/_ping" ? 200 : 404).end("OK")),
    ).toBe(true);
  });

  test("is answered no by one that is silent, without hanging", async () => {
    expect(await askWith(() => {})).toBe(false);
  });

  test("is answered no where nothing listens", async () => {
    await withVariable("DOCKER_HOST", "tcp://127.0.0.1:1", async () => {
      vi.resetModules();
      const { dockerAnswers } = await import("../src/docker-engine.ts");
      expect(await dockerAnswers()).toBe(false);
    });
  });
});
