-- Attestations: what rests on the statement of one member of staff (decision 56). models/dualcontrol writes them in the
-- transaction of the action, and decides by them who may release value.

-- +goose Up
CREATE TABLE attestations (
  id           uuid PRIMARY KEY,
  at           timestamptz NOT NULL DEFAULT clock_now(),
  kind         text NOT NULL CHECK (kind IN ('receipt', 'credit', 'card_value', 'payout_returned', 'refund', 'marked_sent', 'destination',
    'death', 'release', 'identity', 'batch', 'void', 'codes_exported', 'break', 'payout', 'pay_back', 'loosening')),
  by_id        uuid NOT NULL REFERENCES users (id),
  customer_id  uuid REFERENCES users (id),
  subject_kind text NOT NULL,
  subject_id   text NOT NULL,
  amount       numeric(38,0) CHECK (amount >= 0),
  source_kind  text NOT NULL,
  source_id    text NOT NULL,
  proposed     boolean NOT NULL DEFAULT false,
  credited_at  timestamptz,
  second_by    uuid REFERENCES users (id) CHECK (second_by <> by_id),
  second_at    timestamptz CHECK ((second_at IS NULL) = (second_by IS NULL)),
  withdrawn_at timestamptz
);
COMMENT ON COLUMN attestations.amount IS 'US cents';
COMMENT ON COLUMN attestations.proposed IS 'has no effect before a second person agrees';
COMMENT ON COLUMN attestations.credited_at IS 'when money of the subject was credited to the customer''s balance';
CREATE UNIQUE INDEX attestations_once ON attestations (source_kind, source_id, kind, subject_id, by_id);
CREATE INDEX attestations_by_subject ON attestations (subject_kind, subject_id) WHERE withdrawn_at IS NULL;
CREATE INDEX attestations_by_customer ON attestations (customer_id, kind, at) WHERE withdrawn_at IS NULL;
CREATE INDEX attestations_open ON attestations (greatest(at, credited_at), id) WHERE withdrawn_at IS NULL AND second_by IS NULL AND NOT proposed
  AND (kind IN ('credit', 'card_value', 'payout_returned', 'identity') OR kind IN ('receipt', 'refund') AND credited_at IS NOT NULL);
CREATE INDEX attestations_by_person ON attestations (by_id, at) WHERE withdrawn_at IS NULL;

-- +goose StatementBegin
CREATE FUNCTION keep_attestation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'UPDATE' OR (OLD.id, OLD.at, OLD.kind, OLD.by_id, OLD.customer_id, OLD.subject_kind, OLD.subject_id, OLD.amount, OLD.source_kind, OLD.source_id, OLD.proposed)
      IS DISTINCT FROM (NEW.id, NEW.at, NEW.kind, NEW.by_id, NEW.customer_id, NEW.subject_kind, NEW.subject_id, NEW.amount, NEW.source_kind, NEW.source_id, NEW.proposed)
    OR OLD.second_by IS NOT NULL AND NEW.second_by IS DISTINCT FROM OLD.second_by
    OR OLD.withdrawn_at IS NOT NULL AND NEW.withdrawn_at IS DISTINCT FROM OLD.withdrawn_at
    OR OLD.credited_at IS NOT NULL AND NEW.credited_at IS DISTINCT FROM OLD.credited_at THEN
    RAISE EXCEPTION 'attestations are append-only' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NEW;
END $$;
-- +goose StatementEnd
CREATE TRIGGER keep_attestation BEFORE UPDATE OR DELETE ON attestations FOR EACH ROW EXECUTE FUNCTION keep_attestation();
CREATE TRIGGER append_only BEFORE TRUNCATE ON attestations FOR EACH STATEMENT EXECUTE FUNCTION append_only();

-- What rests on one person's statement today. Receipts bar for good, so all of them are written; the rest bars, or counts, for
-- at most thirty days.
INSERT INTO attestations (id, at, kind, by_id, customer_id, subject_kind, subject_id, amount, source_kind, source_id)
SELECT gen_random_uuid(), d.created_at, 'receipt', d.actor_id, o.user_id, 'order', o.id, CAST(d.data->>'amount' AS numeric), 'decisions', d.id
  FROM decisions d JOIN orders o ON o.id = d.order_id
 WHERE d.kind = 'confirm_receipt' AND d.outcome IS DISTINCT FROM 'refused' AND coalesce(d.data->>'unplacedId', '') = ''
   AND NOT EXISTS (SELECT FROM order_proposals p WHERE p.decision_id = d.id);

INSERT INTO attestations (id, at, kind, by_id, customer_id, subject_kind, subject_id, amount, source_kind, source_id, proposed, second_by, second_at)
SELECT gen_random_uuid(), p.created_at, 'receipt', p.proposed_by, o.user_id, 'order', o.id, p.amount, 'order_proposals', p.id, true, p.decided_by, p.decided_at
  FROM order_proposals p JOIN orders o ON o.id = p.order_id LEFT JOIN decisions d ON d.id = p.decision_id
 WHERE p.kind = 'confirm_receipt' AND (p.status = 'open' OR p.status = 'approved' AND d.outcome IS DISTINCT FROM 'refused');

INSERT INTO attestations (id, at, kind, by_id, customer_id, subject_kind, subject_id, amount, source_kind, source_id, proposed, second_by, second_at)
SELECT gen_random_uuid(), d.created_at, 'receipt', w.by_id, o.user_id, 'order', o.id, u.amount, 'decisions', d.id, true,
       CASE WHEN w.by_id <> d.actor_id THEN d.actor_id END, CASE WHEN w.by_id <> d.actor_id THEN d.created_at END
  FROM decisions d JOIN orders o ON o.id = d.order_id JOIN unplaced_money u ON u.decision_id = d.id
 CROSS JOIN LATERAL (SELECT u.opened_by AS by_id UNION SELECT m.proposed_by FROM money_proposals m WHERE m.subject_id = u.id AND m.status = 'approved'
   UNION SELECT m.proposed_by FROM money_proposals m WHERE m.id = u.id UNION SELECT d.actor_id) w
 WHERE d.kind = 'confirm_receipt' AND d.outcome IS DISTINCT FROM 'refused'
ON CONFLICT DO NOTHING;

UPDATE attestations a SET credited_at = c.at
  FROM (SELECT p.order_id, min(p.at) AS at FROM postings p WHERE p.event IN ('money_left_over', 'refunded') AND p.to_account <> 'goodwill'
          AND p.from_account LIKE 'customer:%:balance' AND p.order_id IS NOT NULL GROUP BY p.order_id) c
 WHERE a.kind = 'receipt' AND a.subject_kind = 'order' AND a.subject_id = c.order_id::text;

INSERT INTO attestations (id, at, kind, by_id, customer_id, subject_kind, subject_id, amount, source_kind, source_id, second_by, second_at)
SELECT gen_random_uuid(), d.created_at, 'card_value', coalesce(d.first_by, d.actor_id), g.user_id, 'gift_card', g.id, coalesce(g.paid, d.amount), 'gift_card_decisions', d.id,
       CASE WHEN d.first_by IS NOT NULL THEN d.actor_id END, CASE WHEN d.first_by IS NOT NULL THEN d.created_at END
  FROM gift_card_decisions d JOIN gift_cards g ON g.id = d.card_id
 WHERE d.kind = 'approve' AND coalesce(d.outcome_code, 'done') = 'done' AND d.created_at > clock_now() - interval '30 days';

INSERT INTO attestations (id, at, kind, by_id, customer_id, subject_kind, subject_id, amount, source_kind, source_id, second_by, second_at)
SELECT gen_random_uuid(), d.created_at, 'payout_returned', coalesce(m.proposed_by, d.actor_id), p.user_id, 'payout', p.id, p.amount, 'matter_decisions', d.id,
       CASE WHEN m.id IS NOT NULL THEN d.actor_id END, CASE WHEN m.id IS NOT NULL THEN d.created_at END
  FROM matter_decisions d JOIN payouts p ON p.id = d.matter_id LEFT JOIN money_proposals m ON m.subject_id = p.id AND m.kind = 'return_payout' AND m.status = 'approved'
 WHERE d.matter = 'payout' AND d.kind = 'return' AND coalesce(d.outcome_code, 'done') = 'done' AND d.created_at > clock_now() - interval '30 days';

INSERT INTO attestations (id, at, kind, by_id, customer_id, subject_kind, subject_id, source_kind, source_id)
SELECT gen_random_uuid(), d.created_at, 'identity', d.actor_id, d.matter_id, 'identity', d.matter_id, 'matter_decisions', d.id
  FROM matter_decisions d JOIN kyc_records k ON k.user_id = d.matter_id
 WHERE d.matter = 'kyc' AND d.kind = 'approve' AND d.outcome_code = 'done' AND k.revoked_at IS NULL AND d.created_at > clock_now() - interval '30 days';

INSERT INTO attestations (id, at, kind, by_id, customer_id, subject_kind, subject_id, amount, source_kind, source_id)
SELECT gen_random_uuid(), d.created_at, CASE d.kind WHEN 'mark_sent' THEN 'marked_sent' ELSE 'refund' END, d.actor_id, o.user_id, 'order', o.id,
       CASE WHEN d.kind = 'mark_sent' THEN o.total ELSE coalesce(CAST(d.data->>'sum' AS numeric), CAST(d.data->>'amount' AS numeric), o.total) END, 'decisions', d.id
  FROM decisions d JOIN orders o ON o.id = d.order_id
 WHERE (d.kind = 'mark_sent' OR d.kind = 'refund' AND o.payment_method <> 'card') AND d.outcome IS DISTINCT FROM 'refused' AND d.created_at > clock_now() - interval '30 days'
   AND NOT EXISTS (SELECT FROM order_proposals p WHERE p.decision_id = d.id);

INSERT INTO attestations (id, at, kind, by_id, customer_id, subject_kind, subject_id, amount, source_kind, source_id)
SELECT gen_random_uuid(), v.closed_at, 'release', v.decided_by, v.user_id, CASE WHEN v.order_id IS NULL THEN 'redemption' ELSE 'order' END,
       coalesce(v.order_id, v.redemption_id), coalesce(o.total, r.base_price), 'risk_reviews', v.id
  FROM risk_reviews v LEFT JOIN orders o ON o.id = v.order_id LEFT JOIN voucher_redemptions r ON r.id = v.redemption_id
 WHERE v.outcome = 'released' AND v.first_by IS NULL AND v.decided_by IS NOT NULL AND v.closed_at > clock_now() - interval '30 days';

INSERT INTO attestations (id, at, kind, by_id, subject_kind, subject_id, amount, source_kind, source_id, second_by, second_at)
SELECT gen_random_uuid(), v.created_at, 'batch', v.created_by, 'voucher', v.id, v.usd_value, 'vouchers', v.id,
       v.approved_by, v.approved_at
  FROM vouchers v WHERE v.status <> 'awaiting_approval' AND v.created_at > clock_now() - interval '30 days';

INSERT INTO attestations (id, at, kind, by_id, subject_kind, subject_id, amount, source_kind, source_id)
SELECT gen_random_uuid(), b.closed_at, 'break', b.closed_by, 'break', b.id, CASE b.currency WHEN 'USD' THEN abs(b.told - b.booked) END, 'reconciliation_breaks', b.id
  FROM reconciliation_breaks b
 WHERE b.outcome = 'booked' AND b.proposed_by IS NULL AND b.closed_by IS NOT NULL AND b.closed_at > clock_now() - interval '30 days';

-- Codes can be redeemed for up to a year, so every export is written.
INSERT INTO attestations (id, at, kind, by_id, subject_kind, subject_id, source_kind, source_id)
SELECT gen_random_uuid(), l.at, 'codes_exported', l.actor_id, 'voucher_batch', l.object_id, 'audit_log', l.id
  FROM audit_log l WHERE l.action = 'voucher.export' AND l.actor_id IS NOT NULL;

-- +goose Down
DROP TABLE attestations;
DROP FUNCTION keep_attestation;
