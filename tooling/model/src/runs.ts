import type { Bounds } from "./bounds.ts";

/** One exploration of the full run. */
export interface Run {
  readonly name: string;
  readonly bounds: Partial<Bounds>;
}

/** The full run: what `npm run model` explores when no bounds are given. */
export const FULL_RUN: readonly Run[] = [
  { name: "two members, one message lost or slow", bounds: { members: 2, faults: 1 } },
  { name: "two members, one request late or doubled", bounds: { members: 2, late: 1 } },
  { name: "two members, a remainder, two messages lost or slow", bounds: { members: 2, max: 3, faults: 2 } },
  { name: "two members, a longer validity", bounds: { members: 2, validity: 4, stale: 4, faults: 1 } },
  { name: "two members, the quiet rule", bounds: { members: 2, validity: 4, stale: 4, quietRule: true } },
  { name: "two members, changes of max", bounds: { members: 2, resizes: 2 } },
  { name: "two members, idle callers", bounds: { members: 2, max: 3, idle: true } },
  {
    name: "two members, idle callers, one message lost or slow",
    bounds: { members: 2, max: 3, idle: true, faults: 1, ticks: 2 },
  },
  {
    name: "two members, idle callers, one request late or doubled",
    bounds: { members: 2, max: 3, idle: true, late: 1, ticks: 2, from: "agreed" },
  },
  {
    name: "two members, idle callers, a loss of data",
    bounds: { members: 2, max: 3, idle: true, losses: 1, learning: 2, ticks: 4 },
  },
  {
    name: "two members, a loss of data that the store can date",
    bounds: { members: 2, max: 3, losses: 1, learning: 2, agedData: true, ticks: 10 },
  },
  {
    // It learns for as long as a share is valid.
    name: "two members, a loss of data",
    bounds: { members: 2, max: 3, losses: 1, learning: 2, faults: 1, ticks: 8 },
  },
  {
    name: "two members, a long deadline, one message slow, one late",
    bounds: { members: 2, deadline: 2, faults: 1, late: 1, ticks: 6, from: "agreed" },
  },
  { name: "three members", bounds: { members: 3 } },
  { name: "three members, idle callers", bounds: { members: 3, idle: true, ticks: 1, from: "agreed" } },
  { name: "three members join, one message lost or slow", bounds: { members: 3, faults: 1, ticks: 2, from: "empty" } },
  { name: "three members, one message lost or slow", bounds: { members: 3, faults: 1, ticks: 2, from: "agreed" } },
  { name: "three members, one request late or doubled", bounds: { members: 3, late: 1, ticks: 2, from: "agreed" } },
  { name: "one member by demand beside an even one", bounds: { members: 2, demand: 1, max: 3 } },
  {
    name: "one member by demand beside an even one, one message lost or slow",
    bounds: { members: 2, demand: 1, max: 1, faults: 1, ticks: 1 },
  },
  {
    name: "one member by demand beside an even one, idle callers",
    bounds: { members: 2, demand: 1, max: 3, idle: true, ticks: 3 },
  },
  {
    name: "one member by demand beside an even one, changes of max",
    bounds: { members: 2, demand: 1, max: 2, resizes: 1, ticks: 1 },
  },
  {
    name: "two members by demand, one message lost or slow",
    bounds: { members: 2, demand: 2, max: 1, faults: 1, ticks: 1 },
  },
  {
    name: "two members by demand, one request late or doubled",
    bounds: { members: 2, demand: 2, max: 1, late: 1, ticks: 1 },
  },
  { name: "two members by demand, a loss of data", bounds: { members: 2, demand: 2, max: 2, losses: 1, ticks: 4 } },
  { name: "two members by demand, changes of max", bounds: { members: 2, demand: 2, max: 2, resizes: 1, ticks: 4 } },
  { name: "two members by demand, idle callers", bounds: { members: 2, demand: 2, max: 2, idle: true, ticks: 3 } },
  { name: "two members by demand beside an even one", bounds: { members: 3, demand: 2, max: 2, ticks: 1 } },
  { name: "one member by demand beside two even ones", bounds: { members: 3, demand: 1, max: 3, ticks: 1 } },
  { name: "two members by demand", bounds: { members: 2, demand: 2, max: 3 } },
];
