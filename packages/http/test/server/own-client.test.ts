import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { createHttpClient } from "../../src/index.ts";
import { createServerLimit, type FieldForm } from "../../src/server/index.ts";

const FORMS: readonly FieldForm[] = ["ratelimit", "draft-7", "draft-6", "x-ratelimit"];

test.concurrent.each(FORMS)("our client is refused nothing by a server that tells what is left as %s", async (form) => {
  const limit = createServerLimit({ policies: [{ name: "second", rate: "5/s" }], fields: [form] });
  const server = createServer(limit.node((_, response) => response.end("ok"))).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const client = createHttpClient();
  const call = async (): Promise<number> => {
    const response = await client.fetch(url);
    await response.text();
    return response.status;
  };
  // The first answer says what there is.
  expect(await call()).toBe(200);
  expect(await Promise.all(Array.from({ length: 11 }, call))).toEqual(Array(11).fill(200));
  expect(limit.status()).toMatchObject({ allowed: 12, refused: 0 });
  await client.stop();
  server.close();
  server.closeAllConnections();
});
