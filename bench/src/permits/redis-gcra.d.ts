/** The part of `redis-gcra` that is measured; the package has no types. */
declare module "redis-gcra" {
  interface Limiter {
    limit(request: { readonly key: string }): Promise<{ readonly limited: boolean }>;
  }
  export default function create(options: {
    readonly redis: object;
    readonly burst: number;
    readonly rate: number;
    readonly period: number;
  }): Limiter;
}
