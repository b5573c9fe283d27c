package activities

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"

	"github.com/tradepost/tradepost/internal/bucket"
	"github.com/tradepost/tradepost/models/audit"
)

// sealCopy is what a copy of a seal says: the same each time it is written.
type sealCopy struct {
	Through int64  `json:"through"`
	Hash    []byte `json:"hash"`
	MAC     []byte `json:"mac"`
}

// errOtherSeal says that there is another seal where a copy was to be written.
var errOtherSeal = errors.New("the bucket has another seal of the same line")

// KeepSeals writes a copy of each seal to a bucket, and never over another.
func KeepSeals(seals *blob.Bucket) func(ctx context.Context, seal audit.AuditSeal) error {
	return func(ctx context.Context, seal audit.AuditSeal) error {
		name := fmt.Sprintf("%s%019d.json", bucket.Seals, seal.ThroughID) // in a fixed width, so that the newest is the last in order
		body, err := json.Marshal(sealCopy{Through: seal.ThroughID, Hash: seal.Hash, MAC: seal.MAC})
		if err != nil {
			return err
		}
		err = bucket.Write(ctx, seals, name, body, blob.WriterOptions{ContentType: "application/json", IfNotExist: true})
		if gcerrors.Code(err) != gcerrors.FailedPrecondition {
			return err
		}
		there, err := seals.ReadAll(ctx, name)
		if err == nil && !bytes.Equal(there, body) {
			err = errOtherSeal
		}
		return err
	}
}

// NewestSealCopy reads the newest copy of a seal; there is none where found is false.
func NewestSealCopy(ctx context.Context, seals *blob.Bucket) (seal audit.AuditSeal, found bool, err error) {
	newest := ""
	for list := seals.List(&blob.ListOptions{Prefix: bucket.Seals}); ; {
		object, err := list.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return audit.AuditSeal{}, false, fmt.Errorf("list the copies of seals: %w", err)
		}
		newest = object.Key
	}
	if newest == "" {
		return audit.AuditSeal{}, false, nil
	}
	body, err := seals.ReadAll(ctx, newest)
	if err != nil {
		return audit.AuditSeal{}, false, fmt.Errorf("read %s: %w", newest, err)
	}
	var copied sealCopy
	if err := json.Unmarshal(body, &copied); err != nil {
		return audit.AuditSeal{}, false, fmt.Errorf("read %s: %w", newest, err)
	}
	return audit.AuditSeal{ThroughID: copied.Through, Hash: copied.Hash, MAC: copied.MAC}, true, nil
}
