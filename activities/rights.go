package activities

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"

	"github.com/tradepost/tradepost/internal/bucket"
	"github.com/tradepost/tradepost/internal/secret"
	"github.com/tradepost/tradepost/models/privacy"
	"github.com/tradepost/tradepost/models/store"
)

// Rights are the steps of what the privacy page promises: a copy of one's data,
// and the end of an account.
type Rights struct {
	DB    *store.DB
	Files *blob.Bucket
	Brand string
	// Issuer is the identity provider that accounts belong to.
	Issuer Issuer
}

// Issuer is an identity provider that can erase a person. One that does not offer it holds
// no data of ours.
type Issuer interface {
	// Forget erases the account, if it is this issuer's and still there.
	Forget(ctx context.Context, issuer, subject string) error
}

// LoadExport reads an export's state.
func (a *Rights) LoadExport(ctx context.Context, id string) (privacy.ExportState, error) {
	return privacy.ReadExportState(ctx, a.DB, id)
}

// MakeExport collects a person's data and keeps it in the bucket, sealed with a key that is
// stored in the export's row alone. Made again, it writes the same file with the same key.
func (a *Rights) MakeExport(ctx context.Context, id string) error {
	fresh := make([]byte, secret.KeySize)
	_, _ = rand.Read(fresh) // never fails
	export, done, err := privacy.ExportKey(ctx, a.DB, id, fresh)
	if err != nil || done {
		return err
	}
	data, err := privacy.DataOf(ctx, a.DB, export.UserID)
	if err != nil {
		return err
	}
	file, err := a.pack(data, export)
	if err != nil {
		return err
	}
	keys, err := secret.NewKeys(export.SealKey)
	if err != nil {
		return err
	}
	sealed, err := keys.Seal(export.Place(), file)
	if err != nil {
		return err
	}
	if err := bucket.Write(ctx, a.Files, export.FileKey, sealed, blob.WriterOptions{}); err != nil {
		return fmt.Errorf("keep the file of data export %s: %w", id, err)
	}
	return privacy.ExportMade(ctx, a.DB, id, len(file))
}

// pack makes a ZIP of one JSON file a kind of row, with a page that describes them.
func (a *Rights) pack(data map[string]json.RawMessage, export *privacy.DataExport) ([]byte, error) {
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	add := func(name string, content []byte) error {
		file, err := archive.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: export.CreatedAt})
		if err == nil {
			_, err = file.Write(content)
		}
		return err
	}
	if err := add("README.txt", fmt.Appendf(nil, exportReadme, a.Brand, export.Reference)); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(data)) {
		var neat bytes.Buffer
		if err := json.Indent(&neat, data[name], "", "  "); err != nil {
			return nil, fmt.Errorf("write %s of data export %s: %w", name, export.ID, err)
		}
		if err := add(name+".json", neat.Bytes()); err != nil {
			return nil, err
		}
	}
	err := archive.Close()
	return out.Bytes(), err
}

const exportReadme = `What %s holds about you (copy %s)

Each file holds one kind of record, as JSON: profile.json is your account, orders.json your purchases, tickets.json
what you wrote to us, and so on. Times are UTC. Amounts in dollars and coins are plain numbers.

Not in here, because we do not keep it or nobody can read it: your password, card numbers, what is printed on gift
cards, the pictures of your documents (they stay with the identity verification service), and codes for two-factor
sign-in. Notes that only our staff need for fraud prevention are not given out.
`

// EraseExport deletes the file of an export that has expired, and its key.
func (a *Rights) EraseExport(ctx context.Context, id string) error {
	export, err := privacy.Export(ctx, a.DB, id)
	if err != nil {
		return err
	}
	if err := a.Files.Delete(ctx, export.FileKey); err != nil && gcerrors.Code(err) != gcerrors.NotFound {
		return fmt.Errorf("erase the file of data export %s: %w", id, err)
	}
	return privacy.ExpireExport(ctx, a.DB, id)
}

// LoadClosure reads the state of an account's closing.
func (a *Rights) LoadClosure(ctx context.Context, id string) (privacy.ClosureState, error) {
	return privacy.ReadClosureState(ctx, a.DB, id)
}

// EraseAtIssuer has the identity provider erase the account that was closed here, so that
// its password is void and its address can sign up again.
func (a *Rights) EraseAtIssuer(ctx context.Context, id string) error {
	issuer, subject, err := privacy.ClosingAt(ctx, a.DB, id)
	if err != nil {
		return err
	}
	if subject != "" {
		if err := a.Issuer.Forget(ctx, issuer, subject); err != nil {
			return err
		}
	}
	return privacy.ErasedAtIssuer(ctx, a.DB, id)
}

// CloseAccount closes an account that is due.
func (a *Rights) CloseAccount(ctx context.Context, id string) error {
	return privacy.CloseAccount(ctx, a.DB, id)
}
