-- One request to a bucket. Port of takeUnits of @dt/core's keyed/buckets.ts.

-- The bucket and the answer after a request: the limit in force, slots, hits, what the process holds, and what it takes
-- (K3 to K9). Where the answer has a refusal the bucket means nothing.
-- p_head: the limit record, looked at for a request with stored.
CREATE OR REPLACE FUNCTION {schema}.dt_bucket_serve(
  INOUT s {schema}.dt_bucket, r {schema}.dt_bucket_request, p_clock_ms float8, p_head {schema}.dt_limit_head, OUT a {schema}.dt_bucket_answer
) LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  used_ms float8 := s.last_ms;
  agreed record;
  taken record;
  h {schema}.dt_bucket_hold;
  own integer := 0;
  since_ms float8;
BEGIN
  a.place := r.place;
  a.granted := 0;
  a.first_ms := 0;
  a.wait_ms := 0;
  a.in_hand := 0;
  IF r.stored AND p_head.fault IS NOT NULL THEN
    a.refusal := 'record';
    a.fault := p_head.fault;
    RETURN;
  END IF;
  a.fault := {schema}.dt_bucket_fault(s);
  IF a.fault IS NOT NULL THEN
    a.refusal := 'row';
    RETURN;
  END IF;
  s := {schema}.dt_bucket_advance(s, p_clock_ms);
  IF r.hold_id IS NOT NULL THEN
    FOR i IN 1 .. cardinality(s.holds) LOOP
      h := s.holds[i];
      IF h.id = r.hold_id THEN
        own := i;
        EXIT;
      END IF;
    END LOOP;
  END IF;
  IF own > 0 AND r.seq <= h.seq THEN
    -- A repeat is answered the same, and one that comes after a newer one nothing (K7).
    IF r.seq = h.seq THEN
      a.granted := h.granted;
      a.first_ms := CASE WHEN h.granted > 0 THEN h.first_ms ELSE 0 END;
      a.wait_ms := h.wait_ms;
      a.limited_by := CASE WHEN h.wait_ms > 0 THEN CASE WHEN h.busy THEN 'concurrent' ELSE 'rate' END END;
    END IF;
  ELSE
    IF r.max IS NOT NULL THEN
      agreed := {schema}.dt_bucket_put_in_force(s, r, used_ms, p_head);
      s := agreed.s;
      a.refusal := agreed.refusal;
      a.fault := CASE WHEN a.refusal = 'record' THEN {schema}.dt_limit_fault(p_head.numbers) END;
    END IF;
    IF r.release IS NOT NULL OR r.renew IS NOT NULL THEN
      s.slots := {schema}.dt_bucket_keep_slots(s, r);
    END IF;
    IF r.hits_by IS NOT NULL THEN
      s := {schema}.dt_bucket_count_hits(s, r.hits_window_ms, r.hits_by);
    END IF;
    IF own > 0 THEN
      since_ms := {schema}.dt_bucket_waits_since(h);
      s := {schema}.dt_bucket_report(s, r, own);
    END IF;
    IF r.cost IS NOT NULL AND s.max > 0 THEN
      taken := {schema}.dt_bucket_take(s, r, own, since_ms);
      s := taken.s;
      a.granted := taken.granted;
      a.first_ms := taken.first_ms;
      a.wait_ms := taken.wait_ms;
      a.limited_by := taken.limited_by;
      IF own = 0 AND r.hold_id IS NOT NULL AND (a.granted > 0 OR r.max_wait_ms > 0) THEN
        own := cardinality(s.holds);
      END IF;
    END IF;
  END IF;
  IF own > 0 THEN
    a.in_hand := (s.holds[own]).units;
  END IF;
  IF cardinality(r.renew) > 0 THEN
    a.lost := ARRAY(
      SELECT w.place FROM unnest(r.renew) WITH ORDINALITY AS w(id, place)
      WHERE NOT EXISTS (SELECT FROM unnest(s.slots) x WHERE x.id = w.id) ORDER BY w.place
    );
  END IF;
  a.max := s.max;
  a.window_ms := s.window_ms;
  a.burst := s.burst;
  a.concurrent := s.concurrent;
  a.every_ms := CASE WHEN s.max > 0 THEN s.window_ms / s.max ELSE 0 END;
  a.remaining := CASE WHEN s.max > 0 THEN s.burst - s.used ELSE 0 END;
  a.reset_ms := s.used * a.every_ms;
  a.in_flight := cardinality(s.slots);
  a.hits := CASE WHEN s.hits_until_ms > s.last_ms THEN s.hits ELSE 0 END;
  a.hits_reset_ms := greatest(0, s.hits_until_ms - s.last_ms);
  a.store_time_ms := s.last_ms;
END $$;
