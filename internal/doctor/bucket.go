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

// pagesListed bounds what is read of a bucket with many files; a page is a thousand.
const pagesListed = 20

func (e *examination) bucket(ctx context.Context) []Finding {
	bucket, err := blob.OpenBucket(ctx, e.Files.FilesURL)
	if err != nil {
		return []Finding{wrong("bucket_unopened", "Correct FILES_URL (s3://name?region=…), AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.", "FILES_URL cannot be opened: %v", err)}
	}
	defer func() { _ = bucket.Close() }()
	key, content := files.Probes+rand.Text(), []byte(rand.Text())
	if err := bucket.WriteAll(ctx, key, content, nil); err != nil {
		return []Finding{wrong("bucket_write", "Give the access key s3:PutObject, s3:GetObject and s3:DeleteObject on this bucket, and look whether it is there.", "nothing can be written to FILES_URL: %v", err)}
	}
	found := e.object(ctx, bucket, key, content)
	if err := bucket.Delete(context.WithoutCancel(ctx), key); err != nil {
		found = append(found, wrong("bucket_delete", "Give the access key s3:DeleteObject, and remove "+key+" by hand: what the law has erased must go.", "the object %s cannot be removed: %v", key, err))
	}
	return append(found, e.others(ctx, bucket)...)
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
func (e *examination) object(ctx context.Context, bucket *blob.Bucket, key string, content []byte) (found []Finding) {
	read, err := bucket.ReadAll(ctx, key)
	if err != nil || !bytes.Equal(read, content) {
		return []Finding{wrong("bucket_read", "Give the access key s3:GetObject on this bucket.", "what was written cannot be read again: %v", err)}
	}
	attributes, err := bucket.Attributes(ctx, key)
	var head s3.HeadObjectOutput
	if err != nil || !attributes.As(&head) {
		if e.strict() {
			found = append(found, doubtful("bucket_on_disk", "Use a bucket (s3://…), or make sure that the folder is on an encrypted disk, shared by all replicas and backed up.", "FILES_URL is a folder"))
		}
		return found
	}
	if head.ServerSideEncryption == "" {
		found = append(found, wrong("bucket_unencrypted", "Turn on default encryption for the bucket (SSE-S3 or SSE-KMS).", "objects are stored without encryption"))
	}
	if e.isPublic(ctx, bucket, key) {
		found = append(found, wrong("bucket_public", "Block all public access to the bucket now, and look at who has read it.", "the object can be read by anybody who knows its address"))
	}
	return found
}

// isPublic reports whether an object is answered to a request without a signature.
func (e *examination) isPublic(ctx context.Context, bucket *blob.Bucket, key string) bool {
	signed, err := bucket.SignedURL(ctx, key, &blob.SignedURLOptions{Expiry: time.Minute})
	if err != nil {
		return false
	}
	plain, err := url.Parse(signed)
	if err != nil {
		return false
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
		return false
	}
	answer, err := e.client().Do(request)
	if err != nil {
		return false
	}
	_ = answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}
