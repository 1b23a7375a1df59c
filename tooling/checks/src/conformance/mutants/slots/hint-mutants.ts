import type { SlotHint } from "@dt/core";
import { altered } from "../altered.ts";
import { type Mutant, mutant } from "../flaw.ts";
import { PlainSlots } from "../plain-slots.ts";
import { afterReports, hinting, keeping, keptIn, setSlots, withoutQueue } from "./slot-flaw.ts";

/** R30: offers. */
export const offerMutants: readonly Mutant[] = [
  mutant(
    "an offer is only hinted, and on record with the member's next report",
    "R30",
    afterReports((table, _, before) => {
      for (const [incarnation, { kind }] of table.slots.hints)
        if (kind === "offer") setSlots(table, incarnation, before.member(incarnation)?.held ?? 0);
    }),
  ),
  mutant("the slots of a member that leaves are offered with the next report of another one", "R30", {
    deregister: ({ table }, proceed) => withoutQueue(table, () => proceed()),
  }),
  mutant(
    "an offer goes to every member",
    "R30",
    hinting(([hint], { rows }) => {
      const [, what] = hint as [string, SlotHint];
      return what.kind === "offer"
        ? [...rows.keys()].map((incarnation) => [incarnation, what])
        : [hint as [string, SlotHint]];
    }),
  ),
  mutant(
    "an offer goes to the next of the queue as well",
    "R30",
    hinting(([hint], slots) => {
      const [first, what] = hint as [string, SlotHint];
      const next = slots.queued(32).find(({ incarnation, held }) => incarnation !== first && held === 0);
      return what.kind === "offer" && next
        ? [
            [first, what],
            [next.incarnation, { ...what, seq: next.seq }],
          ]
        : [[first, what]];
    }),
  ),
  mutant(
    "an offer names the request before the last",
    "R30",
    hinting(offering((offer) => ({ ...offer, seq: Math.max(1, offer.seq - 1) }))),
  ),
  mutant(
    "an offer names a request that the member has not sent",
    "R30",
    hinting(offering((offer) => ({ ...offer, seq: offer.seq + 1 }))),
  ),
  mutant(
    "an offer names what is new, instead of what is held",
    "R30",
    keptIn(
      class extends PlainSlots {
        override hint(incarnation: string, hint: SlotHint): void {
          super.hint(incarnation, hint.kind === "offer" ? { ...hint, held: Math.max(1, hint.held - 1) } : hint);
        }
      },
    ),
  ),
  mutant(
    "an offer is of a slot more than is on record",
    "R1",
    hinting(offering((offer) => ({ ...offer, held: offer.held + 1 }))),
  ),
  mutant(
    "an offer is hinted once",
    "R30",
    keptIn(
      class extends PlainSlots {
        readonly #hinted = new Set<string>();
        override hint(incarnation: string, hint: SlotHint): void {
          const text = `${incarnation} ${JSON.stringify(hint)}`;
          if (hint.kind === "offer" && this.#hinted.has(text)) return;
          this.#hinted.add(text);
          super.hint(incarnation, hint);
        }
      },
    ),
  ),
  mutant(
    "an offer is hinted with every operation until it is answered",
    "R30",
    keeping(({ offeredMs }) => ({ offeredMs: offeredMs && 1 })),
  ),
  mutant(
    "a late report takes an offer back",
    "R30",
    afterReports((table, { ref, request }) => {
      const member = table.member(ref.incarnation);
      if (member && request.seq <= member.seq && request.held < member.held)
        setSlots(table, ref.incarnation, request.held);
    }),
  ),
  mutant("a report that knew of no offer leaves it on record", "R30", {
    sync: ({ table, ref, request }, proceed) => {
      const [member, row] = [table.member(ref.incarnation), table.slots.slotsOf(ref.incarnation)];
      const crosses = member && row && row.offeredMs !== null && !request.demand?.slots?.tookOffer;
      return proceed(crosses ? { ...request, held: Math.max(request.held, member.held) } : request);
    },
  }),
];

/** R31: asks. */
export const askMutants: readonly Mutant[] = [
  mutant(
    "no member is asked for slots",
    "R31",
    hinting((hints) => hints.filter(([, { kind }]) => kind !== "ask")),
  ),
  mutant(
    "also a member that holds no more than it needs is asked",
    "R31",
    keptIn(
      class extends PlainSlots {
        override mostHeld(most: number): ReturnType<PlainSlots["mostHeld"]> {
          return super.mostHeld(most).map((row) => ({ ...row, want: 0 }));
        }
      },
    ),
  ),
  mutant(
    "a member is asked with every report of one that lacks slots",
    "R31",
    keeping(() => ({ askedMs: null })),
  ),
  mutant(
    "slots that members were asked for already are asked of others as well",
    "R31",
    keeping(() => ({ asked: 0 })),
  ),
  mutant(
    "a member is asked once, and not again while slots lack",
    "R31",
    keptIn(
      class extends PlainSlots {
        readonly #asked = new Set<string>();
        override hint(incarnation: string, hint: SlotHint): void {
          if (hint.kind === "ask" && this.#asked.has(incarnation)) return;
          if (hint.kind === "ask") this.#asked.add(incarnation);
          super.hint(incarnation, hint);
        }
      },
    ),
  ),
  mutant(
    "one member is asked for all that lack",
    "R31",
    hinting((hints, { hints: sent }) => (sent.some(([, { kind }]) => kind === "ask") ? [] : hints)),
  ),
  mutant(
    "for a turn a holder is asked for a slot",
    "R31",
    hinting((hints) =>
      hints.map(([incarnation, hint]) => [
        incarnation,
        hint.kind === "ask" && hint.give === 0 ? { ...hint, give: 1 } : hint,
      ]),
    ),
  ),
  mutant(
    "members are asked although no slots lack",
    "R31",
    afterReports(({ slots }, { ref }) => {
      for (const { incarnation, held } of slots.mostHeld(32))
        if (incarnation !== ref.incarnation && held > 4)
          slots.hint(incarnation, { kind: "ask", give: 1, waterLevel: 4 });
    }),
  ),
];

/** R16: the hints to one member as a service of the store. */
export const slotHintMutants: readonly Mutant[] = [
  mutant("the store promises a queue of slots, and has no onSlotHint", "R16", {
    wrap: (store) => Object.assign(altered(store, {}), { onSlotHint: undefined }),
  }),
  mutant("the store keeps a queue of slots, and declares none", "R16", {
    wrap: (store) => altered(store, { capabilities: { ...store.capabilities, slots: false } }),
  }),
  mutant("hints to a member come only from calls of its own client", "R16", {
    wrap: (store) => {
      let calls = 0;
      const during = async <T>(call: () => Promise<T>): Promise<T> => {
        calls += 1;
        return call().finally(() => {
          calls -= 1;
        });
      };
      return altered(store, {
        sync: (...args) => during(() => store.sync(...args)),
        onSlotHint: (group, member, listener, signal) =>
          store.onSlotHint(group, member, (hint) => calls > 0 && listener(hint), signal),
      });
    },
  }),
  mutant("a listener of slots that stopped is called on", "R16", {
    wrap: (store) =>
      altered(store, {
        onSlotHint: async (...args) => {
          await store.onSlotHint(...args);
          return () => {};
        },
      }),
  }),
  mutant("a listener of slots is not called after a lost connection", "R16", {
    wrap: (store) =>
      altered(store, {
        onSlotHint: (group, member, listener, signal) =>
          store.onSlotHint(group, member, (hint) => hint && listener(hint), signal),
      }),
  }),
  mutant("listening to slots is not refused on a closed store", "R16", {
    wrap: (store) => altered(store, { onSlotHint: async (...args) => store.onSlotHint(...args).catch(() => () => {}) }),
  }),
];

function offering(change: (offer: Extract<SlotHint, { kind: "offer" }>) => SlotHint) {
  return (hints: PlainSlots["hints"]): PlainSlots["hints"] =>
    hints.map(([incarnation, hint]) => [incarnation, hint.kind === "offer" ? change(hint) : hint]);
}
