package api

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"

	"github.com/tradepost/tradepost/models/order"
)

// Uploads: images only, PDF receipts are refused, since an image can be made
// harmless by drawing it anew and a document cannot.
const maxUpload = 8 << 20

// oneImage lets one image be drawn at a time, so that uploads together cannot
// take the process's memory.
var oneImage = make(chan struct{}, 1)

type evidenceForm struct {
	Kind string        `form:"kind" enum:"receipt,card_photo" required:"true"`
	File huma.FormFile `form:"file" contentType:"image/jpeg,image/png" required:"true"`
}

type evidenceInput struct {
	ObjectID
	RawBody huma.MultipartFormFiles[evidenceForm]
}

// uploadEvidence keeps an image a customer sent in: drawn anew, so that what
// came beside the picture is gone (place, camera, hidden content), under a
// random name.
func (s *Server) uploadEvidence(ctx context.Context, in *evidenceInput) (*body[Evidence], error) {
	who := principalOf(ctx)
	if _, err := order.OrderOf(ctx, s.DB, who.UserID, in.ID); err != nil {
		return nil, err
	}
	form := in.RawBody.Data()
	raw, err := io.ReadAll(io.LimitReader(form.File, maxUpload+1))
	if err != nil {
		return nil, fieldProblem("file", "unreadable", "We can't read this file. Choose another one.")
	}
	clean, contentType, err := redraw(ctx, raw)
	if err != nil {
		return nil, err
	}
	file := order.Evidence{OrderID: in.ID, UserID: who.UserID, Kind: form.Kind, FileKey: newToken(), ContentType: contentType, Size: len(clean)}
	if err := s.storeSealed(ctx, &file, clean); err != nil {
		return nil, err
	}
	stored, err := order.AddEvidence(ctx, s.DB, file)
	if err != nil {
		if gone := s.Files.Delete(context.WithoutCancel(ctx), file.FileKey); gone != nil {
			s.Log.WarnContext(ctx, "refused upload left a file behind", "error", gone)
		}
		return nil, err
	}
	return &body[Evidence]{evidenceView(stored)}, nil
}

// storeSealed writes a file to the bucket, sealed for its key.
func (s *Server) storeSealed(ctx context.Context, file *order.Evidence, content []byte) error {
	sealed, err := s.Vault.Seal(file.Place(), content)
	if err != nil {
		return err
	}
	return s.Files.WriteAll(ctx, file.FileKey, sealed, &blob.WriterOptions{ContentType: "application/octet-stream"})
}

// readSealed reads a file from the bucket. One from before files were sealed may still be
// a plain image, or sealed by a replica that had no time to note it.
func (s *Server) readSealed(ctx context.Context, file *order.Evidence) (content []byte, plain bool, err error) {
	stored, err := s.Files.ReadAll(ctx, file.FileKey)
	if err != nil {
		return nil, false, err
	}
	content, err = s.Vault.Open(file.Place(), stored)
	if err == nil {
		return content, false, nil
	}
	if _, format, bad := image.DecodeConfig(bytes.NewReader(stored)); file.SealedAt == nil && bad == nil && format != "" {
		return stored, true, nil
	}
	return nil, false, fmt.Errorf("open file %s: %w", file.ID, err)
}

// sealEvidence seals files from before they were. A file is written over as a whole, so
// that a crash leaves it readable in one form or the other.
func (s *Server) sealEvidence(ctx context.Context) error {
	after := ""
	for {
		files, err := order.FilesToSeal(ctx, s.DB, after, eraseBatch)
		if err != nil || len(files) == 0 {
			return err
		}
		for i := range files {
			after = files[i].ID
			if err := s.sealFile(ctx, &files[i]); err != nil {
				s.Log.WarnContext(ctx, "a file is not sealed yet", "file", after, "error", err)
			}
		}
	}
}

func (s *Server) sealFile(ctx context.Context, file *order.Evidence) error {
	content, plain, err := s.readSealed(ctx, file)
	if err == nil && plain {
		err = s.storeSealed(ctx, file, content)
	}
	if err != nil && gcerrors.Code(err) != gcerrors.NotFound {
		return err
	}
	kept, err := order.MarkSealed(ctx, s.DB, file.ID)
	if err != nil || kept {
		return err
	}
	// It was purged meanwhile, and may have been erased before it was written over.
	if err := s.Files.Delete(ctx, file.FileKey); err != nil && gcerrors.Code(err) != gcerrors.NotFound {
		return err
	}
	return nil
}

// redraw decodes an image and encodes it again. What the first bytes say it is
// must be JPEG or PNG, whatever its name and type claim; what it costs to decode is
// looked at before it is decoded.
func redraw(ctx context.Context, raw []byte) (clean []byte, contentType string, err error) {
	if len(raw) > maxUpload {
		return nil, "", problem(http.StatusRequestEntityTooLarge, "too_large", "Choose a file smaller than 8 MB").about("file")
	}
	head, format, err := image.DecodeConfig(bytes.NewReader(raw))
	if err != nil || format != "jpeg" && format != "png" {
		return nil, "", fieldProblem("file", "not_an_image", "Upload a JPEG or PNG picture")
	}
	if !affordable(head, format, raw) {
		return nil, "", fieldProblem("file", "too_many_pixels", "This picture is too large. Choose a smaller one.")
	}
	select {
	case oneImage <- struct{}{}:
		defer func() { <-oneImage }()
	case <-ctx.Done():
		return nil, "", ctx.Err()
	}
	picture, _, err := image.Decode(bytes.NewReader(raw))
	if err != nil {
		return nil, "", fieldProblem("file", "not_an_image", "This picture is damaged. Choose another one.")
	}
	var out bytes.Buffer
	if format == "png" {
		err = png.Encode(&out, picture)
	} else {
		err = jpeg.Encode(&out, picture, &jpeg.Options{Quality: 88})
	}
	return out.Bytes(), "image/" + format, err
}

type fileKey struct {
	Key string `path:"key" maxLength:"64"`
}

type fileAnswer struct {
	ContentType string `header:"Content-Type"`
	Disposition string `header:"Content-Disposition"`
	Policy      string `header:"Content-Security-Policy"`
	Body        []byte
}

// getEvidence shows a file to its owner and to those who decide on payments.
func (s *Server) getEvidence(ctx context.Context, in *fileKey) (*fileAnswer, error) {
	file, err := s.evidenceFor(ctx, in.Key)
	if err != nil {
		return nil, err
	}
	content, _, err := s.readSealed(ctx, file)
	if gcerrors.Code(err) == gcerrors.NotFound {
		return nil, notFound()
	}
	if err != nil {
		return nil, err
	}
	return &fileAnswer{ContentType: file.ContentType, Disposition: "inline", Policy: "sandbox; default-src 'none'; frame-ancestors 'none'", Body: content}, nil
}

// evidenceFor finds a file that who asks may see.
func (s *Server) evidenceFor(ctx context.Context, key string) (*order.Evidence, error) {
	who := principalOf(ctx)
	for _, decides := range []permission{decidePayments, reviewCustomers} {
		if s.policy.allows(rolesOf(who), decides) {
			return order.ViewEvidence(ctx, s.DB, key, viewer(ctx))
		}
	}
	return order.EvidenceFile(ctx, s.DB, key, who.UserID)
}

// eraseBatch bounds the files erased in one round.
const eraseBatch = 100

// eraseFiles deletes the bytes of purged files: photos of cards go with the
// decision. Deleting twice does no harm, so a crash in between costs nothing.
func (s *Server) eraseFiles(ctx context.Context) error {
	keys, err := order.FilesToErase(ctx, s.DB, eraseBatch)
	if err != nil {
		return err
	}
	for _, key := range keys {
		if err := s.Files.Delete(ctx, key); err != nil && gcerrors.Code(err) != gcerrors.NotFound {
			return fmt.Errorf("erase a purged file: %w", err)
		}
		if err := order.MarkErased(ctx, s.DB, key); err != nil {
			return err
		}
	}
	return nil
}
