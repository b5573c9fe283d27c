package doctor

import (
	"bytes"
	"context"
	"crypto/rand"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"gocloud.dev/blob"
	_ "gocloud.dev/blob/fileblob" // FILES_URL names one of these
	_ "gocloud.dev/blob/s3blob"

	files "github.com/tradepost/tradepost/internal/bucket"
)

func (e *examination) bucketChecks() []Check {
	return []Check{{"bucket", "FILES_URL: an object is written, read and removed; it is encrypted, and not public; all files are ours", e.needs(e.Files != nil, "FILES_URL", e.bucket)}}
}

// place is a bucket as the process that uses it opens it.
type place struct {
	id             string // begins its findings' ids
	variable, keys string // that name it, and its access key
	address        string
	access         files.Access
	keeps          bool // what is written may be kept from being removed
}

// accessKey is the access key of buckets that have none of their own.
func (e *examination) accessKey() files.Access {
	if e.Access == nil {
		return files.Access{}
	}
	return files.Access{ID: e.Access.ID, Secret: e.Access.Secret, Token: e.options.Getenv("AWS_SESSION_TOKEN")}
}

// pagesListed bounds what is read of a bucket with many files; a page is a thousand.
const pagesListed = 20

func (e *examination) bucket(ctx context.Context) []Finding {
	at := place{id: "bucket", variable: "FILES_URL", keys: filesKeys, address: e.Files.FilesURL, access: e.accessKey()}
	return e.tried(ctx, at, func(bucket *blob.Bucket) []Finding { return e.others(ctx, bucket) })
}

// filesKeys are the settings of the access key of buckets that have none of their own.
const filesKeys = "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"

// opened opens a bucket, and looks at it.
func opened(ctx context.Context, at place, look func(bucket *blob.Bucket) []Finding) []Finding {
	bucket, err := files.Open(ctx, at.address, at.access)
	if err != nil {
		return []Finding{wrong(at.id+"_unopened", "Correct "+at.variable+" (s3://name?region=…), "+at.keys+".",
			"%s cannot be opened: %v", at.variable, err)}
	}
	defer func() { _ = bucket.Close() }()
	return look(bucket)
}

// tried opens a bucket, and writes, reads and removes an object there; what else is wrong with it, more says.
func (e *examination) tried(ctx context.Context, at place, more func(bucket *blob.Bucket) []Finding) []Finding {
	return opened(ctx, at, func(bucket *blob.Bucket) []Finding {
		key, content := files.Probes+rand.Text(), []byte(rand.Text())
		switch err := bucket.WriteAll(ctx, key, content, nil); {
		case distrusted(err):
			return []Finding{wrong(at.id+"_untrusted", trust,
				"the certificate of the endpoint of %s is not trusted: %v", at.variable, err)}
		case err != nil:
			return []Finding{wrong(at.id+"_write",
				"Look whether the bucket is there, at "+at.keys+", and that the key may do s3:PutObject, s3:GetObject and s3:ListBucket.",
				"nothing can be written to %s: %v", at.variable, err)}
		}
		found := e.object(ctx, at, bucket, key, content)
		if err := bucket.Delete(context.WithoutCancel(ctx), key); err != nil && !at.keeps {
			found = append(found, wrong(at.id+"_delete",
				"Give the access key s3:DeleteObject on this bucket, and remove "+key+" by hand: what is no longer kept must go.",
				"the object %s cannot be removed from %s: %v", key, at.variable, err))
		}
		return append(found, more(bucket)...)
	})
}

// others reports a file without a name or folder that the product gives. No erasure and no removal deletes it.
func (e *examination) others(ctx context.Context, bucket *blob.Bucket) []Finding {
	token := blob.FirstPageToken
	for range pagesListed {
		page, next, err := bucket.ListPage(ctx, token, 1000, &blob.ListOptions{Delimiter: "/"})
		if err != nil {
			return []Finding{wrong("bucket_list", "Give the access key s3:ListBucket on this bucket: files that lost their row are found by it.", "the files of FILES_URL cannot be listed: %v", err)}
		}
		for _, file := range page {
			if !files.Named(file.Key) && file.Key != files.Seals && file.Key != files.Probes {
				return []Finding{doubtful("bucket_shared", "Give FILES_URL a bucket, or a prefix (?prefix=files/), of its own.", "FILES_URL holds files that are not ours, such as %s", file.Key)}
			}
		}
		if token = next; token == nil {
			break
		}
	}
	return nil
}

// object checks the written object.
func (e *examination) object(
	ctx context.Context, at place, bucket *blob.Bucket, key string, content []byte,
) (found []Finding) {
	read, err := bucket.ReadAll(ctx, key)
	if err != nil || !bytes.Equal(read, content) {
		return []Finding{wrong(at.id+"_read", "Give the access key s3:GetObject on this bucket.",
			"what was written to %s cannot be read again: %v", at.variable, err)}
	}
	attributes, err := bucket.Attributes(ctx, key)
	var head s3.HeadObjectOutput
	if err != nil || !attributes.As(&head) {
		if e.strict() {
			found = append(found, doubtful(at.id+"_on_disk",
				"Use a bucket (s3://…), or make sure that the folder is on an encrypted disk, shared by all who use it, and kept elsewhere too.",
				"%s is a folder", at.variable))
		}
		return found
	}
	if head.ServerSideEncryption == "" {
		found = append(found, wrong(at.id+"_unencrypted",
			"Turn on default encryption for the bucket (SSE-S3 or SSE-KMS).",
			"objects of %s are stored without encryption", at.variable))
	}
	switch public, err := e.isPublic(ctx, bucket, key); {
	case err != nil:
		found = append(found, doubtful(at.id+"_public_unseen",
			"Look whether the bucket's page says that all public access is blocked.",
			"whether an object of %s is public cannot be seen: %v", at.variable, err))
	case public:
		found = append(found, wrong(at.id+"_public",
			"Block all public access to the bucket now, and look at who has read it.",
			"an object of %s can be read by anybody who knows its address", at.variable))
	}
	return found
}

// isPublic reports whether an object is answered to a request without a signature.
func (e *examination) isPublic(ctx context.Context, bucket *blob.Bucket, key string) (bool, error) {
	signed, err := bucket.SignedURL(ctx, key, &blob.SignedURLOptions{Expiry: time.Minute})
	if err != nil {
		return false, err
	}
	plain, err := url.Parse(signed)
	if err != nil {
		return false, err
	}
	query := plain.Query()
	for name := range query {
		if strings.HasPrefix(strings.ToLower(name), "x-amz-") {
			query.Del(name)
		}
	}
	plain.RawQuery = query.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, plain.String(), nil)
	if err != nil {
		return false, err
	}
	answer, err := e.fetch(request)
	return answer.status == http.StatusOK, err
}
