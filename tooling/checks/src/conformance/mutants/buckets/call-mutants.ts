import { DtError, isDtError } from "@dt/core";
import { bucketName } from "@dt/core/ledger";
import { altered, never } from "../altered.ts";
import { bucketMutant, type Mutant, mutant } from "../flaw.ts";
import { patchBucket } from "./bucket-rows.ts";

/** K1, K10, K11: in one call, at the same time, apart, in time. */
export const callMutants: readonly Mutant[] = [
  bucketMutant("requests to buckets read, work it out and write back while others do the same", "K1", { torn: true }),
  bucketMutant("the requests of a call are served in the opposite order", "K1", {
    batch: async (requests, serve) => (await serve(requests.toReversed())).toReversed(),
  }),
  bucketMutant("the answers of a call come in the order of the buckets' names", "K1", {
    batch: async (requests, serve) => {
      const answers = await serve(requests);
      const names = requests.map(bucketName);
      return [...names.keys()]
        .sort((a, b) => ((names[a] as string) < (names[b] as string) ? -1 : 1))
        .map((index) => answers[index] as (typeof answers)[0]);
    },
  }),
  bucketMutant("the error of one request fails the call", "K1", {
    batch: async (requests, serve) => {
      const answers = await serve(requests);
      const error = answers.find((answer) => isDtError(answer, "DT_PACE_MISMATCH"));
      if (error) throw error;
      return answers;
    },
  }),
  bucketMutant("the error of one request keeps those after it from being served", "K1", {
    batch: async (requests, serve) => {
      const answers = [...(await serve(requests.slice(0, 1)))];
      for (const request of requests.slice(1)) {
        const error = answers.find((answer) => isDtError(answer, "DT_PACE_MISMATCH"));
        answers.push(error ?? ((await serve([request]))[0] as (typeof answers)[0]));
      }
      return answers;
    },
  }),
  bucketMutant("of several requests of a call to one bucket only the first is served, and answers for all", "K1", {
    batch: async (requests, serve) => {
      const names = requests.map(bucketName);
      const first = requests.filter((_, index) => names.indexOf(names[index] as string) === index);
      const answers = new Map<string, Awaited<ReturnType<typeof serve>>[0]>();
      for (const [index, answer] of (await serve(first)).entries())
        answers.set(bucketName(first[index] as (typeof first)[0]), answer);
      return names.map((name) => answers.get(name) as Awaited<ReturnType<typeof serve>>[0]);
    },
  }),
  bucketMutant("of a call only the first 500 requests are served, and the others get the last answer of these", "K1", {
    batch: async (requests, serve) => {
      const answers = await serve(requests.slice(0, 500));
      return requests.map((_, index) => answers[Math.min(index, 499)] as (typeof answers)[0]);
    },
  }),
  bucketMutant("all buckets are one", "K10", { key: () => "" }),
  bucketMutant("a bucket has the name of its key alone", "K10", { key: ({ key }) => key }),
  bucketMutant("a bucket's name and key are joined as they are", "K10", { key: ({ name, key }) => `${name}/${key}` }),
  bucketMutant("names of buckets are kept without the space around them", "K10", {
    key: ({ name, key }) => bucketName({ name: name.trim(), key: key.trim() }),
  }),
  bucketMutant("a bucket is kept in the place of a budget of that name", "K10", {
    take: ({ table }, proceed) => {
      if (table.bucket && table.bucket.max > 0) patchBucket(table, ({ used }) => ({ used: Math.max(0, used - 0.5) }));
      return proceed();
    },
  }),
  bucketMutant("requests of buckets are not checked", "K11", { unchecked: ({ method }) => method === "take" }),
  mutant("a call of take never settles", "K11", { wrap: (store) => altered(store, { take: never }) }),
  mutant("malformed calls of take are thrown instead of rejected", "K11", {
    wrap: (store) =>
      altered(store, {
        take: (requests, signal) => {
          if (requests.length === 0) throw new DtError("DT_INVALID_OPTION", "no requests");
          return store.take(requests, signal);
        },
      }),
  }),
  mutant("the signal of a call of take is ignored", "K11", {
    wrap: (store) => altered(store, { take: (requests) => store.take(requests) }),
  }),
  mutant("a call of take that was aborted is sent again, without its process", "K11", {
    wrap: (store) =>
      altered(store, {
        take: (requests, signal) =>
          store.take(requests, signal).catch((error: unknown) => {
            if (isDtError(error, "DT_ABORTED"))
              store.take(requests.map(({ hold, ...request }) => request)).catch(() => undefined);
            throw error;
          }),
      }),
  }),
  mutant("a call of take on a closed store fails as unavailable", "K11", {
    wrap: (store) =>
      altered(store, {
        take: (...given) =>
          store.take(...given).catch((error: unknown) => {
            if (!isDtError(error, "DT_STORE_CLOSED")) throw error;
            throw new DtError("DT_STORE_UNAVAILABLE", "closed", { effect: "unknown" });
          }),
      }),
  }),
  mutant("closing a store gives back what was taken from buckets", "K11", {
    wrap: (store, server) =>
      altered(store, {
        close: () => {
          for (const table of server.buckets.values()) table.forget();
          return store.close();
        },
      }),
  }),
  mutant("buckets are lost with the server", "K11", {
    wrap: (store, server) => {
      const boot = { boots: server.boots };
      return altered(store, {
        take: (...given) => {
          if (server.boots > boot.boots) server.buckets.clear();
          boot.boots = server.boots;
          return store.take(...given);
        },
      });
    },
  }),
  mutant("a call of take that the server did not answer takes effect twice", "K11", {
    wrap: (store, server) =>
      altered(store, {
        take: (requests, signal) =>
          store.take(requests, signal).catch((error: unknown) => {
            if (isDtError(error) && error.effect === "unknown")
              for (const request of requests) {
                const table = server.buckets.get(bucketName(request));
                if (table) patchBucket(table, ({ used }) => ({ used: used + (request.take?.cost ?? 0) }));
              }
            throw error;
          }),
      }),
  }),
];
