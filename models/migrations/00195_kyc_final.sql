-- Final rejections of before 00194.

-- +goose Up
-- Those after which documents were requested again, too: no approval has followed.
UPDATE kyc_records k SET final_at = e.at, final_by = CASE e.actor WHEN 'staff' THEN 'staff' ELSE 'provider' END
  FROM (SELECT r.user_id, f.at, f.actor FROM kyc_records r CROSS JOIN LATERAL (
          SELECT at, actor FROM matter_events WHERE matter_id = r.user_id AND matter = 'kyc' AND data->>'canRetry' = 'false'
             AND (kind = 'rejected' OR kind = 'revoked' AND data->>'why' IN ('refused', 'deactivated', 'staff')) ORDER BY id DESC LIMIT 1) f
         WHERE r.standing IN ('pending', 'on_hold', 'not_started') AND r.status IN ('pending', 'not_started')
           AND NOT EXISTS (SELECT FROM matter_events a WHERE a.matter_id = r.user_id AND a.matter = 'kyc' AND a.kind = 'approved' AND a.at > f.at)) e
 WHERE e.user_id = k.user_id;
UPDATE kyc_records SET final_at = coalesce(decided_at, provider_at, updated_at), final_labels = labels,
       final_by = CASE WHEN decided_at IS NULL THEN 'provider' ELSE 'staff' END
 WHERE standing = 'rejected' AND status = 'rejected' AND NOT can_retry AND final_at IS NULL;

-- +goose Down
-- There is no way down: the columns it fills go with 00194.
SELECT 1;
