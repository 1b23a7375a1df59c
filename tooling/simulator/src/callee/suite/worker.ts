/** A thread of the suite: runs one job after the other. */
import { parentPort } from "node:worker_threads";
import { type Job, runJob } from "./run-job.ts";

parentPort?.on("message", (job: Job) => parentPort?.postMessage(runJob(job)));
