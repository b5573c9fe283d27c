-- What runs beside orders stands by itself, and when each last succeeded is kept, so
-- that somebody outside can see that it does not. Ages are real time: an offset of the
-- clock, which local mode alone has, makes nothing old.

-- +goose Up
CREATE TABLE chores (
  name            text PRIMARY KEY,
  created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
  last_started_at timestamptz,
  last_done_at    timestamptz,
  last_error      text, -- of the last run; none when it succeeded
  progress        bigint NOT NULL DEFAULT 0, -- rows taken on in the last run
  held_until      timestamptz -- while a process carries it out; it may have died
);
GRANT SELECT, INSERT, UPDATE ON chores TO tradepost_app;

-- When a backup was put back. What was made before may have been sent after it.
CREATE TABLE restores (at timestamptz NOT NULL DEFAULT clock_now());
GRANT SELECT, INSERT ON restores TO tradepost_app;
INSERT INTO restores SELECT at FROM audit_log WHERE action = 'backup_restored';

-- Folds at most so many changes: however many there are, each call ends soon.
-- +goose StatementBegin
CREATE FUNCTION fold_tallies(most int) RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = public AS $$
  WITH gone AS (DELETE FROM tally_changes WHERE ctid = ANY(ARRAY(SELECT ctid FROM tally_changes LIMIT most)) RETURNING *),
  sums AS (
    SELECT list, owner, facet, sum(n) AS n, sum(amount) AS amount FROM gone WHERE owner IS NOT NULL GROUP BY list, owner, facet
    UNION ALL
    SELECT list, '00000000-0000-0000-0000-000000000000', facet, sum(n), sum(amount) FROM gone GROUP BY list, facet
  ),
  kept AS (
    INSERT INTO tallies AS t SELECT list, owner, facet, n, amount FROM sums ORDER BY list, owner, facet
    ON CONFLICT (list, owner, facet) DO UPDATE SET n = t.n + excluded.n, amount = t.amount + excluded.amount
  )
  SELECT count(*) FROM gone
$$;
-- +goose StatementEnd

CREATE INDEX mails_given_up ON mails (given_up_at) WHERE given_up_at IS NOT NULL;

-- +goose Down
DROP INDEX mails_given_up;
DROP FUNCTION fold_tallies(int);
DROP TABLE restores;
DROP TABLE chores;
