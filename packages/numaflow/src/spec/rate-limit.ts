/** The fields of a `rateLimit` block, as Numaflow's API has them. */

/** A reference to one value of a Kubernetes secret. */
export interface SecretReference {
  /** The name of the secret. */
  readonly name: string;
  /** The key within the secret. */
  readonly key: string;
  /**
   * True where the secret may be missing.
   * @default false
   */
  readonly optional?: boolean | undefined;
}

/** User and password, each in a secret. */
export interface RedisAuth {
  readonly username?: SecretReference | undefined;
  readonly password?: SecretReference | undefined;
}

/** How a TLS connection is checked. */
export interface RedisTls {
  readonly insecureSkipVerify?: boolean | undefined;
  readonly caCertSecret?: SecretReference | undefined;
  readonly certSecret?: SecretReference | undefined;
  readonly keySecret?: SecretReference | undefined;
  /** `certSecret`, as some versions of the API name it. */
  readonly clientCertSecret?: SecretReference | undefined;
  /** `keySecret`, as some versions of the API name it. */
  readonly clientKeySecret?: SecretReference | undefined;
}

export interface RedisSentinel {
  readonly masterName: string;
  readonly endpoints: readonly string[];
  readonly sentinelAuth?: RedisAuth | undefined;
  readonly redisAuth?: RedisAuth | undefined;
  readonly sentinelTLS?: RedisTls | undefined;
  readonly redisTLS?: RedisTls | undefined;
}

export interface RedisStoreSpec {
  readonly mode: "single" | "sentinel";
  readonly url?: string | undefined;
  readonly sentinel?: RedisSentinel | undefined;
  readonly db?: number | undefined;
}

export interface StoreSpec {
  readonly redisStore?: RedisStoreSpec | undefined;
  readonly inMemoryStore?: object | undefined;
}

export interface ModesSpec {
  readonly scheduled?: object | undefined;
  readonly relaxed?: object | undefined;
  readonly onlyIfUsed?: { readonly thresholdPercentage?: number | undefined } | undefined;
  readonly goBackN?:
    | {
        readonly coolDownPeriod?: string | undefined;
        readonly rampDownPercentage?: number | undefined;
        readonly thresholdPercentage?: number | undefined;
      }
    | undefined;
}

export interface RateLimitSpec {
  readonly max?: number | undefined;
  readonly min?: number | undefined;
  readonly rampUpDuration?: string | undefined;
  readonly resumedRampUp?: boolean | undefined;
  readonly ttl?: string | undefined;
  readonly modes?: ModesSpec | undefined;
  readonly store?: StoreSpec | undefined;
}

/** What a `limits` block has about rates. */
export interface LimitsSpec {
  readonly readBatchSize?: number | undefined;
  readonly rateLimit?: RateLimitSpec | undefined;
}
