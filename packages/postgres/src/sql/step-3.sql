-- From version 2 to 3. The tables that statements use are locked first, in the order in which statements do, so that none meets this in the middle.
LOCK TABLE {schema}.dt_group, {schema}.dt_ledger, {schema}.dt_member IN ACCESS EXCLUSIVE MODE;

-- What is true of the data as a whole; one row.
CREATE TABLE {schema}.dt_data (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  -- Part of the names of channels: whoever may connect to the database may NOTIFY any channel, but has to know its name.
  hint_secret text NOT NULL DEFAULT md5(random()::text || random()::text || random()::text || random()::text)
);
