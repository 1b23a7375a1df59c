export { type Bounds, DEFAULT_BOUNDS } from "./bounds.ts";
export { type Exploration, explore } from "./explore/explore.ts";
export { FULL_RUN, type Run } from "./runs.ts";
export { TRAPS } from "./traps/catalogue.ts";
export { type Finding, spring } from "./traps/spring.ts";
export { allRules, type Rule, type Setting, type Violation } from "./world/world.ts";
