import { isDtError } from "@dt/core";
import { altered } from "./altered.ts";
import { type Mutant, mutant } from "./flaw.ts";

/** R26: which groups there are. */
export const listingMutants: readonly Mutant[] = [
  mutant("a list goes by place, and groups without members are left out of it", "R26", {
    wrap: (store, server) =>
      altered(store, {
        list: async (cursor, signal) => {
          if (cursor !== undefined && !/^[1-9]\d*00$/.test(cursor)) return store.list(cursor, signal);
          await store.list(undefined, signal);
          const living = server.groups().filter((group) => server.table(group).members().length > 0);
          const from = Number(cursor ?? 0);
          const groups = [...living].sort().slice(from, from + 100);
          return { groups, ...(from + 100 < living.length && { next: String(from + 100) }) };
        },
      }),
  }),
  mutant("a list shows names without what is not ASCII", "R26", {
    wrap: (store) =>
      altered(store, {
        list: async (...args) => {
          const page = await store.list(...args);
          return { ...page, groups: page.groups.map((group) => group.replaceAll(/[^ -~]/g, "?")) };
        },
      }),
  }),
  mutant("a group is listed as soon as a client looks at it", "R26", {
    wrap: (store) => {
      const seen = new Set<string>();
      return altered(store, {
        inspect: (group, signal) => {
          seen.add(group);
          return store.inspect(group, signal);
        },
        list: async (...args) => {
          const page = await store.list(...args);
          return { ...page, groups: [...page.groups, ...seen] };
        },
      });
    },
  }),
  mutant("a cursor that no page gave begins the list anew", "R26", {
    wrap: (store) =>
      altered(store, {
        list: (cursor, signal) =>
          store.list(cursor, signal).catch((error: unknown) => {
            if (isDtError(error, "DT_INVALID_OPTION")) return store.list(undefined, signal);
            throw error;
          }),
      }),
  }),
  mutant("a list gives every group on a page a new generation", "R26", {
    wrap: (store, server) =>
      altered(store, {
        list: async (...args) => {
          const page = await store.list(...args);
          for (const group of page.groups) {
            const table = server.table(group);
            const row = table.group();
            if (!row) continue;
            for (const member of table.members()) table.putMember({ ...member, generation: member.generation + 1 });
            table.putGroup({ ...row, generation: row.generation + 1 });
          }
          return page;
        },
      }),
  }),
];
