/**
 * - `counter`, `upDownCounter`, `gauge`: read at each collection, nothing is counted in between.
 * - `histogram`, `events`: recorded with an event, of those that come for waits, refusals and operations of a store. An
 *   `events` instrument is a counter.
 */
export type InstrumentType = "counter" | "upDownCounter" | "gauge" | "histogram" | "events";

/** One instrument: all that its meter is given, and how values of one series go together. */
export interface Instrument {
  readonly type: InstrumentType;
  /** By UCUM; what is in braces is counted. */
  readonly unit: string;
  readonly description: string;
  /**
   * What becomes of two sources of the same attributes, such as two throttles of one name in one process.
   * @default `sum` for counters, `max` for gauges
   */
  readonly merge?: "min";
  /** The upper bounds of a histogram's buckets, in its unit. */
  readonly buckets?: readonly number[];
}

/** Every instrument there is, by name. */
export const INSTRUMENTS = {
  "dt.calls": { type: "counter", unit: "{call}", description: "Calls that were decided, by how they came out." },
  "dt.acquire.duration": {
    type: "histogram",
    unit: "s",
    description: "How long calls waited that waited or were refused. Grants at once are in dt.calls alone.",
    // From a wait that is hardly seen to one that no request survives.
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300],
  },
  "dt.tokens": { type: "counter", unit: "{token}", description: "Tokens that were granted." },
  "dt.tokens.deposited": { type: "counter", unit: "{token}", description: "Granted tokens that were given back." },
  "dt.queue.size": { type: "upDownCounter", unit: "{request}", description: "Callers that wait." },
  "dt.queue.capacity": { type: "upDownCounter", unit: "{request}", description: "Callers that may wait at once." },
  "dt.limit": { type: "gauge", unit: "{unit}", description: "The limit in force, in units of its kind." },
  "dt.limit.interval": { type: "gauge", unit: "s", description: "The time that the limit is for, where it is a rate." },
  "dt.limit.changes": { type: "events", unit: "{change}", description: "Changes of the limit in force." },
  "dt.usage": { type: "upDownCounter", unit: "{unit}", description: "Units of the limit that this process uses." },
  "dt.utilization": { type: "gauge", unit: "1", description: "What this process uses of the limit: usage / limit." },
  "dt.near_limit": {
    type: "counter",
    unit: "{epoch}",
    description: "Epochs in which this process used 80 % or more of the tokens within its reach.",
  },
  "dt.share": { type: "gauge", unit: "{token}", description: "Tokens of this epoch that are this process's." },
  "dt.share.entitled": {
    type: "gauge",
    unit: "{token}",
    description:
      "Tokens of an epoch that this process should have: its even part of the level, or less if it wants less.",
  },
  "dt.members": { type: "gauge", unit: "{member}", description: "Live members of the limit, as this process knows." },
  "dt.limiting": {
    type: "gauge",
    unit: "{limiter}",
    description: "1 where the limit made a call wait or refused one within 30 s: more processes would not help.",
  },
  "dt.paused": { type: "gauge", unit: "s", description: "What is left of a pause." },
  "dt.would_refuse": {
    type: "counter",
    unit: "{call}",
    description: "Calls that went on, and would have been refused or have waited, were the limit enforced.",
  },
  "dt.store.valid": {
    type: "gauge",
    unit: "{limiter}",
    description: "1 while the limiter may go by the store's last answer, 0 while the store is lost.",
    merge: "min",
  },
  "dt.store.hold": {
    type: "gauge",
    unit: "{limiter}",
    description: "1 while the store is lost and the limiter grants all the same, by its own choice.",
  },
  "dt.store.operation.duration": {
    type: "histogram",
    unit: "s",
    description: "How long operations of a store took.",
    // The default deadline is within the last buckets.
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
  "dt.permits.reserved": { type: "counter", unit: "{permit}", description: "Permits that were reserved in the store." },
  "dt.permits.wasted": { type: "counter", unit: "{permit}", description: "Permits that no call went out with." },
  "dt.slots.held": { type: "upDownCounter", unit: "{slot}", description: "Slots that this process holds." },
  "dt.slots.in_use": { type: "upDownCounter", unit: "{slot}", description: "Slots that calls of this process take." },
  "dt.slots.lost": { type: "counter", unit: "{call}", description: "Calls whose slots were lost while they ran." },
  "dt.slots.overdue": { type: "counter", unit: "{call}", description: "Calls that held their slots for too long." },
  "dt.budget.reserved": { type: "counter", unit: "{unit}", description: "Units that calls reserved." },
  "dt.budget.settled": { type: "counter", unit: "{unit}", description: "Units that calls turned out to have used." },
  "dt.budget.unsettled": {
    type: "counter",
    unit: "{lease}",
    description: "Reservations that were not settled in time.",
  },
  "dt.budget.rest": { type: "gauge", unit: "{unit}", description: "Units that the fleet has left.", merge: "min" },
  "dt.budget.debt": { type: "gauge", unit: "{unit}", description: "Units that the fleet used beyond the limit." },
  "dt.keyed.keys": { type: "upDownCounter", unit: "{key}", description: "Keys that this process keeps something of." },
  "dt.keyed.local": {
    type: "counter",
    unit: "{call}",
    description: "Calls that were decided in this process, without a request to the store.",
  },
  "dt.keyed.unchecked": {
    type: "counter",
    unit: "{call}",
    description: "Calls that went on uncounted, since the store was lost.",
  },
  "dt.keyed.refusals": {
    type: "events",
    unit: "{call}",
    description: "Calls that were refused, by key. Only where keys were asked for.",
  },
  "dt.adaptive.limit": { type: "gauge", unit: "{unit}", description: "The limit that was found out." },
  "dt.adaptive.inflight": { type: "upDownCounter", unit: "{call}", description: "Calls in flight." },
  "dt.adaptive.rejection.probability": {
    type: "gauge",
    unit: "1",
    description: "The probability with which the next call is not made.",
  },
  "dt.callee.requests": { type: "counter", unit: "{request}", description: "Requests that went out." },
  "dt.callee.refusals": {
    type: "counter",
    unit: "{response}",
    description: "Answers of a callee that refused a request: 429, 503, 529, and other 4xx that ask for a wait.",
  },
  "dt.callee.inflight": { type: "upDownCounter", unit: "{request}", description: "Requests that are not answered." },
  "dt.server.shed": { type: "counter", unit: "{request}", description: "Requests that were answered 503." },
  "dt.signal.signals": { type: "counter", unit: "{signal}", description: "Throttle signals, by what came of them." },
  "dt.signal.connections": { type: "upDownCounter", unit: "{connection}", description: "Open connections." },
  "dt.signal.buffered": { type: "upDownCounter", unit: "By", description: "Bytes of frames that are kept." },
  "dt.signal.throttles": { type: "counter", unit: "{throttle}", description: "How often a topic was throttled." },
  "pulsar.client.producer.throttled_times": {
    type: "counter",
    unit: "s",
    description: "How long topics were throttled, by reason: the name is that of PIP-385.",
  },
  "pulsar.broker.topic.publish.rate.limit.count": {
    type: "counter",
    unit: "{operation}",
    description: "How often a limiter throttled a topic: the name is that of Pulsar and PIP-385.",
  },
} as const;

/** The name of an instrument. */
export type InstrumentName = keyof typeof INSTRUMENTS;

/** What is known of an instrument by its name. */
export function instrumentOf(name: InstrumentName): Instrument {
  return INSTRUMENTS[name];
}

/** The names of the instruments of some types. */
type NamesOf<Type extends InstrumentType> = {
  [Name in InstrumentName]: (typeof INSTRUMENTS)[Name]["type"] extends Type ? Name : never;
}[InstrumentName];

/** Instruments that are read at each collection. */
export type ObservedName = NamesOf<"counter" | "upDownCounter" | "gauge">;

/** Instruments that events are recorded with. */
export type RecordedName = NamesOf<"histogram" | "events">;
