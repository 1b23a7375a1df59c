-- inspect of permits: what is known of a key, changing nothing. A statement of its own, and no function.
-- Input  {key}
-- Output of the key's row the theoretical arrival time, the time of the last use, the terms and the end of a pause;
--        the key's time now, and what counts then (P13); the copy of the limit record (P16). No row when there is no
--        such key. Refuses a row with times that are none
-- Cost   O(what the key has). One statement, so that all of it is of one moment
SELECT
  s.tat_ms, s.last_ms, s.terms, s.former_terms, s.paused_until_ms, s.now_ms,
  (SELECT count(*) FROM {schema}.dt_permit p WHERE p.key_id = s.key_id AND p.forget_at_ms > s.now_ms) AS known,
  (SELECT count(*) FROM {schema}.dt_permit_freed f WHERE f.key_id = s.key_id AND f.at_ms >= greatest(s.now_ms, s.paused_until_ms)) AS freed,
  (SELECT count(*) FROM {schema}.dt_permit_queue l WHERE l.key_id = s.key_id AND l.place >= s.queue_from AND l.until_ms > s.now_ms) AS waiting,
  s.checked, s.stored_revision, s.stored_every_ms, s.stored_burst
FROM (
  SELECT r.*, ({schema}.dt_permit_advance(r)).last_ms AS now_ms, {schema}.dt_permit_check(r, {key}) AS checked
  FROM {schema}.dt_permit_state r
  WHERE r.key_id = (SELECT k.id FROM {schema}.dt_permit_key k WHERE k.name = {key} COLLATE "C")
  ORDER BY r.turn DESC LIMIT 1
) s
