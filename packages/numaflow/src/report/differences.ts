import { isDivided, type VertexLimit } from "../limit/limit.ts";
import { chosenMode } from "../limit/mode.ts";

/** What differs from Numaflow, or surprises there too. */
export interface Difference {
  /** The subject, in one word that stays the same in later versions. */
  readonly about: string;
  /** What happens there and here, and why. */
  readonly message: string;
}

/** What of a limit needs a word: see docs/numaflow.md. */
export function differencesOf(found: VertexLimit): readonly Difference[] {
  const rules = [namespaces, reads, autoscaler, reduce, memory, redis, resumed, modes, inherited, unused, urls];
  return rules.flatMap((rule) => rule(found));
}

function namespaces({ vertex, options, plan }: VertexLimit): Difference[] {
  if (plan.type === "memory") return [];
  const there =
    "Numaflow names a limit in the store without its namespace, so that equal names in two namespaces on one Redis share it.";
  const here =
    options.name === vertex.storeName
      ? "So it is here, since no namespace is given: there is none in the spec, and the option namespace is not set."
      : "Here the name begins with the namespace, and each has a limit of its own. With the option namespace: false they share it.";
  return [{ about: "namespace", message: `${there} ${here}` }];
}

function reads({ vertex, limit, options, messagesPerToken }: VertexLimit): Difference[] {
  if (!isDivided(vertex) || limit.max === undefined) return [];
  const [batch, max] = [limit.readBatchSize.value, limit.max.value];
  if (messagesPerToken === 1 && batch > 1)
    return [
      { about: "reads", message: `Numaflow counts reads of up to ${batch} messages. Here a token is one message.` },
    ];
  const disputed =
    vertex.role === "source" && vertex.own?.rateLimit === undefined
      ? " Comments in Numaflow's API disagree on whether the limit of a pipeline is one for its sources: its code has it so."
      : "";
  const most = options.max * messagesPerToken;
  const more = most > max ? ` These are up to ${most} messages, more than max ${max}: the division rounds up.` : "";
  const message = `As in Numaflow a token is one read of up to ${batch} messages, and max is ${options.max} reads a second.${more} With the option count: "messages" a token is one message.${disputed}`;
  return [{ about: "reads", message }];
}

function autoscaler({ vertex, limit }: VertexLimit): Difference[] {
  if (vertex.role !== "monovertex" || limit.max === undefined) return [];
  const [max, batch] = [limit.max.value, limit.readBatchSize.value];
  const message = `Numaflow's autoscaler compares the rate with max x readBatchSize (${max} x ${batch} = ${max * batch}), though the limit is ${max}: it keeps adding pods that the limit holds back. Here nothing scales by the limit.`;
  return [{ about: "autoscaler", message }];
}

function reduce({ vertex }: VertexLimit): Difference[] {
  if (vertex.role !== "reduce") return [];
  return [{ about: "reduce", message: "Numaflow ignores the limit of a reduce vertex. Here it holds." }];
}

function memory({ plan }: VertexLimit): Difference[] {
  if (plan.type !== "memory") return [];
  const message =
    "As in Numaflow, without a shared store each process has the whole limit for itself: n processes make up to n x max. Give store.redisStore, or the option store.";
  return [{ about: "memory", message }];
}

function redis({ plan, limit }: VertexLimit): Difference[] {
  if (plan.type === "memory") return [];
  const shares =
    'Numaflow gives every pod the same part, used or not, and rounds it down. Here parts follow what each process uses, and add up to max. shares: "even" gives the same part.';
  const ttl = `Numaflow gives the part of a pod that died to the others after ttl (${limit.ttl.value}). Here they have it after staleAfter, 10 s by default.`;
  return [
    { about: "shares", message: shares },
    { about: "ttl", message: ttl },
  ];
}

function resumed({ limit }: VertexLimit): Difference[] {
  if (!limit.resumedRampUp.value) return [];
  const message =
    "Numaflow knows a restarted pod by its vertex and replica. Here it is NUMAFLOW_REPLICA, or throttle.memberId: an id that the process keeps.";
  return [{ about: "resumedRampUp", message }];
}

function modes({ limit }: VertexLimit): Difference[] {
  const { mode, unused } = chosenMode(limit.modes.value);
  const several =
    unused.length === 0
      ? []
      : [{ about: "modes", message: `As in Numaflow ${mode} counts, and ${unused.join(" and ")} beside it does not.` }];
  const dropped = limit.dropsModes
    ? [
        {
          about: "modes",
          message:
            "As in Numaflow the modes of the pipeline do not count for this vertex, which has a rateLimit of its own. It inherits max, min, rampUpDuration and store alone.",
        },
      ]
    : [];
  const jumps =
    "Numaflow's scheduled mode goes to max with its first refill. Here the level goes up one step a second, as its design has it.";
  const tables =
    "Numaflow adds a correction to what was used, so that its levels differ from the tables of its own design. Here they are those of the tables.";
  const own =
    mode === "scheduled"
      ? [{ about: "scheduled", message: jumps }]
      : mode === "relaxed"
        ? []
        : [{ about: mode, message: tables }];
  return [...several, ...dropped, ...own];
}

function inherited({ limit, vertex }: VertexLimit): Difference[] {
  const names = (["min", "rampUpDuration"] as const).filter((name) => limit[name].from === "pipeline");
  if (names.length === 0 || vertex.own?.rateLimit === undefined) return [];
  const message = `The vertex inherits ${names.join(" and ")} of its pipeline, as Numaflow's controller does it. With the full CRDs the API server fills in its defaults before (min: 1, rampUpDuration: 1s): write ${names.join(" and ")} into the vertex.`;
  return [{ about: "inheritance", message }];
}

function unused({ limit }: VertexLimit): Difference[] {
  const { redisStore, inMemoryStore } = limit.store.value;
  if (redisStore === undefined) return [];
  const { mode, url, sentinel } = redisStore;
  const beside = mode === "single" ? sentinel !== undefined && "sentinel" : url !== undefined && "url";
  return [
    ...(beside === false
      ? []
      : [{ about: "store", message: `As in Numaflow ${beside} is not used, since mode is ${mode}.` }]),
    ...(inMemoryStore === undefined
      ? []
      : [{ about: "store", message: "Of redisStore and inMemoryStore the first counts here. Give one of them." }]),
  ];
}

function urls({ plan, limit }: VertexLimit): Difference[] {
  if (plan.type === "memory" || plan.mode !== "single") return [];
  const { username, password, pathname } = new URL(plan.url);
  const clear =
    username === "" && password === ""
      ? []
      : [
          {
            about: "password",
            message:
              "The url has user or password in clear: Numaflow has secrets for mode sentinel alone. Here the option store takes a store that was made with a secret.",
          },
        ];
  const path = pathname.replace("/", "");
  const lost =
    path === "" || path === "0" || limit.store.value.redisStore?.db !== undefined
      ? []
      : [
          {
            about: "db",
            message: `The url has the database ${path}. With the full CRDs the API server fills in db: 0, which Numaflow then uses. Here it is ${path}.`,
          },
        ];
  return [...clear, ...lost];
}
