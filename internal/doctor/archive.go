package doctor

import (
	"context"
	"errors"
	"net/url"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"gocloud.dev/blob"

	"github.com/tradepost/tradepost/internal/archive"
	files "github.com/tradepost/tradepost/internal/bucket"
	"github.com/tradepost/tradepost/models/audit"
	"github.com/tradepost/tradepost/models/store"
)

func (e *examination) sealChecks() []Check {
	return []Check{{"seals",
		"AUDIT_SEALS_URL: a copy of a seal can be written and read, and not be changed; AUDIT_SEAL_KEY made the last seal",
		e.needs(e.Seals != nil && e.Seals.Bucket() != "", "AUDIT_SEAL_KEY", e.seals)}}
}

func (e *examination) backupChecks() []Check {
	return []Check{{"backup", "BACKUP_URL: an object is written, read and removed with an access key of its own; " +
		"it is encrypted, not public, and kept; BACKUP_KEY opens what is there",
		e.needs(e.Backups != nil, "BACKUP_KEY", e.backup)}}
}

// seals looks at the bucket of copies. That of FILES_URL, where no other is named, is tried by the check bucket.
func (e *examination) seals(ctx context.Context) []Finding {
	at := place{id: "seals", variable: "AUDIT_SEALS_URL", keys: filesKeys,
		address: e.Seals.Bucket(), access: e.accessKey(), keeps: true}
	look := e.tried
	if e.options.Getenv(at.variable) == "" {
		at.variable, look = "FILES_URL", opened
	}
	found := look(ctx, at, func(bucket *blob.Bucket) []Finding {
		found := listed(ctx, at, bucket, files.Seals)
		if locked, _, err := keptThere(ctx, bucket, at.address); err != nil {
			found = append(found, unseen(at, err))
		} else if !locked {
			found = append(found, doubtful("seals_unlocked",
				"Name in AUDIT_SEALS_URL a bucket of its own, best of another account, with Object Lock and a default retention.",
				"the copies of the audit log's seals in %s can be changed by whoever has the access key", at.variable))
		}
		return found
	})
	return append(found, e.sealedBy(ctx)...)
}

// sealedBy holds the last seal against AUDIT_SEAL_KEY, whose form is judged with the configuration.
func (e *examination) sealedBy(ctx context.Context) []Finding {
	if e.Postgres == nil || e.Seals.Keys() == nil {
		return nil
	}
	return e.withDatabase(ctx, func(db *store.DB) ([]Finding, error) {
		last, err := audit.LastSeal(ctx, db)
		if err != nil || last.ThroughID == 0 || last.MAC == nil || last.Made(e.Seals.Keys()) {
			return nil, err
		}
		return []Finding{wrong("seals_key_differs",
			"Give AUDIT_SEAL_KEY the key that core had, behind the new one and a comma where it was replaced.",
			"AUDIT_SEAL_KEY did not make the last seal of the audit log: `audit verify` finds no seal that holds")}, nil
	})
}

func (e *examination) backup(ctx context.Context) []Finding {
	at := place{id: "backup", variable: "BACKUP_URL", keys: "BACKUP_ACCESS_KEY_ID and BACKUP_SECRET_ACCESS_KEY",
		address: e.Backups.URL, access: files.Access{ID: e.Backups.AccessKey, Secret: e.Backups.Secret}}
	found := e.tried(ctx, at, func(bucket *blob.Bucket) []Finding {
		found := listed(ctx, at, bucket, "")
		if found == nil {
			found = e.opens(ctx, bucket)
		}
		if locked, versioned, err := keptThere(ctx, bucket, at.address); err != nil {
			found = append(found, unseen(at, err))
		} else if !locked && !versioned {
			found = append(found, doubtful("backup_unlocked", "Turn on versions or a retention lock of the bucket.",
				"who may write to BACKUP_URL can delete every backup"))
		}
		return found
	})
	return append(found, e.ownAccess(ctx)...)
}

// opens holds BACKUP_KEY, whose form is judged with the configuration, against what was archived.
func (e *examination) opens(ctx context.Context, bucket *blob.Bucket) []Finding {
	keys, err := e.Backups.Keys()
	if err != nil {
		return nil
	}
	if err := (&archive.Archive{Bucket: bucket, Keys: keys}).Opens(ctx); err != nil {
		return []Finding{wrong("backup_key_differs",
			"Give BACKUP_KEY the key that the archive was made with, behind the new one and a comma where it was replaced.",
			"BACKUP_KEY does not open the newest archive of BACKUP_URL: %v", err)}
	}
	return nil
}

// ownAccess reports an access key of files that reaches the backups.
func (e *examination) ownAccess(ctx context.Context) []Finding {
	const do = "Give the bucket an access key of its own (BACKUP_ACCESS_KEY_ID), and let the other one not reach it."
	theirs := e.accessKey()
	if !onS3(e.Backups.URL) || theirs.ID == "" {
		return nil
	}
	if e.Backups.AccessKey == "" || e.Backups.AccessKey == theirs.ID {
		return []Finding{doubtful("backup_access_shared", do, "BACKUP_URL is opened with the access key of FILES_URL")}
	}
	bucket, err := files.Open(ctx, e.Backups.URL, theirs)
	if err != nil {
		return nil
	}
	defer func() { _ = bucket.Close() }()
	if _, _, err := bucket.ListPage(ctx, blob.FirstPageToken, 1, nil); err == nil {
		return []Finding{doubtful("backup_access_shared", do,
			"the access key of FILES_URL, AWS_ACCESS_KEY_ID, reaches the backups of BACKUP_URL too")}
	}
	return nil
}

// listed reports a bucket whose objects cannot be listed.
func listed(ctx context.Context, at place, bucket *blob.Bucket, below string) []Finding {
	if _, _, err := bucket.ListPage(ctx, blob.FirstPageToken, 1, &blob.ListOptions{Prefix: below}); err != nil {
		return []Finding{wrong(at.id+"_list", "Give the access key s3:ListBucket on this bucket.",
			"the objects of %s cannot be listed: %v", at.variable, err)}
	}
	return nil
}

// onS3 reports whether an address is a bucket's, and not a folder's.
func onS3(address string) bool {
	parsed, err := url.Parse(address)
	return err == nil && parsed.Scheme == "s3"
}

// unseen is the finding about a bucket that does not say whether it keeps what is removed.
func unseen(at place, err error) Finding {
	return doubtful(at.id+"_lock_unseen",
		"Give the access key s3:GetBucketVersioning and s3:GetBucketObjectLockConfiguration, or look at the bucket's page.",
		"whether %s keeps what is changed or removed cannot be read: %v", at.variable, err)
}

// noLock is what buckets without Object Lock answer.
var noLock = []string{"ObjectLockConfigurationNotFoundError", "NoSuchObjectLockConfiguration"}

// keptThere reports whether a bucket locks what is written for a time, and whether it keeps versions. A folder counts
// as both: its disk is not looked into.
func keptThere(ctx context.Context, bucket *blob.Bucket, address string) (locked, versioned bool, err error) {
	var client *s3.Client
	parsed, bad := url.Parse(address)
	if bad != nil || !bucket.As(&client) {
		return true, true, nil
	}
	lock, err := client.GetObjectLockConfiguration(ctx, &s3.GetObjectLockConfigurationInput{Bucket: &parsed.Host})
	var coded interface{ ErrorCode() string }
	switch {
	case errors.As(err, &coded) && slices.Contains(noLock, coded.ErrorCode()):
	case err != nil:
		return false, false, err
	case lock.ObjectLockConfiguration != nil:
		is := lock.ObjectLockConfiguration
		locked = is.ObjectLockEnabled == types.ObjectLockEnabledEnabled && is.Rule != nil && is.Rule.DefaultRetention != nil
	}
	versions, err := client.GetBucketVersioning(ctx, &s3.GetBucketVersioningInput{Bucket: &parsed.Host})
	if err != nil {
		return locked, false, err
	}
	return locked, versions.Status == types.BucketVersioningStatusEnabled, nil
}
