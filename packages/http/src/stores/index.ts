/** Stores for other packages' rate limiters: a fleet's hits, counted in one of the stores of `@dt`. */

export { type ExpressHits, ExpressRateLimitStore, expressRateLimitStore } from "./express-rate-limit.ts";
export {
  type FastifyHits,
  type FastifyHitsCallback,
  FastifyRateLimitStore,
  type FastifyRouteLike,
  fastifyRateLimitStore,
} from "./fastify-rate-limit.ts";
export type { HitStoreOptions } from "./options.ts";
