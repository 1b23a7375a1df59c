import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { type DynamoDbServer, startDynamoDb } from "@dt-tooling/backends";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { makeTable } from "./table.ts";

/**
 * A server in front of another one that refuses requests as DynamoDB does when a table is throttled, and passes the
 * others on.
 */
interface ThrottlingServer {
  readonly url: string;
  /** Requests that are refused from now on. */
  refuse: number;
  /** Requests that were refused so far. */
  refused: number;
  stop(): Promise<void>;
}

const ANSWER = JSON.stringify({
  __type: "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException",
  message: "The level of configured provisioned throughput for the table was exceeded.",
});

async function startThrottlingServer({ url: target }: DynamoDbServer): Promise<ThrottlingServer> {
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    if (throttling.refused < throttling.refuse) {
      throttling.refused += 1;
      response.writeHead(400, { "Content-Type": "application/x-amz-json-1.0" }).end(ANSWER);
      return;
    }
    const {
      "content-type": type = "",
      "x-amz-target": operation = "",
      authorization = "",
      "x-amz-date": date = "",
    } = request.headers as Record<string, string>;
    const headers = {
      "Content-Type": type,
      "X-Amz-Target": operation,
      Authorization: authorization,
      "X-Amz-Date": date,
    };
    const answer = await fetch(target, { method: "POST", headers, body });
    response.writeHead(answer.status, { "Content-Type": "application/x-amz-json-1.0" }).end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const throttling: ThrottlingServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refuse: 0,
    refused: 0,
    async stop() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  return throttling;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  return body;
}

/** A server of the test file's own with a table, and a throttling one in front of it that refuses nothing yet. */
export class ThrottledTable {
  readonly name = "throttle";
  server!: DynamoDbServer;
  front!: ThrottlingServer;

  constructor() {
    beforeAll(async () => {
      this.server = await startDynamoDb({ control: true });
      await makeTable(this.server, this.name);
      this.front = await startThrottlingServer(this.server);
    });
    afterAll(async () => {
      await this.front?.stop();
      await this.server?.stop();
    });
    beforeEach(() => Object.assign(this.front, { refuse: 0, refused: 0 }));
  }
}
