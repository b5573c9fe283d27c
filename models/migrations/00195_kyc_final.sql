-- Final rejections of before 00194.

-- +goose Up
UPDATE kyc_records SET final_at = coalesce(decided_at, provider_at, updated_at), final_labels = labels,
       final_by = CASE WHEN decided_at IS NULL THEN 'provider' ELSE 'staff' END
 WHERE standing = 'rejected' AND status = 'rejected' AND NOT can_retry AND final_at IS NULL;

-- +goose Down
SELECT 1;
