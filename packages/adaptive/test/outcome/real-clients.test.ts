import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { type AddressInfo, createServer as createSocketServer } from "node:net";
import { DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { Client, credentials, Server as GrpcServer, ServerCredentials, status } from "@grpc/grpc-js";
import { afterEach, describe, expect, it } from "vitest";
import { classify, type Verdict } from "../../src/index.ts";

const ends: (() => Promise<unknown> | unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A real HTTP server; resolves to its address. */
async function serving(listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** What the classifier says of a call. */
async function verdictOf(call: () => Promise<unknown>): Promise<Verdict> {
  try {
    return classify({ value: await call() });
  } catch (error) {
    return classify({ error });
  }
}

describe("fetch", () => {
  it.each([
    [200, "success"],
    [304, "success"],
    [404, "ignored"],
    [401, "ignored"],
    [429, "overload"],
    [500, "failure"],
    [502, "failure"],
    [503, "overload"],
    [504, "overload"],
    [529, "overload"],
  ] as const)("answered %i is %s", async (code, outcome) => {
    const url = await serving((_, response) => response.writeHead(code).end());
    expect(await verdictOf(() => fetch(url))).toMatchObject({ outcome });
  });

  it("tells how long the call waited at the callee, and for how long the callee asks to be left alone", async () => {
    const url = await serving((_, response) =>
      response
        .writeHead(429, { "server-timing": 'cache;desc="hit", queue;dur=12.5, db;dur=3', "retry-after": "7" })
        .end(),
    );
    expect(await verdictOf(() => fetch(url))).toEqual({
      outcome: "overload",
      report: { queueWaitMs: 12.5 },
      retryAfterMs: 7_000,
      refused: true,
    });
  });

  it("of a server that does not answer in time is overload", async () => {
    const url = await serving(() => undefined);
    expect(await verdictOf(() => fetch(url, { signal: AbortSignal.timeout(50) }))).toEqual({ outcome: "overload" });
  });

  it("that we abort is ignored", async () => {
    const controller = new AbortController();
    const url = await serving(() => controller.abort());
    expect(await verdictOf(() => fetch(url, { signal: controller.signal }))).toEqual({ outcome: "ignored" });
  });

  it("to a port where nobody listens, and to a server that hangs up, is a failure", async () => {
    const closed = createSocketServer().listen(0, "127.0.0.1");
    await once(closed, "listening");
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    expect(await verdictOf(() => fetch(`http://127.0.0.1:${port}`))).toEqual({ outcome: "failure" });
    const url = await serving((request) => request.socket.destroy());
    expect(await verdictOf(() => fetch(url))).toEqual({ outcome: "failure" });
  });
});

describe("the AWS SDK", () => {
  it.each([
    [400, "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException", "overload"],
    [400, "com.amazon.coral.availability#ThrottlingException", "overload"],
    [400, "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException", "ignored"],
    [500, "com.amazonaws.dynamodb.v20120810#InternalServerError", "failure"],
    [503, "ServiceUnavailable", "overload"],
  ] as const)("told %i %s: %s", async (code, type, outcome) => {
    const endpoint = await serving((_, response) =>
      response.writeHead(code, { "content-type": "application/x-amz-json-1.0" }).end(JSON.stringify({ __type: type })),
    );
    const credentials = { accessKeyId: "id", secretAccessKey: "secret" };
    const client = new DynamoDBClient({ endpoint, region: "eu-central-1", maxAttempts: 1, credentials });
    ends.push(() => client.destroy());
    expect((await verdictOf(() => client.send(new ListTablesCommand({})))).outcome).toBe(outcome);
  });
});

describe("grpc-js", () => {
  const path = "/test.Echo/Say";

  async function answering(code: status | undefined): Promise<() => Promise<unknown>> {
    const server = new GrpcServer();
    const same = (bytes: Buffer): Buffer => bytes;
    const serialize = { requestSerialize: same, requestDeserialize: same };
    const unary = { path, requestStream: false, responseStream: false, ...serialize };
    server.addService(
      { say: { ...unary, responseSerialize: same, responseDeserialize: same } },
      {
        say: (call: { request: Buffer }, reply: (error: object | null, value?: Buffer) => void) => {
          if (code === undefined) return;
          if (code === status.OK) reply(null, call.request);
          else reply({ code, details: "as asked" });
        },
      },
    );
    const port = await new Promise<number>((resolve, reject) =>
      server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      ),
    );
    const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
    ends.push(() => {
      client.close();
      server.forceShutdown();
    });
    return () =>
      new Promise((resolve, reject) => {
        const options = code === undefined ? { deadline: Date.now() + 50 } : {};
        client.makeUnaryRequest(path, same, same, Buffer.from("hi"), options, (error, value) =>
          error ? reject(error) : resolve(value),
        );
      });
  }

  it.each([
    [status.OK, "success"],
    [status.CANCELLED, "ignored"],
    [status.UNKNOWN, "failure"],
    [status.NOT_FOUND, "ignored"],
    [status.RESOURCE_EXHAUSTED, "overload"],
    [status.INTERNAL, "failure"],
    [status.UNAVAILABLE, "overload"],
    [status.UNAUTHENTICATED, "ignored"],
    [undefined, "overload"],
  ] as const)("answered %s (undefined: by nobody within its deadline) is %s", async (code, outcome) => {
    expect(await verdictOf(await answering(code))).toEqual(
      code === status.RESOURCE_EXHAUSTED ? { outcome, refused: true } : { outcome },
    );
  });
});
