import { fileURLToPath } from "node:url";
import { startContainer } from "./container.ts";
import { dockerAnswers } from "./docker-engine.ts";
import { foreignServer } from "./foreign-server.ts";
import { LocalServer } from "./local-server.ts";
import type { RunningServer } from "./running-server.ts";

/**
 * Any option asks for a server of our own: `dynalite` in a process. Without one, an address or DynamoDB Local in a
 * container will do.
 */
export interface DynamoDbOptions {
  /** A local process, so that `kill`, `pause`, `resume` and `restart` work. */
  readonly control?: boolean;
}

/**
 * A server that speaks the DynamoDB API. Its fields go into a client as they are:
 * `{ endpoint: url, region, credentials }`.
 */
export interface DynamoDbServer extends RunningServer {
  readonly url: string;
  /** From `AWS_REGION` for a server from `DT_DYNAMODB_URL`, when that is set. */
  readonly region: string;
  /** From `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY` for a server from `DT_DYNAMODB_URL`, when they are set. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

const region = "us-east-1";
const credentials = { accessKeyId: "test", secretAccessKey: "test" };
const tableChangeMs = 100;
const probeDeadlineMs = 10_000;

/**
 * A DynamoDB API: the one at `DT_DYNAMODB_URL`, DynamoDB Local in a container, or `dynalite` in a process of its own,
 * in this order; with any option, the last. The one at `DT_DYNAMODB_URL` is shared: use table names of your own.
 */
export async function startDynamoDb(options: DynamoDbOptions = {}): Promise<DynamoDbServer> {
  if (Object.keys(options).length === 0) {
    const { DT_DYNAMODB_URL: url } = process.env;
    if (url !== undefined && url !== "") return fromAddress(url);
    if (await dockerAnswers()) return fromContainer();
  }
  return fromProgram();
}

async function fromAddress(url: string): Promise<DynamoDbServer> {
  try {
    await probe(url);
  } catch (error) {
    throw new Error(`DT_DYNAMODB_URL=${url} does not answer: ${(error as Error).message}`, { cause: error });
  }
  const { AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = process.env;
  const { hostname: host, port, protocol } = new URL(url);
  const facts = { host, port: Number(port || (protocol === "https:" ? 443 : 80)), stop: async () => {} };
  return Object.assign(foreignServer({ origin: "environment", starter: "startDynamoDb", ...facts }), {
    url,
    region: AWS_REGION ?? region,
    credentials: {
      accessKeyId: AWS_ACCESS_KEY_ID ?? credentials.accessKeyId,
      secretAccessKey: AWS_SECRET_ACCESS_KEY ?? credentials.secretAccessKey,
    },
  });
}

async function fromContainer(): Promise<DynamoDbServer> {
  const { host, port, stop } = await startContainer({
    image: "amazon/dynamodb-local:2.5.4",
    imageVariable: "DT_DYNAMODB_IMAGE",
    command: (port) => ["-jar", "DynamoDBLocal.jar", "-inMemory", "-sharedDb", "-port", String(port)],
    probe: (host, port) => probe(`http://${host}:${port}`),
  });
  const server = foreignServer({ origin: "docker", host, port, starter: "startDynamoDb", stop });
  return Object.assign(server, { url: `http://${host}:${port}`, region, credentials });
}

async function fromProgram(): Promise<DynamoDbServer> {
  const program = fileURLToPath(new URL("./dynalite-server.ts", import.meta.url));
  const server = await LocalServer.start({
    name: "dynalite",
    plan: (sandbox, port) => ({
      command: process.execPath,
      args: ["--no-warnings", program, String(port), sandbox.path("data"), String(tableChangeMs)],
      probe: () => probe(`http://127.0.0.1:${port}`),
    }),
  });
  return Object.assign(server, { url: `http://127.0.0.1:${server.port}`, region, credentials });
}

/**
 * Asks for the tables with a signature that is none: local servers do not look, AWS refuses it in the API's own words.
 */
async function probe(url: string): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "Content-Type": "application/x-amz-json-1.0",
      "X-Amz-Target": "DynamoDB_20120810.ListTables",
      "X-Amz-Date": "20260101T000000Z",
      Authorization: `AWS4-HMAC-SHA256 Credential=test/20260101/${region}/dynamodb/aws4_request, SignedHeaders=host, Signature=0`,
    },
    body: "{}",
    signal: AbortSignal.timeout(probeDeadlineMs),
  });
  const answer = (await response.json()) as Record<string, unknown>;
  if (!("TableNames" in answer || "__type" in answer)) throw new Error(`not the DynamoDB API: ${response.status}`);
}
