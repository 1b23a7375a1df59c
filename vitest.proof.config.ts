import { defineConfig } from "vitest/config";
import { shared } from "./vitest.config.ts";

/** `npm run proof`: tests of what the checkers find. They compute for minutes. */
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    name: "proof",
    include: ["**/test/**/*.proof.ts"],
  },
});
