import { type Ended, errorsOf } from "../outcome/classify.ts";
import { errorsInError } from "./bodies.ts";
import { type AnyRecord, membersOf, recordOf } from "./records.ts";
import { durationOf, LONGEST_FIELD, LONGEST_MS } from "./times.ts";

/** Details of a status are few and short; what is longer is not looked at. */
const LONGEST_DETAILS = 65_536;

/**
 * For how long an error asks to wait, in milliseconds: by `grpc-retry-pushback-ms`, or by `google.rpc.RetryInfo` as
 * trailers, Connect, Google's clients, and the bodies of Google's APIs have it. Undefined where nothing can be read.
 */
export function retryDelayOf(ended: Ended): number | undefined {
  try {
    for (const error of errorsOf(ended))
      for (const ms of [delayOfTrailers(error), ...[error, ...errorsInError(error)].map(delayOfDetails)])
        if (ms !== undefined && ms >= 0) return Math.min(LONGEST_MS, Math.ceil(ms));
  } catch {
    // What throws when it is looked at tells nothing.
  }
  return undefined;
}

/** The wait of an error of gRPC by its trailers, in milliseconds; NaN or negative where it makes no sense. */
export function delayOfTrailers(error: AnyRecord): number | undefined {
  return pushbackOf(error["metadata"]) ?? trailerOf(error["metadata"]);
}

/** What trailers hold under a name: grpc-js gives a list, Connect has `Headers`. */
function first(metadata: unknown, name: string): unknown {
  const { get } = (metadata ?? {}) as { readonly get?: unknown };
  const values: unknown = typeof get === "function" ? get.call(metadata, name) : undefined;
  return Array.isArray(values) ? values[0] : values;
}

function pushbackOf(metadata: unknown): number | undefined {
  const text = first(metadata, "grpc-retry-pushback-ms");
  return typeof text === "string" && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** `google.rpc.Status` in bytes: its third field is a list of `Any`. */
function trailerOf(metadata: unknown): number | undefined {
  const status = first(metadata, "grpc-status-details-bin");
  if (!(status instanceof Uint8Array) || status.length > LONGEST_DETAILS) return undefined;
  for (const [field, any] of messageOf(status)) {
    if (field !== 3 || typeof any === "number") continue;
    const fields = new Map(messageOf(any));
    const [type, value] = [fields.get(1), fields.get(2)];
    if (type instanceof Uint8Array && isRetryInfo(new TextDecoder().decode(type)) && value instanceof Uint8Array)
      return delayIn(value);
  }
  return undefined;
}

/**
 * The wait of `RetryInfo` in milliseconds, from details that are decoded already, or nearly: Connect, google-gax, and
 * the JSON of Google's APIs. NaN or negative where it makes no sense, undefined where there is none.
 */
export function delayOfDetails(error: AnyRecord): number | undefined {
  for (const name of ["details", "statusDetails", "errorDetails"])
    for (const detail of membersOf(error[name])) {
      const { retryDelay, type, value } = recordOf(detail);
      if (typeof type === "string" && isRetryInfo(type) && value instanceof Uint8Array) return delayIn(value);
      if (typeof retryDelay === "string")
        return retryDelay.length > LONGEST_FIELD ? Number.NaN : durationOf(retryDelay);
      const { seconds, nanos } = recordOf(retryDelay);
      if (seconds !== undefined || nanos !== undefined) return Number(seconds ?? 0) * 1_000 + Number(nanos ?? 0) / 1e6;
    }
  return undefined;
}

function isRetryInfo(type: string): boolean {
  return type.endsWith("google.rpc.RetryInfo");
}

/** `RetryInfo` has one field, a `Duration` of seconds and nanoseconds. */
function delayIn(retryInfo: Uint8Array): number | undefined {
  const delay = new Map(messageOf(retryInfo)).get(1);
  if (!(delay instanceof Uint8Array)) return undefined;
  const duration = new Map(messageOf(delay));
  const [seconds, nanos] = [duration.get(1) ?? 0, duration.get(2) ?? 0];
  return typeof seconds === "number" && typeof nanos === "number" ? seconds * 1_000 + nanos / 1e6 : undefined;
}

/** The fields of a message of protocol buffers; it ends where something makes no sense. */
function* messageOf(bytes: Uint8Array): Generator<readonly [field: number, value: number | Uint8Array]> {
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; shift < 10; shift++) {
      const byte = bytes[at++];
      if (byte === undefined) return Number.NaN;
      value += (byte & 127) * 128 ** shift;
      if (byte < 128) return value;
    }
    return Number.NaN;
  };
  while (at < bytes.length) {
    const tag = varint();
    const field = Math.floor(tag / 8);
    const kind = tag % 8;
    if (kind === 0) yield [field, varint()];
    else if (kind === 2) {
      const length = varint();
      if (!(at + length <= bytes.length)) return;
      yield [field, bytes.subarray(at, at + length)];
      at += length;
    } else return;
  }
}
