import { request } from "node:http";

/** Labels of a series, or of an alert. */
export type Labels = Readonly<Record<string, string>>;

/** One value of a query's result. */
export interface Sample {
  /** The labels, without the metric's name; none for a scalar. */
  readonly labels: Labels;
  /** The value; NaN and the infinities included. */
  readonly value: number;
}

/** An alert that is pending or fires. */
export interface Alert {
  /** The name of its rule. */
  readonly name: string;
  /** `pending`: its `for` is not over yet. */
  readonly state: "pending" | "firing";
  /** Its labels, without `alertname`. */
  readonly labels: Labels;
  readonly annotations: Labels;
}

/** Sends one request to a Prometheus; rejects for any status but 2xx with what it answered, and after `withinMs`. */
export function prometheusCall(url: string, path: string, body?: string, withinMs = 30_000): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const options = { method: body === undefined ? "GET" : "POST", headers, agent: false };
    const sent = request(new URL(path, url), { ...options, signal: AbortSignal.timeout(withinMs) });
    sent.on("error", reject);
    sent.on("response", (response) => {
      response.setEncoding("utf8");
      let text = "";
      response.on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("error", reject);
      response.on("end", () => {
        const status = response.statusCode ?? 0;
        if (status >= 200 && status < 300) resolve(text);
        else reject(new Error(`Prometheus ${path}: ${status} ${text}`));
      });
    });
    sent.end(body);
  });
}

/** Evaluates a query at this instant. */
export async function instantQuery(url: string, promql: string): Promise<Sample[]> {
  const text = await prometheusCall(url, "/api/v1/query", new URLSearchParams({ query: promql }).toString());
  const { data } = JSON.parse(text) as { data: QueryData };
  if (data.resultType === "scalar") return [{ labels: {}, value: Number(data.result[1]) }];
  if (data.resultType !== "vector") throw new Error(`${promql} gives a ${data.resultType}, not a vector or a scalar`);
  return data.result.map(({ metric, value: [, value] }) => {
    const { __name__: _, ...labels } = metric;
    return { labels, value: Number(value) };
  });
}

type QueryData =
  | { readonly resultType: "scalar"; readonly result: readonly [number, string] }
  | { readonly resultType: "vector"; readonly result: readonly { metric: Labels; value: readonly [number, string] }[] }
  | { readonly resultType: "matrix" | "string" };

/** The alerts that are pending or fire. */
export async function activeAlerts(url: string): Promise<Alert[]> {
  const { data } = JSON.parse(await prometheusCall(url, "/api/v1/alerts")) as {
    data: { alerts: readonly { labels: Labels; annotations: Labels; state: Alert["state"] }[] };
  };
  return data.alerts.map(({ labels: { alertname = "", ...labels }, annotations, state }) => ({
    name: alertname,
    state,
    labels,
    annotations,
  }));
}
