-- Refunds that one person may not make alone: proposals that a second one
-- approves; and what staff note about an order.

-- +goose Up

CREATE TABLE order_proposals (
  id           uuid PRIMARY KEY,
  order_id     uuid NOT NULL REFERENCES orders,
  kind         text NOT NULL CHECK (kind IN ('refund', 'mark_sent')),
  amount       numeric(38,0) NOT NULL CHECK (amount > 0), -- cents
  ends         boolean NOT NULL,     -- the order is over by it
  order_status text NOT NULL,        -- as it was proposed: what was looked at
  data         jsonb NOT NULL DEFAULT '{}',
  reason       text NOT NULL CHECK (reason <> ''),
  proposed_by  uuid NOT NULL REFERENCES users,
  created_at   timestamptz NOT NULL DEFAULT clock_now(),
  status       text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'approved', 'rejected', 'withdrawn', 'lapsed')),
  decided_by   uuid REFERENCES users,
  decided_at   timestamptz,
  answer       text NOT NULL DEFAULT '', -- why it was rejected or withdrawn
  decision_id  uuid REFERENCES decisions,
  CHECK ((status = 'open') = (decided_at IS NULL)),
  -- four eyes, also where the program is wrong
  CHECK (status NOT IN ('approved', 'rejected') OR decided_by IS NOT NULL AND decided_by <> proposed_by),
  CHECK (status <> 'withdrawn' OR decided_by = proposed_by),
  CHECK ((status = 'approved') = (decision_id IS NOT NULL))
);
CREATE UNIQUE INDEX order_proposals_one_open ON order_proposals (order_id) WHERE status = 'open';
CREATE INDEX order_proposals_by_order ON order_proposals (order_id, created_at);
CREATE INDEX order_proposals_waiting ON order_proposals (created_at) WHERE status = 'open';
-- What was decided about an order: read with every page of one, and by every
-- further decision.
CREATE INDEX decisions_by_order ON decisions (order_id, created_at);
GRANT SELECT, INSERT ON order_proposals TO tradepost_app;
GRANT UPDATE (status, decided_by, decided_at, answer, decision_id) ON order_proposals TO tradepost_app;

-- Never changed; the text goes with the customer's records.
CREATE TABLE order_notes (
  id         uuid PRIMARY KEY,
  order_id   uuid NOT NULL REFERENCES orders,
  author_id  uuid NOT NULL REFERENCES users,
  body       text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT clock_now(),
  erased_at  timestamptz,
  CHECK ((erased_at IS NULL) = (body <> ''))
);
CREATE INDEX order_notes_by_order ON order_notes (order_id, created_at DESC, id DESC);
GRANT SELECT, INSERT ON order_notes TO tradepost_app;
GRANT UPDATE (body, erased_at) ON order_notes TO tradepost_app;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON order_notes FOR EACH ROW EXECUTE FUNCTION only_erase_note();

-- +goose Down
-- There is no way down: who agreed to what would be lost. Restore a backup.
SELECT 1;
