-- What arrived for an order beyond its price: held while its customer can choose, then credited; or on its way back to
-- its sender, as unplaced money that is neither placed nor credited.

-- +goose Up
CREATE TABLE surpluses (
  id          uuid PRIMARY KEY,
  order_id    uuid NOT NULL REFERENCES orders,
  receipt_id  uuid NOT NULL REFERENCES receipts, -- by which more than the price had arrived
  amount      numeric(38,0) NOT NULL CHECK (amount >= 0), -- what is left of it, in cents
  held_until  timestamptz NOT NULL,
  staff_only  text CHECK (staff_only IN ('two_above', 'large', 'other_payer', 'restored')), -- why it is never credited
  chosen      text CHECK (chosen IN ('credit', 'return')), -- by the customer
  chosen_at   timestamptz,
  outcome     text CHECK (outcome IN ('credited', 'returned', 'reversed')),
  unplaced_id uuid UNIQUE REFERENCES unplaced_money, -- which returns it to its sender
  created_at  timestamptz NOT NULL DEFAULT clock_now(),
  settled_at  timestamptz,
  CHECK ((chosen IS NULL) = (chosen_at IS NULL)),
  CHECK ((outcome IS NULL) = (settled_at IS NULL)),
  CHECK ((outcome IS NOT DISTINCT FROM 'returned') = (unplaced_id IS NOT NULL)),
  CHECK (outcome IS DISTINCT FROM 'credited' OR staff_only IS NULL),
  CHECK ((outcome IS NOT DISTINCT FROM 'reversed') = (amount = 0))
);
CREATE UNIQUE INDEX surpluses_held ON surpluses (order_id) WHERE outcome IS NULL;
CREATE INDEX surpluses_by_order ON surpluses (order_id, created_at);
CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON surpluses
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();

-- +goose Down
-- There is no way down: what customers chose about their money would be lost.
SELECT 1;
