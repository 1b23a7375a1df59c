/** Who asks how often, of which keys, and for how long this is measured. */
export interface KeysPlan {
  /** Tenants, each with a limit of its own. */
  readonly tenants: number;
  /** What a tenant may take a second, and at once. */
  readonly perSecond: number;
  readonly processes: number;
  /** Decisions a second that all tenants but the hot ones ask for together, by Zipf's law. */
  readonly othersPerSecond: number;
  /** Decisions a second that each of the two hot tenants asks for. */
  readonly hotPerSecond: number;
  /** Decisions a second that the noisy tenant asks for in its part. */
  readonly noisyPerSecond: number;
  readonly warmUpMs: number;
  readonly measuredMs: number;
  /** How long nobody asks, before the commands of an idle fleet are counted. */
  readonly calmMs: number;
  /** Keys that are used once each, when memory is measured. */
  readonly memoryKeys: number;
}

/** Which tenants ask: all but the hot ones, these as well, or these and a noisy one. */
export type Part = "quiet" | "loaded" | "noisy";

/** One stretch of asking. */
export interface Stretch {
  readonly part: Part;
  /** When the workers begin, from when on they count, and when they end, in wall-clock milliseconds. */
  readonly beginMs: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/** What one worker is told. */
export interface WorkerSettings {
  readonly approach: string;
  readonly redisUrl: string;
  readonly worker: number;
  readonly plan: KeysPlan;
}

/** What a worker saw of one stretch. */
export interface WorkerReport {
  /** How long each decision of the other tenants took, in milliseconds. */
  readonly othersMs: readonly number[];
  /** The same of the hot ones. */
  readonly hotMs: readonly number[];
  /** Decisions of all, the noisy one's too. */
  readonly decisions: number;
  /** Decisions of others that were refused. */
  readonly othersRefused: number;
  /** When calls of the hot tenants were allowed, in wall-clock milliseconds: sticky, spread. */
  readonly allowedAtMs: readonly (readonly number[])[];
  readonly errors: readonly string[];
}
