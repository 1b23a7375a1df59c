import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { createHttpClient } from "@dt/http";
import { createServerLimit } from "@dt/http/server";
import { afterEach, expect, it } from "vitest";
import { instrument, type MetricSource } from "../src/index.ts";
import { Measurement, valuesOf } from "./measured.ts";

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function measurementOf(source: MetricSource): Measurement {
  const measurement = new Measurement();
  const measured = instrument(source, { meter: measurement.meter });
  ends.push(
    () => measured.stop(),
    () => measurement.provider.shutdown(),
  );
  return measurement;
}

it("a client's requests and refusals are counted by callee", async () => {
  let requests = 0;
  const refusing = await serving((_, response) => {
    requests += 1;
    if (requests === 1) response.writeHead(429, { "retry-after": "1" }).end();
    else response.end("ok");
  });
  const fine = await serving((_, response) => void response.end("ok"));
  const client = createHttpClient({ name: "outgoing" });
  ends.push(() => client.stop());
  const measurement = measurementOf(client);
  for (const url of [refusing, fine]) expect(await (await client.fetch(url)).text()).toBe("ok");
  const collected = await measurement.collect();
  const at = (name: string, callee: string) =>
    valuesOf(collected, name, { "dt.name": "outgoing", "dt.callee": callee });
  expect(at("dt.callee.requests", refusing)).toEqual([2]);
  expect(at("dt.callee.refusals", refusing)).toEqual([1]);
  expect(at("dt.callee.requests", fine)).toEqual([1]);
  expect(at("dt.callee.refusals", fine)).toEqual([0]);
  expect(at("dt.callee.inflight", fine)).toEqual([0]);
});

it("a server's limit counts what it let through and refused", async () => {
  const limit = createServerLimit({ policies: [{ name: "all", rate: "2/h", key: () => "everyone" }] });
  const url = await serving(limit.node((_, response) => void response.end("ok")));
  const measurement = measurementOf(limit);
  const answers = [await fetch(url), await fetch(url), await fetch(url)];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
  for (const answer of answers) await answer.text();
  const collected = await measurement.collect();
  const own = { "dt.kind": "serverLimit" };
  expect(valuesOf(collected, "dt.calls", { ...own, "dt.result": "granted" })).toEqual([2]);
  expect(valuesOf(collected, "dt.calls", { ...own, "dt.result": "refused" })).toEqual([1]);
  expect(valuesOf(collected, "dt.server.shed", own)).toEqual([0]);
});
