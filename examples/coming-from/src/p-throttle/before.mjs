import pThrottle from "p-throttle";

const throttle = pThrottle({ limit: 10, interval: 1_000 });

const getPage = throttle(async (page) => {
  const response = await fetch(`${process.env.API_URL}/pages/${page}`);
  return response.text();
});

const pages = await Promise.all(Array.from({ length: 20 }, (_, page) => getPage(page)));
console.log(`${pages.length} pages`);
