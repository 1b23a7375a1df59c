import type { MemberView } from "@dt/core";
import type { Basis, Holding } from "../holding.ts";
import type { Flaw } from "../traps/flaw.ts";

/** What a member reports as held: with some flaws less than it may be using. */
export function reportedHeld(holding: Holding, flaw: Flaw | undefined): number {
  const { current, raises } = holding.state;
  switch (flaw) {
    case "raise-not-reported":
      return mostTokens(current);
    case "remainder-not-reported":
      return Math.max(...[current, ...raises.map(({ basis }) => basis)].map(fairTokens));
    case "drop-delayed":
      return mostTokens(raises.at(-1)?.basis ?? current);
    default:
      return holding.held;
  }
}

/** A member acts on an answer. */
export function accept(holding: Holding, view: MemberView, flaw: Flaw | undefined): void {
  const { state: before } = holding;
  const isNew = view.generation !== before.generation;
  if (flaw === "kept-raise-hastened" && isNew)
    holding.restore({ ...before, raises: before.raises.map(({ basis }) => ({ fromEpoch: 0, basis })) });
  if (flaw === "remainder-kept") holding.restore({ ...before, current: withRemainder(before.current) });
  holding.accept(flaw === "raise-in-same-epoch" ? { ...view, fromEpoch: view.fromEpoch - 1 } : view);
  const { state } = holding;
  const split = state.raises.at(-1)?.basis;
  if (flaw === "split-at-once" && split?.kind === "split")
    holding.restore({ ...state, raises: [{ fromEpoch: 0, basis: split }] });
  if (flaw === "drop-delayed" && view.status === "disagree" && isNew) {
    const raised = state.raises
      .filter(({ basis }) => basis.kind === "held" && basis.tokens === view.entitled)
      .slice(-1);
    const dropped = { fromEpoch: view.fromEpoch + 1, basis: state.current };
    holding.restore({ ...state, current: before.current, raises: [dropped, ...raised] });
  }
}

function withRemainder(basis: Basis): Basis {
  return basis.kind === "held" ? basis : { kind: "held", tokens: basis.fair + 1 };
}

function fairTokens(basis: Basis): number {
  return basis.kind === "held" ? basis.tokens : basis.fair;
}

function mostTokens(basis: Basis): number {
  return basis.kind === "held" ? basis.tokens : basis.most;
}
