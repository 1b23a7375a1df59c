/** Lets plain Node run the packages' sources (`node --import`). */
export const loader = new URL("../../../../tooling/build-config/src/from-sources.ts", import.meta.url).href;
