import { build } from "astro";
import { writePages } from "./write-pages.ts";

Object.assign(process.env, { ASTRO_TELEMETRY_DISABLED: "1" });
const { SITE_BASE: base = "", SITE_REPOSITORY: repository } = process.env;
await writePages({ base, repository });
await build({ root: `${import.meta.dirname}/..` });
