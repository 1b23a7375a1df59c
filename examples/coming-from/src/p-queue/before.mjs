import PQueue from "p-queue";

const queue = new PQueue({ concurrency: 2 });

async function getPage(page, signal) {
  const response = await fetch(`${process.env.API_URL}/pages/${page}`, { signal });
  return response.text();
}

const numbers = Array.from({ length: 10 }, (_, page) => page);
const pages = await Promise.all(numbers.map((page) => queue.add(({ signal }) => getPage(page, signal))));
console.log(`${pages.length} pages`);
