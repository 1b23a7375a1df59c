import express from "express";
import { rateLimit } from "express-rate-limit";

const app = express();
app.use(rateLimit({ windowMs: 60_000, limit: 5, standardHeaders: "draft-8", legacyHeaders: false }));
app.get("/", (_, response) => response.send("hello"));

const server = app.listen(0, "127.0.0.1", () => console.log(`port ${server.address().port}`));
