import { get } from "node:http";
import { homedir } from "node:os";
import { join } from "node:path";

const answerWithinMs = 1_000;

type Endpoint = { readonly socketPath: string } | { readonly host: string; readonly port: number };

/** Where an engine may listen: DOCKER_HOST alone when it is set, otherwise the usual sockets. */
function endpoints(): Endpoint[] {
  const { DOCKER_HOST: configured, XDG_RUNTIME_DIR: runtime } = process.env;
  if (configured !== undefined && configured !== "") {
    const url = new URL(configured);
    if (url.protocol === "unix:") return [{ socketPath: url.pathname }];
    return [{ host: url.hostname, port: Number(url.port || 2375) }];
  }
  return [
    "/var/run/docker.sock",
    ...(runtime === undefined ? [] : [join(runtime, "docker.sock")]),
    join(homedir(), ".docker", "run", "docker.sock"),
    join(homedir(), ".docker", "desktop", "docker.sock"),
  ].map((socketPath) => ({ socketPath }));
}

function answers(endpoint: Endpoint): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({ ...endpoint, path: "/_ping", timeout: answerWithinMs, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on("timeout", () => request.destroy());
    request.on("error", () => resolve(false));
    request.on("close", () => resolve(false));
  });
}

let answer: Promise<boolean> | undefined;

/**
 * Whether a Docker engine answers, within a second. Asked once per process. A TLS-only TCP engine is not recognised.
 */
export function dockerAnswers(): Promise<boolean> {
  answer ??= Promise.all(endpoints().map(answers)).then((all) => all.includes(true));
  return answer;
}
