import { goDurationMs } from "../go-duration.ts";
import type { EffectiveLimit, Given, Origin } from "../limit/inherit.ts";
import { isDivided, type VertexLimit } from "../limit/limit.ts";
import { chosenMode, MODE_DEFAULTS } from "../limit/mode.ts";
import type { RedisAuth, RedisSentinel, RedisTls, SecretReference } from "../spec/rate-limit.ts";
import { withoutCredentials } from "../store/plan.ts";
import { secretVariable } from "../store/secrets.ts";

/** One field of a `rateLimit`, and what becomes of it. */
export interface FieldReport {
  /** The field, as `modes.goBackN.coolDownPeriod`. */
  readonly field: string;
  /** Its value as text. Of a secret it is the reference, of a URL what is no secret. */
  readonly value: string;
  /** The block that has it: that of the vertex, that of its pipeline, or none (`default`). */
  readonly from: Origin;
  /** The option of `createThrottle` or `redisStore` that it becomes; `"-"` where it becomes none. */
  readonly becomes: string;
}

/** Every field of a limit, in the order of Numaflow's API. */
export function fieldsOf(found: VertexLimit): readonly FieldReport[] {
  const { limit, options } = found;
  const { resumedRampUp, ttl, rampUpDuration } = limit;
  const resumes = options.resumeWithin !== undefined;
  return [
    ...counts(found),
    row("rampUpDuration", rampUpDuration, `rampUp: ${options.rampUp}`),
    row("resumedRampUp", resumedRampUp, resumes ? `resumeWithin: ${options.resumeWithin}` : "-"),
    row("ttl", ttl, resumes ? "resumeWithin, in whole seconds" : "-"),
    ...modes(limit),
    ...store(found),
  ];
}

function row(field: string, { value, from }: Given<unknown>, becomes: string): FieldReport {
  return { field, value: String(value), from, becomes };
}

function counts({ vertex, limit, options, messagesPerToken }: VertexLimit): FieldReport[] {
  const { max, min, readBatchSize } = limit;
  const divided = messagesPerToken === 1 ? "" : ` (divided by ${messagesPerToken}, rounded up)`;
  const batch = isDivided(vertex)
    ? [row("readBatchSize", readBatchSize, `messages of a token: ${messagesPerToken}`)]
    : [];
  return [
    ...(max === undefined ? [] : [row("max", max, `max: ${options.max}${divided}`)]),
    row("min", min, `min: ${options.min}${divided}`),
    ...batch,
  ];
}

function modes({ modes: given }: EffectiveLimit): FieldReport[] {
  const { value, from } = given;
  const { mode, unused } = chosenMode(value);
  const chosen = {
    field: "modes",
    value: mode,
    from: value[mode] === undefined ? "default" : from,
    becomes: `mode: "${mode}"`,
  };
  return [
    chosen satisfies FieldReport,
    ...numbers(given),
    ...unused.map((name): FieldReport => ({ field: `modes.${name}`, value: "{}", from, becomes: "-" })),
  ];
}

/** What the option `mode` has of each field. */
const NUMBERS = {
  thresholdPercentage: "threshold",
  coolDownPeriod: "coolDown",
  rampDownPercentage: "rampDown",
} as const;

function numbers({ value, from }: Given<EffectiveLimit["modes"]["value"]>): FieldReport[] {
  const { mode } = chosenMode(value);
  if (mode !== "onlyIfUsed" && mode !== "goBackN") return [];
  const names =
    mode === "goBackN"
      ? (["coolDownPeriod", "rampDownPercentage", "thresholdPercentage"] as const)
      : (["thresholdPercentage"] as const);
  const fields: Readonly<Partial<Record<keyof typeof NUMBERS, unknown>>> = value[mode] ?? {};
  return names.map((name) => {
    const given = fields[name];
    const number = given ?? MODE_DEFAULTS[name];
    const becomes = typeof number === "string" ? goDurationMs(name, number) : number;
    return {
      field: `modes.${mode}.${name}`,
      value: String(number),
      from: given === undefined ? "default" : from,
      becomes: `mode.${NUMBERS[name]}: ${becomes}`,
    };
  });
}

function store({ limit, plan }: VertexLimit): FieldReport[] {
  const { value, from } = limit.store;
  const at = "store.redisStore";
  if (plan.type === "memory") {
    const given = value.inMemoryStore === undefined ? [] : [{ field: "store.inMemoryStore", value: "{}", from }];
    const fields = given.length > 0 ? given : [{ field: "store", value: "in memory", from: "default" as const }];
    return fields.map((field) => ({ ...field, becomes: "new MemoryStore()" }));
  }
  const text = (field: string, of: unknown, becomes: string): FieldReport[] =>
    of === undefined ? [] : [{ field: `${at}.${field}`, value: String(of), from, becomes }];
  const { db } = plan;
  const single = plan.mode === "single";
  const database = single ? "the database of url" : "options.db";
  return [
    ...text("mode", plan.mode, single ? "redisStore({ url })" : "redisStore({ options })"),
    ...(plan.mode === "single"
      ? text("url", withoutCredentials(plan.url), "url")
      : sentinelFields(plan.sentinel, text)),
    ...(db === undefined
      ? [
          {
            field: `${at}.db`,
            value: "0",
            from: "default" as const,
            becomes: single ? "the database of url, or 0" : "0",
          },
        ]
      : text("db", db, `${database}: ${db}`)),
  ];
}

type Text = (field: string, of: unknown, becomes: string) => FieldReport[];

function sentinelFields(sentinel: RedisSentinel, text: Text): FieldReport[] {
  const { masterName, endpoints, sentinelAuth, redisAuth, sentinelTLS, redisTLS } = sentinel;
  return [
    ...text("sentinel.masterName", masterName, "options.name"),
    ...text("sentinel.endpoints", endpoints.join(", "), "options.sentinels"),
    ...authFields("sentinelAuth", sentinelAuth, ["sentinelUsername", "sentinelPassword"], text),
    ...authFields("redisAuth", redisAuth, ["username", "password"], text),
    ...tlsFields("sentinelTLS", sentinelTLS, "sentinelTLS", text),
    ...tlsFields("redisTLS", redisTLS, "tls", text),
  ];
}

function authFields(
  field: string,
  auth: RedisAuth | undefined,
  [username, password]: readonly [string, string],
  text: Text,
): FieldReport[] {
  return [
    ...secretField(`sentinel.${field}.username`, auth?.username, `options.${username}`, text),
    ...secretField(`sentinel.${field}.password`, auth?.password, `options.${password}`, text),
  ];
}

function tlsFields(field: string, tls: RedisTls | undefined, option: string, text: Text): FieldReport[] {
  if (tls === undefined) return [];
  const at = `sentinel.${field}`;
  const { insecureSkipVerify = false } = tls;
  return [
    ...text(
      `${at}.insecureSkipVerify`,
      tls.insecureSkipVerify,
      `options.${option}.rejectUnauthorized: ${!insecureSkipVerify}`,
    ),
    ...secretField(`${at}.caCertSecret`, tls.caCertSecret, `options.${option}.ca`, text),
    ...secretField(`${at}.certSecret`, tls.certSecret ?? tls.clientCertSecret, `options.${option}.cert`, text),
    ...secretField(`${at}.keySecret`, tls.keySecret ?? tls.clientKeySecret, `options.${option}.key`, text),
  ];
}

function secretField(
  field: string,
  reference: SecretReference | undefined,
  becomes: string,
  text: Text,
): FieldReport[] {
  if (reference === undefined) return [];
  const { name, key, optional = false } = reference;
  const source = `${becomes}, from secrets or ${secretVariable(reference)}`;
  return text(field, `secret ${name}, key ${key}${optional ? ", optional" : ""}`, source);
}
