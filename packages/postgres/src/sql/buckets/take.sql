-- take: serves requests to buckets, each as a whole and by itself (K1).
-- Input  requests, a JSON list of dt_bucket_request; longest wait for the locks of their buckets in milliseconds
-- Output a dt_bucket_answer for each, in no order
-- Cost   for each request two look-ups by key, a third with stored, and one HOT update or one insert; O(what the bucket
--        has in hand, and slots); what is swept. Buckets are locked in the order of their names: calls never deadlock
CREATE OR REPLACE FUNCTION {schema}.dt_take(p_requests text, p_wait_ms integer)
RETURNS SETOF {schema}.dt_bucket_answer LANGUAGE plpgsql SET enable_seqscan TO off SET jit TO off AS $$
DECLARE
  began timestamptz := clock_timestamp();
  ignored text := set_config('lock_timeout', p_wait_ms::text, true);
  waited_ms float8;
  counted_ms float8 := 0;
  r {schema}.dt_bucket_request;
  s {schema}.dt_bucket;
  clock_ms float8;
  offset_before_ms float8;
  is_new boolean;
  head {schema}.dt_limit_head;
  served record;
  requests integer := 0;
  durable boolean := false;
BEGIN
  -- Most buckets are used by one call at a time: they are locked by the update alone, and looked at anew where another
  -- call was first.
  FOR r IN
    SELECT * FROM json_populate_recordset(NULL::{schema}.dt_bucket_request, p_requests::json) ORDER BY name, key, place
  LOOP
    requests := requests + 1;
    FOR attempt IN 1 .. 6 LOOP
      IF attempt = 6 THEN
        RAISE EXCEPTION 'bucket % of % was created, and was gone again, five times', r.key, r.name USING ERRCODE = 'DT001';
      END IF;
      -- All waits together are no longer than the caller's.
      waited_ms := date_part('epoch', clock_timestamp() - began) * 1000;
      IF waited_ms > counted_ms + 10 THEN
        counted_ms := waited_ms;
        ignored := set_config('lock_timeout', greatest(1, p_wait_ms - floor(waited_ms))::text, true);
      END IF;
      IF attempt = 1 THEN
        SELECT * INTO s FROM {schema}.dt_bucket WHERE name = r.name AND key = r.key ORDER BY turn DESC LIMIT 1;
      ELSE
        SELECT * INTO s FROM {schema}.dt_bucket WHERE name = r.name AND key = r.key ORDER BY turn DESC LIMIT 1 FOR UPDATE;
      END IF;
      is_new := NOT FOUND;
      clock_ms := {schema}.dt_clock_ms();
      IF is_new THEN
        s := (r.name, r.key, 0, 0, clock_ms, 0, 0, 0, 0, 0, 0, 0, 0, '{}', '{}', NULL, NULL, NULL, NULL, NULL, 0)::{schema}.dt_bucket;
      END IF;
      IF r.stored THEN
        head := {schema}.dt_limit_head('keyed', r.name, r.key, clock_ms);
      END IF;
      offset_before_ms := s.offset_ms;
      served := {schema}.dt_bucket_serve(s, r, clock_ms, head);
      s := served.s;
      EXIT WHEN (served.a).refusal IS NOT NULL OR {schema}.dt_bucket_put(s, is_new);
    END LOOP;
    -- What a crash must not forget: units and slots that were given, hits, and that the bucket's time went on.
    durable := durable OR coalesce(
      (served.a).granted > 0 OR r.keep > 0 OR r.renew IS NOT NULL OR r.hits_by > 0 OR s.offset_ms <> offset_before_ms, false
    );
    RETURN NEXT served.a;
  END LOOP;
  PERFORM {schema}.dt_bucket_sweep(requests);
  PERFORM {schema}.dt_durability(durable);
END $$;

-- Writes a bucket's row; false where another call wrote it since this one looked. Keeps the bucket for 20 s longer
-- than it is needed, so that the index of that time changes seldom; one that is new only for as long as it is needed,
-- since most are used once.
CREATE OR REPLACE FUNCTION {schema}.dt_bucket_put(s {schema}.dt_bucket, p_is_new boolean) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  needed_ms float8 := {schema}.dt_bucket_needed_ms(s);
BEGIN
  IF p_is_new THEN
    s.keep_until_ms := needed_ms;
    INSERT INTO {schema}.dt_bucket SELECT s.* ON CONFLICT (name, key, turn) DO NOTHING;
    IF NOT FOUND THEN
      RETURN false;
    END IF;
    -- Another call may have made it, and used it until its turn moved on, since this one looked.
    IF EXISTS (SELECT FROM {schema}.dt_bucket WHERE name = s.name AND key = s.key AND turn > 0) THEN
      DELETE FROM {schema}.dt_bucket WHERE name = s.name AND key = s.key AND turn = 0;
      RETURN false;
    END IF;
    RETURN true;
  END IF;
  IF s.keep_until_ms < needed_ms THEN
    s.keep_until_ms := needed_ms + 20000;
  END IF;
  UPDATE {schema}.dt_bucket SET
    turn = (s.writes + 1) / 256, writes = s.writes + 1, last_ms = s.last_ms, offset_ms = s.offset_ms, max = s.max, window_ms = s.window_ms,
    burst = s.burst, concurrent = s.concurrent, former = s.former, used = s.used, hits = s.hits, hits_until_ms = s.hits_until_ms,
    holds = s.holds, slots = s.slots, stored_revision = s.stored_revision, stored = s.stored, declared = s.declared,
    declared_ms = s.declared_ms, keep_until_ms = s.keep_until_ms
  WHERE name = s.name AND key = s.key AND turn = s.turn AND writes = s.writes;
  RETURN FOUND;
END $$;
