-- What says which migrations have run. The first statement of each migration is the row that says so: of several
-- processes that migrate at the same time one inserts it, and the others fail there and see that it is done.
CREATE TABLE IF NOT EXISTS {schema}.dt_version (
  version integer PRIMARY KEY,
  applied_at timestamptz NOT NULL DEFAULT now()
);
-- The oldest version whose processes work with this one as well; null for those of which that was not known yet.
ALTER TABLE {schema}.dt_version ADD COLUMN IF NOT EXISTS works_from integer;
