import type { IncomingMessage } from "node:http";
import { get } from "node:https";
import { DtError, isDtError, type Runtime } from "@dt/core";
import { withDeadline } from "@dt/core/ledger";
import { apiError, connectionError, Expired } from "./api-error.ts";
import type { KubernetesSettings } from "./options.ts";
import { readServiceAccount } from "./service-account.ts";

/** The most that a list may be: far more than the slices of 100,000 pods. */
const LONGEST_BODY = 128 * 2 ** 20;
/** A Status says what is wrong in a sentence. */
const LONGEST_STATUS = 65_536;

/**
 * Requests for the EndpointSlices of one Service; each on a connection of its own, which does not keep the process
 * running.
 */
export class ApiClient {
  readonly #settings: KubernetesSettings;
  readonly #runtime: Runtime;

  constructor(settings: KubernetesSettings, runtime: Runtime) {
    this.#settings = settings;
    this.#runtime = runtime;
  }

  /**
   * The whole list. Without a resource version, so that it is the newest state and not a cache's.
   * @throws DtError, Expired
   */
  list(signal: AbortSignal): Promise<unknown> {
    return this.#withDeadline("list", signal, async (deadline) => {
      const response = await this.#request({}, deadline);
      return parse(await readAll(response, LONGEST_BODY));
    });
  }

  /**
   * Begins a watch and resolves when the API server has accepted it. The answer ends when the signal aborts.
   * @throws DtError, Expired
   */
  async watch(resourceVersion: string, seconds: number, signal: AbortSignal): Promise<IncomingMessage> {
    const query = {
      watch: "1",
      allowWatchBookmarks: "true",
      resourceVersion,
      timeoutSeconds: String(seconds),
    };
    // The request outlives the deadline for its answer, so it is ended by a signal of its own.
    const over = new AbortController();
    const end = (): void => over.abort();
    signal.addEventListener("abort", end, { once: true });
    try {
      return await this.#withDeadline("watch", signal, () => this.#request(query, over.signal));
    } catch (error) {
      over.abort();
      throw error;
    }
  }

  #withDeadline<T>(what: string, signal: AbortSignal, operation: (deadline: AbortSignal) => Promise<T>): Promise<T> {
    const { timeoutMs, url } = this.#settings;
    const run = async (deadline: AbortSignal): Promise<T> => {
      try {
        return await operation(deadline);
      } catch (error) {
        throw isDtError(error) || error instanceof Expired ? error : connectionError(url, error);
      }
    };
    return withDeadline(run, {
      runtime: this.#runtime,
      timeoutMs,
      what: `kubernetes ${what} at ${url.origin}`,
      signal,
    });
  }

  async #request(query: Readonly<Record<string, string>>, signal: AbortSignal): Promise<IncomingMessage> {
    const { service } = this.#settings;
    const { token, ca, namespace } = await readServiceAccount(this.#settings);
    const url = new URL(`/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`, this.#settings.url);
    url.search = new URLSearchParams({ labelSelector: `kubernetes.io/service-name=${service}`, ...query }).toString();
    const headers = { authorization: `Bearer ${token}`, accept: "application/json" };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = get(url, { ca, headers, agent: false, signal }, resolve);
      request.on("socket", (socket) => socket.unref());
      request.on("error", reject);
    });
    if (response.statusCode === 200) return response;
    throw apiError(response.statusCode as number, statusMessage(await readAll(response, LONGEST_STATUS)), namespace);
  }
}

async function readAll(response: IncomingMessage, longest: number): Promise<string> {
  response.setEncoding("utf8");
  let text = "";
  for await (const chunk of response) {
    text += chunk as string;
    if (text.length > longest) {
      response.destroy();
      throw new DtError("DT_STORE_REPLY", `kubernetes: the API server answered more than ${longest} characters`);
    }
  }
  return text;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new DtError(
      "DT_STORE_REPLY",
      `kubernetes: the API server answered ${JSON.stringify(text.slice(0, 40))}, which is not JSON`,
      { cause },
    );
  }
}

/** The sentence of a Status object, or what there is instead. */
function statusMessage(body: string): string {
  try {
    const { message } = JSON.parse(body) as { message?: unknown };
    if (typeof message === "string") return message.slice(0, 500);
  } catch {
    // A proxy's page, for example.
  }
  return body.slice(0, 100).trim();
}
