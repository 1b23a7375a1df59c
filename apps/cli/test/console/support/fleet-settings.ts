/** What one process of the fleet does; its argument as JSON. */
export interface FleetProcessSettings {
  /** Of the Redis. */
  readonly url: string;
  /** What the process is called. */
  readonly label: string;
  /** Calls through the throttle that it begins in a second, if the limit lets it. */
  readonly perSecond: number;
  /** What the limiters of the fleet are called. */
  readonly names: FleetNames;
}

export interface FleetNames {
  readonly throttle: string;
  readonly semaphore: string;
  readonly pacer: string;
  readonly budget: string;
  readonly keyed: string;
  /** The busiest key of the keyed limit. */
  readonly key: string;
}

export const NAMES: FleetNames = {
  throttle: "payments",
  semaphore: "renders",
  pacer: "partner-api",
  budget: "llm",
  keyed: "tenants",
  key: "tenant-1",
};

/** The limit of the throttle in the code, a second. */
export const RATE = 100;
