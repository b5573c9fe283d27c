-- What Temporal knew of an order, kept: it forgets a workflow some time after
-- its end.

-- +goose Up

-- One row a run of a workflow, as Temporal tells it (JSON, gzipped).
CREATE TABLE histories (
  workflow_id   text NOT NULL,
  run_id        text NOT NULL,
  order_id      uuid NOT NULL REFERENCES orders,
  workflow_type text NOT NULL,
  events        int NOT NULL,
  started_at    timestamptz NOT NULL,
  closed_at     timestamptz NOT NULL,
  archived_at   timestamptz NOT NULL DEFAULT clock_now(),
  zipped        bytea NOT NULL,
  PRIMARY KEY (workflow_id, run_id)
);
ALTER TABLE histories ALTER COLUMN zipped SET STORAGE EXTERNAL; -- compressed already
CREATE INDEX histories_by_order ON histories (order_id, started_at);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON histories
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();
GRANT SELECT, INSERT ON histories TO tradepost_app;

-- Closed orders whose runs are to be kept: anew with each change after the
-- close, since a refund or a dispute has a workflow of its own.
CREATE TABLE histories_due (
  order_id uuid PRIMARY KEY REFERENCES orders,
  due_at   timestamptz NOT NULL
);
CREATE INDEX histories_due_at ON histories_due (due_at);
GRANT SELECT, UPDATE, DELETE ON histories_due TO tradepost_app;

-- +goose StatementBegin
CREATE FUNCTION queue_history() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO histories_due VALUES (NEW.id, clock_now()) ON CONFLICT (order_id) DO UPDATE SET due_at = excluded.due_at;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER queue_history AFTER UPDATE ON orders FOR EACH ROW WHEN (NEW.closed_at IS NOT NULL) EXECUTE FUNCTION queue_history();

INSERT INTO histories_due SELECT id, clock_now() FROM orders WHERE closed_at IS NOT NULL;

-- +goose Down
DROP TRIGGER queue_history ON orders;
DROP FUNCTION queue_history;
DROP TABLE histories_due, histories;
