import { type CoordinationStore, createThrottle, type Throttle, type ThrottleOptions } from "@dt/core";
import { invalidOption, option, settingsOf, type TableOf } from "@dt/core/internal";
import { checkLimitOptions, vertexLimit } from "./find-vertex.ts";
import type { LimitOptions, NumaflowThrottleOptions, VertexLimit } from "./limit/limit.ts";
import { openStore } from "./store/open-store.ts";
import { type SecretResolver, secretsFromEnvironment } from "./store/secrets.ts";

/** Options of a throttle that are not in a spec. */
export type FurtherThrottleOptions = Omit<
  ThrottleOptions,
  "name" | "rate" | "max" | "min" | "rampUp" | "mode" | "interval" | "resumeWithin" | "store"
>;

/** Options of `throttleFromNumaflow`. */
export interface NumaflowOptions extends LimitOptions {
  /**
   * Reads the secrets to which the spec refers.
   * @default the environment: the key `password` of the secret `redis-auth` is `REDIS_AUTH__PASSWORD`
   */
  readonly secrets?: SecretResolver;
  /**
   * The store in place of the one of the spec. The code that made it closes it.
   * @default the store of the spec: Redis by `@dt/redis`, or the memory of this process
   */
  readonly store?: CoordinationStore;
  /**
   * Further options of the throttle, such as `onStoreLost` or `acquireTimeout`.
   * @default none
   */
  readonly throttle?: FurtherThrottleOptions;
}

/** A throttle of a spec, and its store. */
export interface NumaflowThrottle extends AsyncDisposable {
  /** The throttle. It starts with its first call. */
  readonly throttle: Throttle;
  /** Its store: that of the spec, or the one that was given. */
  readonly store: CoordinationStore;
  /** How many messages one token is: `readBatchSize` where a source counts reads, otherwise 1. */
  readonly messagesPerToken: number;
  /** Stops the throttle, and closes the store that was opened for it. */
  close(): Promise<void>;
}

const OPTIONS = {
  namespace: option.unchecked<LimitOptions["namespace"]>(),
  count: option.unchecked<LimitOptions["count"]>(),
  secrets: option.callback<SecretResolver>().optional,
  store: option.unchecked<CoordinationStore | undefined>(),
  throttle: option.checked((name, given) => {
    if (given === undefined) return {};
    if (typeof given === "object" && given !== null) return given as FurtherThrottleOptions;
    throw invalidOption(name, given, 'give an object such as { acquireTimeout: "5s" }, or leave it out');
  }),
} satisfies TableOf<NumaflowOptions>;

/** What the spec, or an option beside `throttle`, has. */
const FROM_SPEC = ["name", "rate", "max", "min", "rampUp", "mode", "interval", "resumeWithin", "store"];

/**
 * A throttle that holds the `rateLimit` of a vertex of a Numaflow spec, on the store of the spec. It starts with its
 * first call.
 * @param spec the text of a YAML file with a Pipeline, Vertex, MonoVertex or ServingPipeline, or the object that was
 *   read from it
 * @param vertex the name of the vertex; undefined where the spec has one, as that of a MonoVertex
 * @param options secrets, the store, and further options of the throttle
 * @throws DtError `DT_INVALID_OPTION` where the spec has problems, no such vertex or no limit for it, a secret is not
 *   there, or `@dt/redis` is not installed
 * @example
 * await using limit = await throttleFromNumaflow(await readFile("pipeline.yaml", "utf8"), "call-llm");
 * await limit.throttle.acquire();
 */
export async function throttleFromNumaflow(
  spec: string | object,
  vertex?: string,
  options: NumaflowOptions = {},
): Promise<NumaflowThrottle> {
  const { secrets = secretsFromEnvironment(), store: given, throttle: further, ...rest } = settingsOf(OPTIONS, options);
  for (const name of FROM_SPEC)
    if (name in further)
      throw invalidOption(`throttle.${name}`, Reflect.get(further, name), "leave it out: the spec has it");
  const found = vertexLimit(spec, vertex, checkLimitOptions(rest as LimitOptions));
  const memberId = memberIdOf(found, further);
  const store = given ?? (await openStore(found.plan, secrets, further.runtime));
  try {
    const throttle = createThrottle({ ...found.options, ...further, ...memberId, store });
    return opened(throttle, store, found, given === undefined);
  } catch (error) {
    if (given === undefined) await store.close();
    throw error;
  }
}

function opened(
  throttle: Throttle,
  store: CoordinationStore,
  { messagesPerToken }: VertexLimit,
  isOwn: boolean,
): NumaflowThrottle {
  const close = async (): Promise<void> => {
    await throttle.stop();
    if (isOwn) await store.close();
  };
  return { throttle, store, messagesPerToken, close, [Symbol.asyncDispose]: close };
}

/**
 * A member whose level is resumed needs an id that it keeps: as in Numaflow the vertex and the number of the replica.
 * @throws DtError `DT_INVALID_OPTION`
 */
function memberIdOf(
  { vertex, options }: VertexLimit,
  { memberId }: FurtherThrottleOptions,
  { NUMAFLOW_REPLICA: replica }: NodeJS.ProcessEnv = process.env,
): Pick<ThrottleOptions, "memberId"> {
  const { resumeWithin }: NumaflowThrottleOptions = options;
  if (resumeWithin === undefined || memberId !== undefined) return {};
  if (replica !== undefined && /^\d+$/.test(replica)) return { memberId: `${vertex.name}-${replica}` };
  throw invalidOption(
    "throttle.memberId",
    memberId,
    "the spec has resumedRampUp: true, so give an id that this process keeps over a restart, or set NUMAFLOW_REPLICA",
  );
}
