/** Why a producer is throttled, by its number on the wire. */
const REASONS = [
  "TopicProduceQuotaExceeded",
  "ResourceGroupProduceQuotaExceeded",
  "ConnectionPendingMessagesBreach",
  "MessageBufferSizeBreach",
  "BrokerProduceQuotaExceeded",
] as const;

/**
 * Why a producer is throttled. Quotas of topics and resource groups concern one producer. The other three reasons
 * concern the whole connection: the server stops reading it, whatever the client answers.
 */
export type ThrottlingReason = (typeof REASONS)[number];

/** Every reason there is. */
export const throttlingReasons: readonly ThrottlingReason[] = REASONS;

/**
 * True for a reason that concerns the whole connection.
 * @param reason why the producer is throttled
 * @example if (concernsConnection(reason)) pauseAllProducers();
 */
export function concernsConnection(reason: ThrottlingReason): boolean {
  return REASONS.indexOf(reason) >= 2;
}

/** Its number on the wire. */
export function numberOf(reason: ThrottlingReason): number {
  return REASONS.indexOf(reason);
}

/** The reason with a number; undefined when there is none. */
export function reasonOf(number: unknown): ThrottlingReason | undefined {
  return REASONS[number as number];
}
