-- Buckets that mean nothing any more are removed by the calls that come later.

-- Removes some: twice as many as the call had requests, and 500 at least, while there are so many. One call at a time
-- does it, and where there are no more none looks for a second. No call waits for it: what others lock is passed over.
-- Cost: a look-up by key, and for each bucket O(log n).
CREATE OR REPLACE FUNCTION {schema}.dt_bucket_sweep(p_requests integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  clock_ms float8 := {schema}.dt_clock_ms();
  most integer := greatest(500, 2 * p_requests);
  w {schema}.dt_bucket_sweep;
  gone integer;
  last_gone_ms float8;
BEGIN
  SELECT * INTO w FROM {schema}.dt_bucket_sweep ORDER BY turn DESC LIMIT 1;
  IF w.turn IS NULL THEN
    -- The table was emptied.
    INSERT INTO {schema}.dt_bucket_sweep VALUES (0, 0, 0, 0, 0) ON CONFLICT (turn) DO NOTHING;
    RETURN;
  END IF;
  -- The server's clock may have been set back.
  IF clock_ms < w.next_ms AND w.next_ms <= clock_ms + 1000 THEN
    RETURN;
  END IF;
  PERFORM FROM {schema}.dt_bucket_sweep WHERE turn = w.turn AND writes = w.writes FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  IF clock_ms >= w.anew_ms OR clock_ms < w.swept_ms THEN
    w.swept_ms := 0;
    w.anew_ms := clock_ms + 60000;
  END IF;
  WITH swept AS (
    DELETE FROM {schema}.dt_bucket WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM {schema}.dt_bucket WHERE keep_until_ms >= w.swept_ms AND keep_until_ms <= clock_ms
      ORDER BY keep_until_ms LIMIT most FOR UPDATE SKIP LOCKED
    )) RETURNING keep_until_ms
  ) SELECT count(*), max(keep_until_ms) INTO gone, last_gone_ms FROM swept;
  UPDATE {schema}.dt_bucket_sweep SET
    turn = (w.writes + 1) / 256, writes = w.writes + 1, anew_ms = w.anew_ms,
    next_ms = CASE WHEN gone < most THEN clock_ms + 1000 ELSE clock_ms END,
    swept_ms = CASE WHEN gone < most THEN clock_ms ELSE last_gone_ms END
  WHERE turn = w.turn;
END $$;
