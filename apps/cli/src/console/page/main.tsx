import { render } from "preact";
import { App } from "./components/app.tsx";
import { applyTheme, keptTheme } from "./theme.ts";
import { takeToken } from "./token.ts";

applyTheme(keptTheme());
const root = document.getElementById("app");
if (root !== null) render(<App token={takeToken()} />, root);
