-- Parts of a cent at the exchange, whose dollars are finer than ours. Each line of
-- a statement keeps what its rounded amount leaves out; what has added up to whole
-- base units is booked.

-- +goose Up
INSERT INTO accounts (code, kind, protected) VALUES ('rounding', 'income', false);

ALTER TABLE statement_lines ADD COLUMN rest numeric NOT NULL DEFAULT 0; -- exact less amount, in base units
GRANT UPDATE (rest) ON statement_lines TO tradepost_app;

CREATE TABLE statement_rests (
  holder   text NOT NULL,
  currency text NOT NULL,
  rest     numeric NOT NULL,                 -- of all lines
  booked   numeric(38,0) NOT NULL DEFAULT 0, -- the whole part of it that was booked
  bookings int NOT NULL DEFAULT 0,           -- how often: each is a group of postings
  PRIMARY KEY (holder, currency)
);
GRANT SELECT, INSERT, UPDATE ON statement_rests TO tradepost_app;

-- What was bought since the statement was read has parts of a cent that are not
-- told yet.
CREATE INDEX exchange_orders_by_done ON exchange_orders (done_at) WHERE done_at IS NOT NULL;

-- +goose Down
-- There is no way down: the account has postings. Restore a backup.
SELECT 1;
