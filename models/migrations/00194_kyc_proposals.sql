-- An identity that was rejected finally is approved by two people: the first one's approval is a proposal, and
-- a second one decides it. It lapses when the verification is no longer as its proposer saw it.

-- +goose Up
ALTER TABLE kyc_records
  ADD COLUMN version      integer NOT NULL DEFAULT 1, -- counts the changes of what staff decide upon
  ADD COLUMN final_at     timestamptz,                -- since when a final rejection counts; an approval ends it
  ADD COLUMN final_by     text NOT NULL DEFAULT '',
  ADD COLUMN final_labels text[] NOT NULL DEFAULT '{}', -- the provider's codes of that rejection
  ADD CONSTRAINT kyc_records_final_by CHECK (final_by IN ('', 'provider', 'staff')) NOT VALID,
  ADD CONSTRAINT kyc_records_final CHECK ((final_at IS NULL) = (final_by = '')) NOT VALID;

CREATE TABLE kyc_proposals (
  id          uuid PRIMARY KEY,
  user_id     uuid NOT NULL REFERENCES users,
  level       text NOT NULL CHECK (level IN ('standard', 'enhanced')),
  version     integer NOT NULL,    -- of the verification as its proposer saw it
  final_at    timestamptz NOT NULL, -- the rejection that it overrules
  final_by    text NOT NULL CHECK (final_by IN ('provider', 'staff')),
  labels      text[] NOT NULL DEFAULT '{}',
  reason      text NOT NULL CHECK (reason <> ''),
  proposed_by uuid NOT NULL REFERENCES users,
  created_at  timestamptz NOT NULL DEFAULT clock_now(),
  status      text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'approved', 'rejected', 'withdrawn', 'lapsed')),
  decided_by  uuid REFERENCES users,
  decided_at  timestamptz,
  answer      text NOT NULL DEFAULT '',
  decision_id uuid REFERENCES matter_decisions,
  CHECK (proposed_by <> user_id),
  CHECK ((status = 'open') = (decided_at IS NULL)),
  CHECK (status NOT IN ('approved', 'rejected') OR coalesce(decided_by <> proposed_by AND decided_by <> user_id, false)),
  CHECK ((status = 'approved') = (decision_id IS NOT NULL))
);
CREATE UNIQUE INDEX kyc_proposals_one_open ON kyc_proposals (user_id) WHERE status = 'open';
CREATE INDEX kyc_proposals_open ON kyc_proposals (created_at, id) WHERE status = 'open';
CREATE INDEX kyc_proposals_by_user ON kyc_proposals (user_id, created_at);
CREATE UNIQUE INDEX kyc_proposals_by_decision ON kyc_proposals (decision_id) WHERE decision_id IS NOT NULL;
CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON kyc_proposals
  FOR EACH STATEMENT EXECUTE FUNCTION append_only();

-- +goose Down
DROP TABLE kyc_proposals;
ALTER TABLE kyc_records DROP COLUMN version, DROP COLUMN final_at, DROP COLUMN final_by, DROP COLUMN final_labels;
