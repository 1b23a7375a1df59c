import { RateLimiter } from "limiter";

const limiter = new RateLimiter({ tokensPerInterval: 10, interval: "second" });

async function getPage(page) {
  await limiter.removeTokens(1);
  const response = await fetch(`${process.env.API_URL}/pages/${page}`);
  return response.text();
}

const pages = await Promise.all(Array.from({ length: 20 }, (_, page) => getPage(page)));
console.log(`${pages.length} pages`);
