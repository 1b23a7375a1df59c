-- The schema: groups, their members, the levels of members that are gone, and the queues of semaphores; and permits:
-- keys, the reservations that are still known, the instants given back, and the requests in the queue; and budgets with
-- their leases; and buckets; and limit records.
-- Input: an empty file, inside a write transaction. Output: the tables. Cost: once in the life of a file.
--
-- Times are milliseconds. Those of a key of permits, of a budget, or of a bucket, are on its own time (the machine's
-- clock plus its offset), except keep_until_ms, which is on the machine's clock. Text compares byte by byte, so that
-- names differ as soon as one byte does. The members' indexes are what the ledger asks for: by incarnation, by id, by
-- rank, by expiry, by max.

CREATE TABLE groups (
  group_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  generation INTEGER NOT NULL DEFAULT 0,
  member_count INTEGER NOT NULL DEFAULT 0,
  -- REAL: claims are facts of any size, and a sum beyond 2^53 does not read back as a JavaScript number from an
  -- INTEGER.
  held REAL NOT NULL DEFAULT 0,
  adopted INTEGER NOT NULL DEFAULT 0,
  capacity INTEGER NOT NULL DEFAULT 0,
  largest_member_count INTEGER NOT NULL DEFAULT 0,
  interval_ms REAL NOT NULL DEFAULT 0,
  created_at_ms REAL NOT NULL DEFAULT 0,
  learn_from_ms REAL NOT NULL DEFAULT 0,
  learn_until_ms REAL NOT NULL DEFAULT 0,
  last_ms REAL NOT NULL DEFAULT 0,
  offset_ms REAL NOT NULL DEFAULT 0,
  lapsed_ms REAL NOT NULL DEFAULT 0,
  quiet_limit_ms REAL NOT NULL DEFAULT 0,
  longest_stale_ms REAL NOT NULL DEFAULT 0,
  clock_error_ms REAL NOT NULL DEFAULT 0,
  ahead_until_ms REAL NOT NULL DEFAULT 0,
  repairs INTEGER NOT NULL DEFAULT 0,
  -- Null while it is not known.
  freed_epoch INTEGER,
  spent INTEGER NOT NULL DEFAULT 0,
  -- How many members want how much, as JSON: [[want, members], ...].
  wants TEXT NOT NULL DEFAULT '[]',
  -- Null before the first time that a member got too little.
  hungry_ms REAL,
  -- Group time before which no member begins a call; 0 before the first pause.
  paused_until_ms REAL NOT NULL DEFAULT 0,
  -- The copy of the limit record: the state that it is of, and its max. Both null where no member has a stored limit.
  stored_revision INTEGER,
  stored_max INTEGER
) STRICT;

-- A group that is deleted by hand would be made anew beside members that still use their shares.
CREATE TRIGGER groups_with_members BEFORE DELETE ON groups WHEN EXISTS (SELECT 1 FROM members WHERE group_id = OLD.group_id)
BEGIN
  SELECT RAISE(ABORT, 'the group has members; use "dt repair <store> throttle <name> --reset"');
END;

CREATE TABLE members (
  group_id INTEGER NOT NULL,
  incarnation TEXT NOT NULL,
  id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  rank INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  member_count INTEGER NOT NULL,
  held INTEGER NOT NULL,
  -- Null for one whose limit is the stored one.
  max INTEGER,
  level REAL,
  stale_after_ms REAL NOT NULL,
  clock_error_ms REAL NOT NULL,
  resume_within_ms REAL NOT NULL,
  expires_at_ms REAL NOT NULL,
  standing TEXT NOT NULL CHECK (standing IN ('newcomer', 'holder', 'fenced')),
  joined INTEGER NOT NULL,
  -- Null for one that shares evenly.
  want INTEGER,
  odd INTEGER NOT NULL CHECK (odd IN (0, 1)),
  gave_up_ms REAL NOT NULL,
  rest_until_ms REAL NOT NULL,
  -- Both null where its last report told no activity.
  used INTEGER,
  waiting INTEGER,
  PRIMARY KEY (group_id, incarnation)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX members_by_rank ON members (group_id, rank);
CREATE UNIQUE INDEX members_by_holder ON members (group_id, id) WHERE standing = 'holder';
CREATE INDEX members_by_expiry ON members (group_id, expires_at_ms);
CREATE INDEX members_by_max ON members (group_id, max);

-- What the queue of a semaphore keeps of a member. Groups of throttles have no rows here.
CREATE TABLE slots (
  group_id INTEGER NOT NULL,
  incarnation TEXT NOT NULL,
  held INTEGER NOT NULL,
  want INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  head INTEGER NOT NULL,
  -- Null for one that is not in the queue.
  since_ms REAL,
  tier INTEGER NOT NULL CHECK (tier IN (0, 1, 2)),
  reported_ms REAL NOT NULL,
  -- The times of the newest offer and of the newest request for slots since the member reported, and their texts for
  -- listeners in other processes; null where there is none.
  offered_ms REAL,
  offer TEXT,
  asked_ms REAL,
  ask TEXT,
  asked INTEGER NOT NULL,
  held_since_ms REAL NOT NULL,
  PRIMARY KEY (group_id, incarnation),
  FOREIGN KEY (group_id, incarnation) REFERENCES members ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX slots_by_place ON slots (group_id, tier, since_ms, incarnation) WHERE since_ms IS NOT NULL;
CREATE INDEX slots_by_held ON slots (group_id, held DESC, incarnation);

CREATE TABLE levels (
  group_id INTEGER NOT NULL,
  id TEXT NOT NULL,
  level REAL NOT NULL,
  until_ms REAL NOT NULL,
  PRIMARY KEY (group_id, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX levels_by_time ON levels (group_id, until_ms);

CREATE TABLE permit_keys (
  key_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  tat_ms REAL NOT NULL DEFAULT 0,
  last_ms REAL NOT NULL DEFAULT 0,
  offset_ms REAL NOT NULL DEFAULT 0,
  -- The key may be forgotten after this time.
  keep_until_ms REAL NOT NULL DEFAULT 0,
  -- How often instants were given back.
  releases INTEGER NOT NULL DEFAULT 0,
  -- What the key's users agree on, and what that took the place of; null where nobody has said any.
  terms TEXT,
  former_terms TEXT,
  -- No instant lies before this; null where there never was a pause.
  paused_until_ms REAL,
  -- The copy of the limit record, as JSON, and up to when instants are reserved ahead; null where no request had
  -- stored.
  stored TEXT,
  ahead_until_ms REAL
) STRICT;

CREATE INDEX permit_keys_by_time ON permit_keys (keep_until_ms);

CREATE TABLE permits (
  key_id INTEGER NOT NULL REFERENCES permit_keys ON DELETE CASCADE,
  id TEXT NOT NULL,
  granted INTEGER NOT NULL,
  first_ms REAL NOT NULL,
  step_ms REAL NOT NULL,
  earliest_ms REAL NOT NULL,
  -- Null for an instant that had been given back.
  tat_before_ms REAL,
  forget_at_ms REAL NOT NULL,
  PRIMARY KEY (key_id, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX permits_by_time ON permits (key_id, forget_at_ms);

CREATE TABLE freed_permits (
  key_id INTEGER NOT NULL REFERENCES permit_keys ON DELETE CASCADE,
  at_ms REAL NOT NULL,
  -- Order among instants of the same time.
  place INTEGER NOT NULL,
  -- The distance that it keeps to the next.
  width_ms REAL NOT NULL,
  PRIMARY KEY (key_id, at_ms, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE permit_queue (
  key_id INTEGER NOT NULL REFERENCES permit_keys ON DELETE CASCADE,
  place INTEGER NOT NULL,
  id TEXT NOT NULL,
  until_ms REAL NOT NULL,
  PRIMARY KEY (key_id, place),
  UNIQUE (key_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE budgets (
  budget_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  -- The version of its format, the budget's times and terms, and its limits with what is spent of them, as JSON.
  row TEXT NOT NULL DEFAULT '',
  -- The budget may be forgotten after this time.
  keep_until_ms REAL NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX budgets_by_time ON budgets (keep_until_ms);

CREATE TABLE budget_leases (
  budget_id INTEGER NOT NULL REFERENCES budgets ON DELETE CASCADE,
  id TEXT NOT NULL,
  -- The lease may be forgotten after this time.
  forget_at_ms REAL NOT NULL,
  -- Its instant and its costs, as JSON.
  lease TEXT NOT NULL,
  PRIMARY KEY (budget_id, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX budget_leases_by_time ON budget_leases (budget_id, forget_at_ms);

-- One for each key of a keyed limit. There may be millions, most of which nobody asks for again: they are forgotten in
-- the order of the table, so that no index of times is kept.
CREATE TABLE buckets (
  name TEXT NOT NULL,
  key TEXT NOT NULL,
  -- The version of its format, and all that is known of it, as JSON.
  row TEXT NOT NULL,
  -- The bucket may be forgotten after this time.
  keep_until_ms REAL NOT NULL,
  PRIMARY KEY (name, key)
) STRICT, WITHOUT ROWID;

-- Limits that people set. The hot path reads a row by its key, and never its history.
CREATE TABLE limits (
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  -- Empty for a limit without a key.
  key TEXT NOT NULL,
  -- Grows by 1 with each change.
  revision INTEGER NOT NULL,
  -- The values by name, as JSON; null where the limit was removed.
  "values" TEXT,
  -- The machine's time from which they count no more; null for never.
  until_ms REAL,
  -- The changes, the newest first, as JSON.
  history TEXT NOT NULL,
  PRIMARY KEY (kind, name, key)
) STRICT, WITHOUT ROWID;
