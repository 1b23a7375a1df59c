import { readFileSync } from "node:fs";
import { join } from "node:path";
import starlight from "@astrojs/starlight";
import { defineConfig } from "astro/config";
import starlightLinksValidator from "starlight-links-validator";
import starlightLlmsTxt from "starlight-llms-txt";
import starlightTypeDoc from "starlight-typedoc";
import { apiOptions } from "./src/api.ts";
import { descriptionOf, llmsOptions, sidebarOf } from "./src/config.ts";

// Companions of Starlight are written in TypeScript: only what Astro loads can import them, and that is this file.
const { SITE = "" } = process.env;
if (SITE === "") throw new Error("build the site with: npm run -s site");
/** @type {import("./src/config.ts").Site} */
const site = JSON.parse(SITE);
const look = join(import.meta.dirname, "src/look");

export default defineConfig({
  integrations: [
    starlight({
      title: "@dt",
      description: descriptionOf(site.pages),
      disable404Route: true,
      favicon: "/favicon.svg",
      customCss: [join(look, "site.css")],
      head: [{ tag: "script", attrs: { type: "module" }, content: readFileSync(join(look, "site.js"), "utf8") }],
      // Code, and no picture of a window around it.
      expressiveCode: { defaultProps: { frame: "none" } },
      sidebar: sidebarOf(site),
      plugins: [
        ...(site.api.length === 0 ? [] : [starlightTypeDoc(apiOptions(site.api, site.repository))]),
        // Readers have servers of their own: a page may lead to http://localhost.
        starlightLinksValidator({ errorOnLocalLinks: false }),
        starlightLlmsTxt(llmsOptions(site)),
      ],
    }),
  ],
});
