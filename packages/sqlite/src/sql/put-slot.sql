-- Writes what the queue of a semaphore keeps of a member, new or not. The texts of hints stay as long as their times.
-- Input: the columns in this order. Output: none. Cost: O(log members), one row, both indexes.
INSERT INTO slots (
  group_id, incarnation, held, want, seq, head, since_ms, tier, reported_ms, offered_ms, asked_ms, asked, held_since_ms
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (group_id, incarnation) DO UPDATE SET
  held = excluded.held, want = excluded.want, seq = excluded.seq, head = excluded.head, since_ms = excluded.since_ms,
  tier = excluded.tier, reported_ms = excluded.reported_ms, offered_ms = excluded.offered_ms, asked_ms = excluded.asked_ms,
  asked = excluded.asked, held_since_ms = excluded.held_since_ms,
  offer = iif(excluded.offered_ms IS NULL, NULL, offer), ask = iif(excluded.asked_ms IS NULL, NULL, ask)
