import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { until } from "@dt-tooling/backends";
import { expect, onTestFinished, test } from "vitest";
import { EventStreams } from "../../src/console/events.ts";
import { frameOf } from "../../src/console/frame.ts";
import type { Frame, Mark } from "../../src/console/protocol.ts";
import { report } from "./support/reports.ts";

/** Streams on a real connection. */
async function served(): Promise<{ streams: EventStreams; connected(): Promise<Socket>; buffered(): number }> {
  const streams = new EventStreams();
  const sockets: Socket[] = [];
  const server = createServer((_, response) => void streams.open(response, {}, "{}"));
  server.on("connection", (socket) => sockets.push(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    streams.close();
    server.closeAllConnections();
    server.close();
  });
  return {
    streams,
    buffered: () => sockets.reduce((sum, { writableLength }) => sum + writableLength, 0),
    connected: async () => {
      const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
      onTestFinished(() => void socket.destroy());
      socket.setEncoding("utf8").write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      const { size } = streams;
      await until("the stream is open", 5_000, () => streams.size > size);
      return socket;
    },
  };
}

/** About 50 kB. */
function frame(atMs: number): Frame {
  const mark: Mark = { atMs, kind: "throttle", name: "mail", what: "join", text: `m${atMs} joined` };
  return { ...frameOf(report(atMs, []), [mark], () => []), verdict: "x".repeat(50_000) };
}

test("a page that does not read gets the newest frame when it does, with all marks, and nothing is piled up", async () => {
  const { streams, connected, buffered } = await served();
  const slow = await connected();
  slow.pause();
  const quick = await connected();
  let text = "";
  quick.on("data", (part: string) => {
    text += part;
  });
  const last = 1_000;
  for (let i = 0; i <= last; i++) {
    streams.send(frame(i));
    // The buffers of the system take some megabytes before the page is slow.
    if (i % 10 === 0) await new Promise(setImmediate);
    expect(buffered()).toBeLessThan(2 * 1_048_576);
  }
  await until("the quick page has the last frame", 20_000, () => text.includes(`"atMs":${last},`));

  let late = "";
  slow.on("data", (part: string) => {
    late += part;
  });
  slow.resume();
  await until("the slow page has the last frame", 20_000, () => late.includes(`"atMs":${last},"state"`));
  const frames = [...late.matchAll(/"atMs":(\d+),"state"/g)].map(([, at]) => Number(at));
  expect(frames.length).toBeLessThan(last);
  expect(frames).toEqual(frames.toSorted((a, b) => a - b));
  // What happened meanwhile is there, up to a bound.
  expect(late).toContain(`m${last - 100} joined`);
});

test("a page that has gone takes no place", async () => {
  const { streams, connected } = await served();
  const page = await connected();
  page.destroy();
  await until("it is forgotten", 5_000, () => streams.size === 0);
  streams.send(frame(0));
});
