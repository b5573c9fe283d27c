-- Identity verification to its end: levels that are applied for, what staff
-- decided, documents that run out, and the queue of those who wait.

-- +goose Up

ALTER TABLE kyc_records
  ADD COLUMN id              uuid GENERATED ALWAYS AS (user_id) STORED, -- as every list is paged by
  ADD COLUMN attempt         text NOT NULL DEFAULT '', -- the submission, as the provider names it
  ADD COLUMN review_level    text NOT NULL DEFAULT 'standard' CHECK (review_level IN ('standard', 'enhanced')),
  ADD COLUMN wanted_level    text NOT NULL DEFAULT 'standard' CHECK (wanted_level IN ('standard', 'enhanced')),
  ADD COLUMN provider_state  text NOT NULL DEFAULT '',
  ADD COLUMN labels          text[] NOT NULL DEFAULT '{}', -- the provider's codes of what was wrong
  ADD COLUMN ended_by        text NOT NULL DEFAULT '' -- why a level is in force no more
    CHECK (ended_by IN ('', 'refused', 'reset', 'deleted', 'deactivated', 'staff', 'expired')),
  ADD COLUMN asked_at        timestamptz, -- when the provider was asked for what stands here
  ADD COLUMN missing_since   timestamptz, -- the provider does not know them any more
  ADD COLUMN held_at         timestamptz, -- staff: nothing is granted for now
  ADD COLUMN decided_at      timestamptz, -- staff's verdict stands until something later overturns it
  ADD COLUMN expires_at      timestamptz,
  ADD COLUMN reminded_at     timestamptz,
  ADD COLUMN renewing_since  timestamptz, -- documents are shown again while the level stands
  ADD COLUMN reset_wanted_at timestamptz, -- the provider is to ask from the beginning
  ADD COLUMN wake_at         timestamptz; -- when something is due
UPDATE kyc_records SET review_level = level, wanted_level = level WHERE level <> 'none';
UPDATE kyc_records SET ended_by = 'refused' WHERE revoked_at IS NOT NULL;
-- Approvals from before anything ran out do so like all others, from today on.
UPDATE kyc_records SET wake_at = clock_now() WHERE level <> 'none' AND revoked_at IS NULL;

-- Where a case stands in the queue.
ALTER TABLE kyc_records ADD COLUMN standing text NOT NULL GENERATED ALWAYS AS (CASE
  WHEN held_at IS NOT NULL OR status = 'pending' AND on_hold THEN 'on_hold'
  WHEN status = 'pending' THEN 'pending'
  WHEN status = 'rejected' AND can_retry THEN 'retry'
  WHEN status = 'rejected' THEN 'rejected'
  WHEN level <> 'none' AND revoked_at IS NULL THEN 'approved'
  ELSE 'not_started' END) STORED;
CREATE INDEX kyc_records_by_time ON kyc_records (created_at DESC, id DESC);
CREATE INDEX kyc_records_by_standing ON kyc_records (standing, created_at DESC, id DESC);
CREATE INDEX kyc_records_due ON kyc_records (wake_at) WHERE wake_at IS NOT NULL;
CREATE INDEX kyc_records_resetting ON kyc_records (reset_wanted_at) WHERE reset_wanted_at IS NOT NULL;

-- Counted as orders are (migration 00008).
-- +goose StatementBegin
CREATE FUNCTION tally_kyc() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
BEGIN
  INSERT INTO tally_changes VALUES ('kyc', NEW.user_id, NEW.standing, 1, 0);
  IF TG_OP = 'UPDATE' THEN
    INSERT INTO tally_changes VALUES ('kyc', OLD.user_id, OLD.standing, -1, 0);
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER tally_new AFTER INSERT ON kyc_records FOR EACH ROW EXECUTE FUNCTION tally_kyc();
CREATE TRIGGER tally_changed AFTER UPDATE ON kyc_records FOR EACH ROW
  WHEN (OLD.standing IS DISTINCT FROM NEW.standing) EXECUTE FUNCTION tally_kyc();
INSERT INTO tally_changes SELECT 'kyc', user_id, standing, 1, 0 FROM kyc_records;

-- The story goes on in matter_events; what was noted before becomes part of it.
INSERT INTO matter_events (matter, matter_id, user_id, reference, at, kind, status, internal, data)
SELECT 'kyc', user_id, user_id, 'Identity verification', at, 'noted', status, true, jsonb_build_object('level', level) FROM kyc_events ORDER BY id;

-- +goose Down
-- There is no way down: what staff decided would be lost. Restore a backup.
SELECT 1;
