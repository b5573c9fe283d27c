package order

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"io"

	"github.com/danielgtaylor/huma/v2"
	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"

	"github.com/tradepost/tradepost/api/policy"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/order"
)

type evidenceForm struct {
	Kind string        `form:"kind" enum:"receipt,card_photo" required:"true"`
	File huma.FormFile `form:"file" contentType:"image/jpeg,image/png" required:"true"`
}

type evidenceInput struct {
	rest.ObjectID
	RawBody huma.MultipartFormFiles[evidenceForm]
}

// UploadEvidence keeps an image a customer sent in: re-encoded, so that its metadata is
// removed (place, camera, hidden content), under a random name.
func (h *Handlers) UploadEvidence(ctx context.Context, in *evidenceInput) (*rest.Body[Evidence], error) {
	who := rest.PrincipalOf(ctx)
	if _, err := order.OrderOf(ctx, h.DB, who.UserID, in.ID); err != nil {
		return nil, err
	}
	form := in.RawBody.Data()
	raw, err := io.ReadAll(io.LimitReader(form.File, rest.MaxUpload+1))
	if err != nil {
		return nil, rest.FieldProblem("file", "unreadable", "We can't read this file. Choose another one.")
	}
	clean, contentType, err := rest.Redraw(ctx, raw)
	if err != nil {
		return nil, err
	}
	file := order.Evidence{OrderID: in.ID, UserID: who.UserID, Kind: form.Kind, FileKey: rest.NewToken(), ContentType: contentType, Size: len(clean)}
	if err := h.storeSealed(ctx, &file, clean); err != nil {
		return nil, err
	}
	stored, err := order.AddEvidence(ctx, h.DB, file)
	if err != nil {
		if gone := h.Files.Delete(context.WithoutCancel(ctx), file.FileKey); gone != nil {
			h.Log.WarnContext(ctx, "refused upload left a file behind", "error", gone)
		}
		return nil, err
	}
	return &rest.Body[Evidence]{Body: evidenceView(stored)}, nil
}

// storeSealed writes a file to the bucket, sealed for its key.
func (h *Handlers) storeSealed(ctx context.Context, file *order.Evidence, content []byte) error {
	sealed, err := h.Vault.Seal(file.Place(), content)
	if err != nil {
		return err
	}
	file.SealedWith = h.Vault.Current()
	return h.Files.WriteAll(ctx, file.FileKey, sealed, &blob.WriterOptions{ContentType: "application/octet-stream"})
}

// readSealed reads a file from the bucket; stale says that the current key did not seal it. One from before files were
// sealed may still be a plain image, or sealed by a replica that died before it recorded that.
func (h *Handlers) readSealed(ctx context.Context, file *order.Evidence) (content []byte, stale bool, err error) {
	stored, err := h.Files.ReadAll(ctx, file.FileKey)
	if err != nil {
		return nil, false, err
	}
	content, err = h.Vault.Open(file.Place(), stored)
	if err == nil {
		return content, h.Vault.Stale(stored), nil
	}
	if _, format, bad := image.DecodeConfig(bytes.NewReader(stored)); file.SealedAt == nil && bad == nil && format != "" {
		return stored, true, nil
	}
	return nil, false, fmt.Errorf("open file %s: %w", file.ID, err)
}

// SealEvidence seals with the current key files that are plain or sealed with an earlier one. A file is written over as
// a whole, so that a crash leaves it readable in one form or the other.
func (h *Handlers) SealEvidence(ctx context.Context) error {
	after := ""
	for {
		files, err := order.FilesToSeal(ctx, h.DB, h.Vault.Current(), after, rest.EraseBatch)
		if err != nil || len(files) == 0 {
			return err
		}
		for i := range files {
			after = files[i].ID
			if err := h.sealFile(ctx, &files[i]); err != nil {
				h.Log.WarnContext(ctx, "a file is not sealed yet", "file", after, "error", err)
			}
		}
	}
}

func (h *Handlers) sealFile(ctx context.Context, file *order.Evidence) error {
	content, stale, err := h.readSealed(ctx, file)
	if err == nil && stale {
		err = h.storeSealed(ctx, file, content)
	}
	if err != nil && gcerrors.Code(err) != gcerrors.NotFound {
		return err
	}
	kept, err := order.MarkSealed(ctx, h.DB, file.ID, h.Vault.Current())
	if err != nil || kept {
		return err
	}
	// It was purged meanwhile, and may have been erased before it was written over.
	if err := h.Files.Delete(ctx, file.FileKey); err != nil && gcerrors.Code(err) != gcerrors.NotFound {
		return err
	}
	return nil
}

// GetEvidence shows a file to its owner and to those who decide on payments.
func (h *Handlers) GetEvidence(ctx context.Context, in *rest.FileKey) (*rest.FileAnswer, error) {
	file, err := h.evidenceFor(ctx, in.Key)
	if err != nil {
		return nil, err
	}
	content, _, err := h.readSealed(ctx, file)
	if gcerrors.Code(err) == gcerrors.NotFound {
		return nil, rest.NotFound()
	}
	if err != nil {
		return nil, err
	}
	return &rest.FileAnswer{ContentType: file.ContentType, Disposition: "inline", Policy: "sandbox; default-src 'none'; frame-ancestors 'none'", Body: content}, nil
}

// evidenceFor finds a file that the caller may see.
func (h *Handlers) evidenceFor(ctx context.Context, key string) (*order.Evidence, error) {
	who := rest.PrincipalOf(ctx)
	for _, decides := range []policy.Permission{policy.DecidePayments, policy.ReviewCustomers} {
		if h.Policy.Allows(rest.RolesOf(who), decides) {
			return order.ViewEvidence(ctx, h.DB, key, rest.Viewer(ctx))
		}
	}
	return order.EvidenceFile(ctx, h.DB, key, who.UserID)
}

// EraseFiles deletes the bytes of purged files: photos of cards go with the
// decision. Deleting twice does no harm, so a crash in between costs nothing.
func (h *Handlers) EraseFiles(ctx context.Context) error {
	keys, err := order.FilesToErase(ctx, h.DB, rest.EraseBatch)
	if err != nil {
		return err
	}
	for _, key := range keys {
		if err := h.Files.Delete(ctx, key); err != nil && gcerrors.Code(err) != gcerrors.NotFound {
			return fmt.Errorf("erase a purged file: %w", err)
		}
		if err := order.MarkErased(ctx, h.DB, key); err != nil {
			return err
		}
	}
	return nil
}
