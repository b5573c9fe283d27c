package rest

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"time"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// PDF is the media type of a document.
const PDF = "application/pdf"

// The limits of a document. A receipt has one page or a few; a file of a few kilobytes can demand all memory.
const (
	maxPages       = 20
	maxPDFNodes    = 1_000         // of the tree of pages
	maxPDFRead     = 8 * MaxUpload // bytes that are read in all: many objects may lie at the same place
	maxPDFUnpacked = 8 << 20       // bytes of cross-references and packed objects in all
	maxPDFPrologs  = 256 << 10     // bytes of the lists of packed objects in all
	maxPDFHead     = 4 << 10       // bytes before the content of packed objects
	maxPDFObjects  = 20_000
	maxPDFDepth    = 50
	maxPDFRewriten = 2 * MaxUpload
	maxPDFTime     = 20 * time.Second
)

func init() { api.DisableConfigDir() } // no settings of the machine's change what is accepted

// IsPDF reports whether a file begins as a document.
func IsPDF(raw []byte) bool { return bytes.HasPrefix(raw, []byte("%PDF-")) }

// RedrawReceipt is Redraw for a receipt, which may also be a PDF document if called names that type. It validates the
// document and writes a new one that has the contents of its pages and no script, action, form, annotation, attachment
// or metadata.
func RedrawReceipt(ctx context.Context, called string, raw []byte) (clean []byte, contentType string, err error) {
	if called != PDF || !IsPDF(raw) {
		if err = errNoPicture; called != PDF {
			clean, contentType, err = redraw(ctx, raw)
		}
		if errors.Is(err, errNoPicture) {
			err = FieldProblem("file", "not_an_image", "Upload a JPEG or PNG picture, or a PDF")
		}
		return clean, contentType, err
	}
	if len(raw) > MaxUpload {
		return nil, "", NewProblem(http.StatusRequestEntityTooLarge, "too_large", "Choose a file smaller than 8 MB").about("file")
	}
	select {
	case oneImage <- struct{}{}:
		defer func() { <-oneImage }()
	case <-ctx.Done():
		return nil, "", ctx.Err()
	}
	clean, refused := rewritePDF(ctx, raw)
	if refused != nil {
		return nil, "", refused
	}
	return clean, PDF, nil
}

func pdfBroken() error {
	return FieldProblem("file", "pdf_damaged", "We can't read this PDF. Save it again, or upload a picture of it.")
}

func pdfEncrypted() error {
	return FieldProblem("file", "pdf_encrypted", "This PDF is protected by a password. Save it without one.")
}

func pdfLong() error {
	return FieldProblem("file", "pdf_too_long", "This PDF has more than 20 pages. Choose a shorter one.")
}

// rewritePDF returns what is left of a document, or why it is refused. The library reads hostile files: a panic of it
// is a damaged file.
func rewritePDF(ctx context.Context, raw []byte) (clean []byte, refused error) {
	defer func() {
		if recover() != nil {
			clean, refused = nil, pdfBroken()
		}
	}()
	within, cancel := context.WithTimeout(ctx, maxPDFTime)
	defer cancel()
	var document *model.Context
	out := &atMost{left: maxPDFRewriten}
	for _, step := range []func() error{
		func() (err error) { document, err = readPDF(within, raw); return err },
		func() error { return unpackPDF(within, document) },
		func() error { return stripPDF(document) },
		func() error { return stripPages(document) },
		func() error { return api.ValidateContext(document) }, // what is left: what was removed may be of any form
		func() error { return countPages(document.PageCount) },
		func() error { return api.WriteContext(document, out) },
	} {
		err := step()
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case isEncrypted(err):
			return nil, pdfEncrypted()
		case errors.Is(err, errLongPDF):
			return nil, pdfLong()
		case err != nil || within.Err() != nil:
			return nil, pdfBroken()
		}
	}
	return out.Bytes(), nil
}

var (
	errLongPDF = errors.New("the document has too many pages")
	errBadPDF  = errors.New("the document is not as it must be")
)

func countPages(pages int) error {
	switch {
	case pages < 1:
		return errBadPDF
	case pages > maxPages:
		return errLongPDF
	}
	return nil
}

// readPDF reads a document. No password opens an encrypted one: its packed objects could not be measured.
func readPDF(ctx context.Context, raw []byte) (*model.Context, error) {
	conf := model.NewDefaultConfiguration()
	conf.ValidationMode = model.ValidationRelaxed
	conf.WriteObjectStream, conf.WriteXRefStream = false, false
	conf.UserPW, conf.OwnerPW = rand.Text(), rand.Text()
	conf.Limits.MaxStreamBytes, conf.Limits.MaxDecodeBytes = int64(len(raw)), maxPDFUnpacked
	conf.Limits.MaxImagePixels, conf.Limits.MaxImageBytes = maxPixels, maxDecoded
	conf.Limits.MaxObjectCount, conf.Limits.MaxObjectStreamCount = maxPDFObjects, maxPDFObjects
	conf.Limits.MaxObjectStreamFirst, conf.Limits.MaxXRefEntries = maxPDFPrologs, maxPDFObjects
	conf.Limits.MaxRecursionDepth = maxPDFDepth
	source := &pdfSource{raw: raw, read: maxPDFRead, unpacked: maxPDFUnpacked, prologs: maxPDFPrologs}
	document, err := pdfcpu.ReadWithContext(ctx, source, conf)
	switch {
	case err != nil:
		return nil, err
	case document.Encrypt != nil:
		return nil, pdfcpu.ErrEncrypted
	case !source.measured && unpacks(document):
		return nil, errBadPDF
	}
	return document, nil
}

// unpacks reports whether the library has unpacked an object stream or a cross-reference stream of the document. It
// looks for the latter in the table, because the library also sets its own flag for a repaired file that has none.
func unpacks(document *model.Context) bool {
	if document.Read.UsingObjectStreams {
		return true
	}
	for _, entry := range document.Table {
		if entry == nil {
			continue
		}
		if _, is := entry.Object.(types.XRefStreamDict); is {
			return true
		}
	}
	return false
}

// unpackPDF reads the objects of each object stream, which the library leaves packed until something refers to them.
func unpackPDF(ctx context.Context, document *model.Context) error {
	unpacked := 0
	for _, entry := range document.Table {
		if entry == nil || entry.Free {
			continue
		}
		if entry.Compressed {
			return errBadPDF
		}
		packed, ok := entry.Object.(types.LazyObjectStreamObject)
		if !ok {
			continue
		}
		text, err := packed.GetData()
		if err != nil {
			return err
		}
		if unpacked += len(text); unpacked > maxPDFUnpacked { // many entries may name the same object
			return errBadPDF
		}
		object, err := packed.DecodedObject(ctx)
		if err != nil {
			return err
		}
		if err := model.ProcessRefCountsWithError(document.XRefTable, object); err != nil {
			return err
		}
		entry.Object = object
	}
	return nil
}

func isEncrypted(err error) bool {
	return errors.Is(err, pdfcpu.ErrEncrypted) || errors.Is(err, pdfcpu.ErrWrongPassword)
}

// atMost is a buffer with a limit.
type atMost struct {
	bytes.Buffer
	left int
}

func (b *atMost) Write(part []byte) (int, error) {
	if b.left -= len(part); b.left < 0 {
		return 0, errors.New("the document is too large")
	}
	return b.Buffer.Write(part)
}
