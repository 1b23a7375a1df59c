import { SourceProcess } from "../source-process.ts";

const cli = new URL("../../../../apps/cli/src/main.ts", import.meta.url);

/** What the stand-in of a provider takes. */
export interface ProviderSettings {
  /** Calls in a sliding window, such as `600/min`; without it any number. */
  readonly requests?: string;
  /** Tokens in a sliding window, such as `60000/min`. */
  readonly tokens: string;
  /** How long a call takes before its answer begins, in milliseconds. */
  readonly takesMs: number;
  /** How long each token of a stream takes, in milliseconds. */
  readonly tokenTakesMs: number;
  /** More options of `dt callee`, such as `--phases cut:60s`. */
  readonly more?: readonly string[];
}

/** What it has counted, as far as is asked of it. */
export interface ProviderStats {
  readonly received: number;
  /** Answered 200, to the end. */
  readonly accepted: number;
  /** Answered 429. */
  readonly refused: number;
  /** Clients that left before they were answered to the end. */
  readonly gone: number;
  readonly cut: number;
  readonly longestQueue: number;
  readonly inFlight: number;
  readonly peakInFlight: number;
  readonly promptTokens: number;
  readonly outputTokens: number;
  readonly requestsInWindow?: number;
  readonly tokensInWindow: number;
  /** The most in a window, in per cent of the limit. */
  readonly peakRequestsPercent?: number;
  readonly peakTokensPercent: number;
}

/** A running stand-in of a provider. */
export interface Provider extends AsyncDisposable {
  /** With a slash at its end; the paths of both APIs begin with `v1/`. */
  readonly url: string;
  stats(): Promise<ProviderStats>;
}

/**
 * Starts `dt callee --tokens --stream` in a process of its own: it answers the SDKs of OpenAI and Anthropic, and counts
 * requests and tokens. The headers `x-prompt-tokens` and `x-output-tokens` of a request state its tokens exactly.
 */
export async function startProvider(settings: ProviderSettings): Promise<Provider> {
  const { requests, tokens, takesMs, tokenTakesMs, more = [] } = settings;
  const args = ["callee", "--attached", "--stream", "--tokens", tokens];
  if (requests !== undefined) args.push("--rate", requests);
  args.push("--takes", `${takesMs}ms`, "--token-takes", `${tokenTakesMs}ms`, ...more);
  const server = new SourceProcess(cli, args);
  const url = await server.said("Listening on");
  return {
    url,
    stats: async () => (await fetch(`${url}stats`)).json() as Promise<ProviderStats>,
    [Symbol.asyncDispose]: () => server.kill(),
  };
}
