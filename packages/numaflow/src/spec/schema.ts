/** The schema of the parts of a spec that are about limits. They are strict, everything around them is loose. */

import * as z from "zod/mini";
import { goDurationMs } from "../go-duration.ts";

const MOST_INT32 = 2 ** 31 - 1;
/** The most that `@dt/core` grants in an interval, and the most of anything that is counted here. */
const MOST = 1e12;
/** What `@dt/core` takes at most. */
const LONGEST_DURATION_MS = 366 * 86_400_000;

const count = z.int().check(z.minimum(0), z.maximum(MOST));
const percentage = z.int().check(z.minimum(0), z.maximum(100));
const text = z.string().check(z.minLength(1));
const flag = z.boolean();
const empty = z.strictObject({});

const duration = z.string().check((context) => {
  try {
    if (goDurationMs("it", context.value) <= LONGEST_DURATION_MS) return;
    context.issues.push({ code: "custom", input: context.value, message: "it is more than 366 days" });
  } catch (error) {
    context.issues.push({ code: "custom", input: context.value, message: (error as Error).message });
  }
});

/** A name of Kubernetes: a subdomain of DNS. It has no slash, which parts a namespace from it. */
const name = z.string().check(z.regex(/^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/));

const secret = z.strictObject({ name: text, key: text, optional: z.optional(flag) });
const auth = z.strictObject({ username: z.optional(secret), password: z.optional(secret) });
const tls = z.strictObject({
  insecureSkipVerify: z.optional(flag),
  caCertSecret: z.optional(secret),
  certSecret: z.optional(secret),
  keySecret: z.optional(secret),
  clientCertSecret: z.optional(secret),
  clientKeySecret: z.optional(secret),
});

const sentinel = z.strictObject({
  masterName: text,
  endpoints: z.array(text).check(z.minLength(1)),
  sentinelAuth: z.optional(auth),
  redisAuth: z.optional(auth),
  sentinelTLS: z.optional(tls),
  redisTLS: z.optional(tls),
});

const store = z.strictObject({
  redisStore: z.optional(
    z.strictObject({
      mode: z.enum(["single", "sentinel"]),
      url: z.optional(text),
      sentinel: z.optional(sentinel),
      db: z.optional(z.int().check(z.minimum(0), z.maximum(MOST_INT32))),
    }),
  ),
  inMemoryStore: z.optional(empty),
});

const modes = z.strictObject({
  scheduled: z.optional(empty),
  relaxed: z.optional(empty),
  onlyIfUsed: z.optional(z.strictObject({ thresholdPercentage: z.optional(percentage) })),
  goBackN: z.optional(
    z.strictObject({
      coolDownPeriod: z.optional(duration),
      rampDownPercentage: z.optional(percentage),
      thresholdPercentage: z.optional(percentage),
    }),
  ),
});

const rateLimit = z.strictObject({
  max: z.optional(count.check(z.minimum(1))),
  min: z.optional(count),
  rampUpDuration: z.optional(duration),
  resumedRampUp: z.optional(flag),
  ttl: z.optional(duration),
  modes: z.optional(modes),
  store: z.optional(store),
});

const readBatchSize = z.optional(z.int().check(z.minimum(1), z.maximum(MOST)));
/** What else stands in a `limits` block. It is not about rates, and not checked. */
const other = z.optional(z.unknown());
const ofMonoVertex = { readBatchSize, readTimeout: other, concurrency: other, rateLimit: z.optional(rateLimit) };
const monoVertexLimits = z.optional(z.strictObject(ofMonoVertex));
const limits = z.optional(z.strictObject({ ...ofMonoVertex, bufferMaxLength: other, bufferUsageLimit: other }));

/** What a vertex is, source, sink or function, is known by what it has. */
const vertexParts = {
  name,
  source: z.optional(z.unknown()),
  sink: z.optional(z.unknown()),
  udf: z.optional(z.nullable(z.looseObject({ groupBy: z.optional(z.unknown()) }))),
  limits,
};
const vertex = z.looseObject(vertexParts);
const pipeline = z.looseObject({ limits, vertices: z.array(vertex) });
const metadata = z.looseObject({ name, namespace: z.optional(name) });

/** The schema of each kind of resource with limits. */
export const SCHEMAS = {
  Pipeline: z.looseObject({ metadata, spec: pipeline }),
  ServingPipeline: z.looseObject({ metadata, spec: z.looseObject({ pipeline }) }),
  Vertex: z.looseObject({ metadata, spec: z.looseObject({ ...vertexParts, pipelineName: name }) }),
  MonoVertex: z.looseObject({ metadata, spec: z.looseObject({ limits: monoVertexLimits }) }),
};
