import starlight from "@astrojs/starlight";
import { defineConfig } from "astro/config";
import starlightLinksValidator from "starlight-links-validator";
import starlightLlmsTxt from "starlight-llms-txt";
import starlightTypeDoc, { typeDocSidebarGroup } from "starlight-typedoc";
import { SECTIONS } from "./src/sections.ts";

const { SITE_URL = "http://localhost:4321", SITE_BASE = "" } = process.env;

export default defineConfig({
  site: SITE_URL,
  base: SITE_BASE === "" ? "/" : SITE_BASE,
  integrations: [
    starlight({
      title: "@dt",
      sidebar: [
        ...SECTIONS.map(({ label, pages }) => ({
          label,
          items: pages.map(({ slug, label }) => ({ slug, label })),
          collapsed: true,
        })),
        typeDocSidebarGroup,
      ],
      plugins: [
        starlightTypeDoc({
          entryPoints: [
            "../../packages/core/src/index.ts",
            "../../packages/redis/src/index.ts",
            "../../packages/budget/src/index.ts",
          ],
          tsconfig: "./typedoc.tsconfig.json",
          output: "api",
          typeDoc: { skipErrorChecking: true },
        }),
        starlightLinksValidator({ exclude: ["/api/**"] }),
        starlightLlmsTxt(),
      ],
    }),
  ],
});
