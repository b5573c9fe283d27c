package order

import (
	"context"
	"fmt"
	"io"

	"github.com/danielgtaylor/huma/v2"
	"gocloud.dev/gcerrors"

	"github.com/tradepost/tradepost/api/policy"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/internal/bucket"
	"github.com/tradepost/tradepost/models/order"
)

type evidenceForm struct {
	Kind string        `form:"kind" enum:"receipt,card_photo" required:"true"`
	File huma.FormFile `form:"file" contentType:"image/jpeg,image/png,application/pdf" required:"true" doc:"JPEG or PNG; a receipt also PDF"`
}

type evidenceInput struct {
	rest.ObjectID
	RawBody huma.MultipartFormFiles[evidenceForm]
}

// UploadEvidence keeps an image or a document a customer sent in: made anew, so that its metadata is
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
	clean, contentType, err := redrawn(ctx, form, raw)
	if err != nil {
		return nil, err
	}
	file := order.Evidence{OrderID: in.ID, UserID: who.UserID, Kind: form.Kind, FileKey: bucket.NewName(), ContentType: contentType, Size: len(clean)}
	if file.SealedWith, err = h.sealed().Write(ctx, file.File(), clean); err != nil {
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

// redrawn makes a file anew: a photo of a card is a picture, a receipt may also be a document.
func redrawn(ctx context.Context, form *evidenceForm, raw []byte) (clean []byte, contentType string, err error) {
	if form.Kind == "receipt" {
		return rest.RedrawReceipt(ctx, form.File.ContentType, raw)
	}
	return rest.Redraw(ctx, raw)
}

func (h *Handlers) sealed() rest.Sealed {
	return rest.Sealed{Files: h.Files, Vault: h.Vault, Log: h.Log}
}

// SealEvidence seals files with the current key.
func (h *Handlers) SealEvidence(ctx context.Context) error {
	return h.sealed().Reseal(ctx, h.DB, order.EvidenceFiles)
}

// GetEvidence shows a file to its owner and to those who decide on payments.
func (h *Handlers) GetEvidence(ctx context.Context, in *rest.FileKey) (*rest.FileAnswer, error) {
	file, err := h.evidenceFor(ctx, in.Key)
	if err != nil {
		return nil, err
	}
	return h.sealed().Answer(ctx, file.File(), file.ContentType)
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
