-- The table of dead letters. json rather than jsonb: it keeps every record as it is, also one with \u0000 in it.
CREATE TABLE IF NOT EXISTS $table (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT now(),
  kind text NOT NULL,
  input json NOT NULL,
  output json,
  error text
)
