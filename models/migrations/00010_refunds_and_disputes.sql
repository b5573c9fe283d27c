-- Refunds of a part and after delivery, each with a workflow of its own;
-- disputes with what moved on our account, and our answer.

-- +goose Up

ALTER TABLE refunds
  -- who carries it: the order's workflow (all that is left, before delivery),
  -- one of its own, or nobody (made at the provider, or booked at once)
  ADD carrier             text NOT NULL DEFAULT 'order' CHECK (carrier IN ('order', 'own', 'none')),
  -- the account that bore it: the debt to the customer, or our goodwill
  ADD booked_to           text REFERENCES accounts (code),
  ADD failure_code        text,
  ADD workflow_started_at timestamptz,
  ADD swept_at            timestamptz,
  ADD CHECK (status IN ('requested', 'pending', 'succeeded', 'failed'));
UPDATE refunds SET booked_to = 'prepaid_orders' WHERE status = 'succeeded';
-- One of ours is under way at a time, so that two can never give back more
-- than there is.
CREATE UNIQUE INDEX refunds_one_open ON refunds (order_id) WHERE done_at IS NULL AND origin = 'ours';
CREATE INDEX refunds_unfinished ON refunds (created_at) WHERE done_at IS NULL;

ALTER TABLE disputes
  ADD sequence            int NOT NULL,
  ADD withdrawn           numeric(38,0) NOT NULL DEFAULT 0 CHECK (withdrawn >= 0),
  ADD reinstated          numeric(38,0) NOT NULL DEFAULT 0 CHECK (reinstated >= 0),
  -- cents of a lost dispute that paid the debt of an undelivered order
  ADD settled             numeric(38,0) NOT NULL DEFAULT 0 CHECK (settled >= 0),
  ADD answer              text CHECK (answer IN ('contest', 'accept')),
  ADD answer_generation   int NOT NULL DEFAULT 1,
  ADD answered_at         timestamptz,
  ADD workflow_started_at timestamptz,
  ADD swept_at            timestamptz,
  ADD CHECK (status IN ('open', 'under_review', 'won', 'lost')),
  ADD UNIQUE (order_id, sequence);

-- How far a list at a provider was read, so that what no notice told is found.
CREATE TABLE polls (
  name      text PRIMARY KEY,
  read_to   timestamptz NOT NULL,
  polled_at timestamptz NOT NULL
);
GRANT SELECT, INSERT, UPDATE ON polls TO tradepost_app;

-- +goose Down
DROP TABLE polls;
ALTER TABLE disputes DROP COLUMN sequence, DROP COLUMN withdrawn, DROP COLUMN reinstated, DROP COLUMN settled, DROP COLUMN answer,
  DROP COLUMN answer_generation, DROP COLUMN answered_at, DROP COLUMN workflow_started_at, DROP COLUMN swept_at,
  DROP CONSTRAINT disputes_status_check;
DROP INDEX refunds_one_open, refunds_unfinished;
ALTER TABLE refunds DROP COLUMN carrier, DROP COLUMN booked_to, DROP COLUMN failure_code, DROP COLUMN workflow_started_at, DROP COLUMN swept_at,
  DROP CONSTRAINT refunds_status_check;
