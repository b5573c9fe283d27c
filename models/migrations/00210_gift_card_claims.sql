-- Claims on customers for gift cards that were found used after we paid for them: what they lost by it, and what the
-- card's buyer took back of the proceeds. A card is claimed once, and a claim is reversed once; with the reversal the buyer may have paid more
-- than they took back, up to the approved value of the card.

-- +goose Up
CREATE TABLE gift_card_claims (
  card_id            uuid PRIMARY KEY REFERENCES gift_cards,
  user_id            uuid NOT NULL REFERENCES users,
  amount             numeric(38,0) NOT NULL CHECK (amount > 0),
  owed               numeric(38,0) NOT NULL CHECK (owed >= 0 AND owed <= amount),
  reason             text NOT NULL CHECK (reason <> ''),
  created_at         timestamptz NOT NULL DEFAULT clock_now(),
  taken_back         numeric(38,0) NOT NULL CHECK (taken_back >= 0),
  bank_reference     text,
  reversed_at        timestamptz,
  reversal_reason    text,
  returned           numeric(38,0) CHECK (returned >= 0),
  returned_reference text,
  CHECK ((taken_back > 0) = (bank_reference IS NOT NULL)),
  CHECK ((reversed_at IS NULL) = (reversal_reason IS NULL)),
  CHECK ((reversed_at IS NULL) = (returned IS NULL)),
  CHECK ((coalesce(returned, 0) > 0) = (returned_reference IS NOT NULL))
);
CREATE INDEX gift_card_claims_by_user ON gift_card_claims (user_id, created_at);
CREATE INDEX gift_card_claims_by_time ON gift_card_claims (created_at);
CREATE UNIQUE INDEX gift_card_claims_bank_reference ON gift_card_claims (lower(bank_reference));
CREATE UNIQUE INDEX gift_card_claims_returned_reference ON gift_card_claims (lower(returned_reference));
CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON gift_card_claims
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();
GRANT SELECT, INSERT ON gift_card_claims TO tradepost_app;
GRANT UPDATE (reason, reversed_at, reversal_reason, returned, returned_reference) ON gift_card_claims TO tradepost_app;

-- +goose Down
DROP TABLE gift_card_claims;
