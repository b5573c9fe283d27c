-- What was open when a backup was restored and may have left the bank since. The bank cannot be searched: a row is
-- unmarked once staff have read its statement.

-- +goose Up
ALTER TABLE payouts ADD COLUMN restored_at timestamptz;
ALTER TABLE stranded_credits ADD COLUMN restored_at timestamptz;
ALTER TABLE unplaced_money ADD COLUMN restored_at timestamptz;

-- +goose Down
ALTER TABLE payouts DROP COLUMN restored_at;
ALTER TABLE stranded_credits DROP COLUMN restored_at;
ALTER TABLE unplaced_money DROP COLUMN restored_at;
