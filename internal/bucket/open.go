package bucket

import (
	"context"
	"errors"
	"os"
	"sync"

	"gocloud.dev/blob"
)

// Access is an access key of AWS, or of what is compatible with it; without an ID, the one that AWS' library finds.
// Token is the session token of a temporary key, and empty for any other.
type Access struct{ ID, Secret, Token string }

// awsVariables are where AWS' library reads an access key while it opens a bucket.
var awsVariables = []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"}

var opening sync.Mutex

// Open opens the bucket of an address with an access key. The library takes a key from the environment alone, so that
// buckets are opened one at a time, and the environment is as before afterwards.
func Open(ctx context.Context, address string, access Access) (*blob.Bucket, error) {
	opening.Lock()
	defer opening.Unlock()
	if access.ID == "" {
		return blob.OpenBucket(ctx, address)
	}
	var wrong error
	for i, value := range []string{access.ID, access.Secret, access.Token} {
		name := awsVariables[i]
		before, was := os.LookupEnv(name)
		wrong = errors.Join(wrong, os.Setenv(name, value))
		defer func() {
			if was {
				_ = os.Setenv(name, before)
			} else {
				_ = os.Unsetenv(name)
			}
		}()
	}
	if wrong != nil {
		return nil, wrong
	}
	return blob.OpenBucket(ctx, address)
}
