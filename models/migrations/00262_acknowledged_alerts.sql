-- Those who get an alert acknowledge it: who, when, and a note of what they do about it.

-- +goose Up
ALTER TABLE alerts ADD COLUMN acknowledged_at timestamptz,
  ADD COLUMN acknowledged_by uuid,
  ADD COLUMN acknowledged_note text NOT NULL DEFAULT '';
ALTER TABLE alerts ADD CONSTRAINT alerts_acknowledged_by_fkey FOREIGN KEY (acknowledged_by) REFERENCES users NOT VALID;
ALTER TABLE alerts ADD CONSTRAINT alerts_acknowledged_check CHECK ((acknowledged_at IS NULL) = (acknowledged_by IS NULL)
  AND length(acknowledged_note) <= 500) NOT VALID;

-- +goose Down
ALTER TABLE alerts DROP COLUMN acknowledged_at, DROP COLUMN acknowledged_by, DROP COLUMN acknowledged_note;
