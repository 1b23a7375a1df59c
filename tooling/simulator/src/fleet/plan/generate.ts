import { Random } from "../../random.ts";
import { faultsOf, jumpAfterLoss } from "./faults.ts";
import {
  CALLERS,
  type CallerKind,
  CHANGING_CALLERS,
  type MemberPlan,
  type Plan,
  type Profile,
  type Shares,
} from "./plan.ts";
import { settingsOf } from "./settings.ts";

/** The same plan, but most callers make calls that cost several tokens. */
function collecting(plan: Plan): Plan {
  const random = new Random(plan.seed, "collecting");
  const collects = <Host extends { readonly caller: CallerKind }>(host: Host): Host =>
    random.chance(0.7) ? { ...host, caller: "collecting" } : host;
  return {
    ...plan,
    members: plan.members.map(collects),
    faults: plan.faults.map((fault) => ("caller" in fault ? collects(fault) : fault)),
  };
}

/** The plan of a seed: settings, hosts and faults, all at random within what the profile allows. */
export function planOf(seed: number, profile: Profile, shares: Shares = "even"): Plan {
  const random = new Random(seed, `plan ${profile}`);
  const prototype = profile === "abuse-of-the-prototype";
  const settings = {
    ...settingsOf(random, profile),
    ...(shares !== "even" && { shares }),
  };
  const count = prototype ? 5 : random.integer(1, 6);
  const churnMs = prototype ? 120_000 : random.between(25_000, 45_000);
  const members: MemberPlan[] = Array.from({ length: count }, (_, index) => ({
    name: `p${index}`,
    startMs: random.between(0, 2_000),
    caller: prototype
      ? "greedy"
      : random.pick(["greedy", ...CALLERS, ...(shares === "even" ? [] : CHANGING_CALLERS)] as const),
  }));
  const frame = { random, profile, settings, count, churnMs };
  const faults = faultsOf(frame);
  if (profile === "collecting") return collecting({ seed, profile, settings, members, faults, churnMs });
  const dataAge = !prototype && random.chance(0.3);
  const whole = { ...settings, ...(dataAge && { dataAge }) };
  const jump = jumpAfterLoss({ ...frame, random: new Random(seed, "jump after loss") }, faults);
  if (!jump) return { seed, profile, settings: whole, members, faults, churnMs };
  return { seed, profile, settings: { ...whole, ...jump.settings }, members, faults: jump.faults, churnMs };
}
