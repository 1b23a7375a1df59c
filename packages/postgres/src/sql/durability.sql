-- Whether this statement's commit waits for the disk. The group stays locked while it waits, so a group could take only
-- one heartbeat per flush otherwise. What the promise rests on (raises, memberships, generations) does wait, also where
-- the server's default is not to. Losing anything else is safe: it is lost in order, so nothing that waited depends on
-- it; a lowering that is lost leaves more recorded as held than is in use; for heartbeats that are lost, and for what
-- members said they used, dt_recovered makes up.
CREATE OR REPLACE FUNCTION {schema}.dt_durability(p_durable boolean) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  ignored text;
BEGIN
  IF NOT p_durable THEN
    ignored := set_config('synchronous_commit', 'off', true);
  ELSIF current_setting('synchronous_commit') = 'off' THEN
    ignored := set_config('synchronous_commit', 'on', true);
  END IF;
END $$;
