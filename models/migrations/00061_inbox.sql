-- The inbox of those who answer customers: who a ticket is assigned to, since
-- when its customer waits, and what staff note among themselves. Every filter of
-- it, alone and together, is one walk of an index.

-- +goose Up

-- waits_since is when the first message that nobody has answered came: whoever
-- writes again keeps their place. desk is whose the ticket is, all zeros while
-- it is nobody's, so that both are walked alike. turn_at is its place in the
-- queue: who waits stands there since they do, whom we answered when their ticket
-- would close by itself, which is later than any of those.
ALTER TABLE tickets
  ADD COLUMN assignee_id uuid REFERENCES users,
  ADD COLUMN assigned_at timestamptz,
  ADD COLUMN waits_since timestamptz,
  ADD COLUMN desk uuid NOT NULL GENERATED ALWAYS AS (coalesce(assignee_id, '00000000-0000-0000-0000-000000000000')) STORED,
  ADD COLUMN turn_at timestamptz NOT NULL GENERATED ALWAYS AS (coalesce(closed_at, closes_at, waits_since, created_at)) STORED,
  ADD CHECK ((assignee_id IS NULL) = (assigned_at IS NULL));
UPDATE tickets t SET waits_since = coalesce((SELECT min(m.created_at) FROM ticket_messages m WHERE m.ticket_id = t.id AND m.author = 'customer'
    AND m.id > coalesce((SELECT max(s.id) FROM ticket_messages s WHERE s.ticket_id = t.id AND s.author = 'staff'), 0)), t.updated_at)
  WHERE status <> 'closed' AND awaits = 'staff';

DROP INDEX tickets_by_status;
CREATE INDEX tickets_by_subject          ON tickets (subject, created_at DESC, id DESC);
CREATE INDEX tickets_by_desk             ON tickets (desk, created_at DESC, id DESC);
CREATE INDEX tickets_by_desk_and_subject ON tickets (desk, subject, created_at DESC, id DESC);
CREATE INDEX tickets_turn                ON tickets (status, turn_at, id);
CREATE INDEX tickets_turn_by_subject     ON tickets (status, subject, turn_at, id);
CREATE INDEX tickets_turn_by_desk        ON tickets (status, desk, turn_at, id);
CREATE INDEX tickets_turn_by_both        ON tickets (status, desk, subject, turn_at, id);

-- What staff noted about a ticket, which its customer never sees; its text goes
-- with the customer's records, as that of other notes.
CREATE TABLE ticket_notes (
  id         uuid PRIMARY KEY,
  ticket_id  uuid NOT NULL REFERENCES tickets,
  author_id  uuid NOT NULL REFERENCES users,
  body       text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_now(),
  erased_at  timestamptz,
  CHECK ((erased_at IS NULL) = (body <> ''))
);
CREATE INDEX ticket_notes_by_ticket ON ticket_notes (ticket_id, created_at, id);
GRANT SELECT, INSERT ON ticket_notes TO tradepost_app;
GRANT UPDATE (body, erased_at) ON ticket_notes TO tradepost_app;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON ticket_notes FOR EACH ROW EXECUTE FUNCTION only_erase_note();

-- Counted once more, for staff: by status, subject and desk.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION tally_ticket() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO tally_changes VALUES ('tickets', NEW.user_id, NEW.status, 1, 0), ('inbox', NULL, NEW.status || '/' || NEW.subject || '/' || NEW.desk, 1, 0);
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO tally_changes VALUES ('tickets', OLD.user_id, OLD.status, -1, 0), ('inbox', NULL, OLD.status || '/' || OLD.subject || '/' || OLD.desk, -1, 0);
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
DROP TRIGGER tally_changed ON tickets;
CREATE TRIGGER tally_changed AFTER UPDATE ON tickets FOR EACH ROW
  WHEN (OLD.status IS DISTINCT FROM NEW.status OR OLD.user_id IS DISTINCT FROM NEW.user_id OR OLD.desk IS DISTINCT FROM NEW.desk)
  EXECUTE FUNCTION tally_ticket();
INSERT INTO tally_changes SELECT 'inbox', NULL, status || '/' || subject || '/' || desk, count(*), 0 FROM tickets GROUP BY 3;

-- +goose Down
-- There is no way down: who answers whom, and what was noted, would be lost.
SELECT 1;
