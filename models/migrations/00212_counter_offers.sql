-- A card that is worth less than its customer entered is a counter-offer: they accept it, or it is declined.

-- +goose Up
ALTER TABLE gift_cards ADD COLUMN offer_until timestamptz; -- until when it can be accepted
ALTER TABLE gift_cards DROP CONSTRAINT gift_cards_status_check;
ALTER TABLE gift_cards ADD CONSTRAINT gift_cards_status_check CHECK (status IN
  ('received', 'in_review', 'offered', 'approved', 'realised', 'rejected', 'declined', 'expired')) NOT VALID;
ALTER TABLE gift_cards ADD CONSTRAINT gift_cards_offer CHECK ((status = 'offered') = (offer_until IS NOT NULL)) NOT VALID;
ALTER TABLE gift_card_decisions DROP CONSTRAINT gift_card_decisions_kind_check;
ALTER TABLE gift_card_decisions ADD CONSTRAINT gift_card_decisions_kind_check
  CHECK (kind IN ('approve', 'reject', 'realise', 'accept', 'decline')) NOT VALID;

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION trade_state(kind text, status text, resolution text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN CASE kind || ' ' || status
    WHEN 'order pending' THEN 'pending' WHEN 'order sent' THEN 'completed'
    WHEN 'order failed' THEN CASE WHEN resolution IN ('declined', 'cancelled', 'expired') THEN 'cancelled' ELSE 'failed' END
    WHEN 'gift_card received' THEN 'pending' WHEN 'gift_card in_review' THEN 'pending' WHEN 'gift_card offered' THEN 'pending'
    WHEN 'gift_card approved' THEN 'completed' WHEN 'gift_card realised' THEN 'completed'
    WHEN 'gift_card rejected' THEN 'failed' WHEN 'gift_card expired' THEN 'cancelled' WHEN 'gift_card declined' THEN 'cancelled'
    WHEN 'voucher accepted' THEN 'pending' WHEN 'voucher fulfilling' THEN 'pending' WHEN 'voucher filled' THEN 'pending'
    WHEN 'voucher sent' THEN 'completed' WHEN 'voucher restored' THEN 'cancelled'
    WHEN 'payout requested' THEN 'pending' WHEN 'payout approved' THEN 'pending' WHEN 'payout paid' THEN 'completed'
    WHEN 'payout rejected' THEN 'failed' WHEN 'payout returned' THEN 'failed' WHEN 'payout cancelled' THEN 'cancelled'
    WHEN 'refund requested' THEN 'pending' WHEN 'refund pending' THEN 'pending'
    WHEN 'refund succeeded' THEN 'completed' WHEN 'refund failed' THEN 'failed'
    ELSE 'payment_processing' END;
END $$;
-- +goose StatementEnd

-- +goose Down
-- There is no way down: open offers and the answers of customers would be lost.
SELECT 1;
