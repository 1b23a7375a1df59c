-- inspect of a bucket: its row, changing nothing. A statement of its own, and no function.
-- Input  {name}, {key}
-- Output the row as @dt/core's bucket-codec.ts writes it, and the server's time (K13). No row when there is no such
--        bucket
-- Cost   one look-up by key
SELECT
  json_build_array(
    'f1',
    json_build_array(
      b.last_ms, b.offset_ms, b.max, b.window_ms, b.burst, b.concurrent, b.used, b.hits, b.hits_until_ms
    ),
    ARRAY(SELECT json_build_array(h.id, h.seq, h.spent, h.units, h.until_ms, h.granted, h.first_ms, h.wait_ms, h.busy) FROM unnest(b.holds) h),
    ARRAY(SELECT json_build_array(s.id, s.until_ms) FROM unnest(b.slots) s),
    b.former,
    CASE WHEN b.stored_revision IS NOT NULL THEN
      json_build_array(b.stored_revision, b.stored[1], b.stored[2], b.stored[3], b.stored[4], b.declared_ms)
    END,
    CASE WHEN b.stored_revision IS NOT NULL THEN b.declared END
  ),
  {schema}.dt_clock_ms()
FROM {schema}.dt_bucket b
WHERE b.name = {name} COLLATE "C" AND b.key = {key} COLLATE "C"
ORDER BY b.turn DESC LIMIT 1
