/**
 * Adds jobs to the list that the workers take them from. Each costs so many tokens of the budget:
 *
 *     node add-jobs.ts redis://localhost:6379 1000 10
 */
import { Redis } from "ioredis";

const [url = "redis://localhost:6379", count = "1000", tokens = "10"] = process.argv.slice(2);

const redis = new Redis(url);
for (let rest = Number(count); rest > 0; rest -= 1_000)
  await redis.rpush("jobs", ...Array.from({ length: Math.min(rest, 1_000) }, () => tokens));
console.log(`${await redis.llen("jobs")} jobs wait`);
await redis.quit();
