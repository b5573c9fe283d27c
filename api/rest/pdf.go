package rest

import (
	"bytes"
	"context"
	"errors"
	"net/http"

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
	maxPDFDecoded  = 32 << 20 // bytes of one stream
	maxPDFObjects  = 20_000
	maxPDFDepth    = 50
	maxPDFRewriten = 2 * MaxUpload
)

func init() { api.DisableConfigDir() } // no settings of the machine's change what is accepted

// IsPDF reports whether a file begins as a document.
func IsPDF(raw []byte) bool { return bytes.HasPrefix(raw, []byte("%PDF-")) }

// RedrawReceipt is Redraw for a receipt, which may also be a document, if it is called one. It is read, validated and
// written anew with its pages' contents alone: no script, action, form, annotation, attachment, or metadata.
func RedrawReceipt(ctx context.Context, called string, raw []byte) (clean []byte, contentType string, err error) {
	switch {
	case IsPDF(raw) != (called == PDF):
		return nil, "", FieldProblem("file", "not_an_image", wantedReceipt)
	case called != PDF:
		return redraw(ctx, raw, wantedReceipt)
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

const wantedReceipt = "Upload a JPEG or PNG picture, or a PDF"

var (
	errPDFBroken    = FieldProblem("file", "pdf_damaged", "We can't read this PDF. Save it again, or upload a picture of it.")
	errPDFEncrypted = FieldProblem("file", "pdf_encrypted", "This PDF is protected by a password. Save it without one.")
	errPDFPages     = FieldProblem("file", "pdf_too_long", "This PDF has more than 20 pages. Choose a shorter one.")
)

// rewritePDF returns what is left of a document, or why it is refused. The library reads hostile files: a panic of it is
// a damaged file.
func rewritePDF(ctx context.Context, raw []byte) (clean []byte, refused error) {
	defer func() {
		if recover() != nil {
			clean, refused = nil, errPDFBroken
		}
	}()
	conf := model.NewDefaultConfiguration()
	conf.ValidationMode = model.ValidationRelaxed
	conf.WriteObjectStream, conf.WriteXRefStream = false, false
	conf.Limits.MaxStreamBytes, conf.Limits.MaxDecodeBytes = MaxUpload, maxPDFDecoded
	conf.Limits.MaxImagePixels, conf.Limits.MaxImageBytes = maxPixels, maxDecoded
	conf.Limits.MaxObjectCount, conf.Limits.MaxObjectStreamCount = maxPDFObjects, maxPDFObjects
	conf.Limits.MaxObjectStreamFirst, conf.Limits.MaxXRefEntries = 1<<20, maxPDFObjects
	conf.Limits.MaxRecursionDepth = maxPDFDepth
	document, err := pdfcpu.ReadWithContext(ctx, bytes.NewReader(raw), conf)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case isEncrypted(err) || err == nil && document.Encrypt != nil:
		return nil, errPDFEncrypted
	case err != nil:
		return nil, errPDFBroken
	}
	if err := stripPDF(document); err != nil {
		return nil, errPDFBroken
	}
	if err := api.ValidateContext(document); err != nil { // what is left of it: what was removed may be of any form
		return nil, errPDFBroken
	}
	if document.PageCount < 1 {
		return nil, errPDFBroken
	}
	if document.PageCount > maxPages {
		return nil, errPDFPages
	}
	out := &atMost{left: maxPDFRewriten}
	if err := api.WriteContext(document, out); err != nil {
		return nil, errPDFBroken
	}
	return out.Bytes(), nil
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

// What is kept: of the catalog, what leads to the pages; of a page or a node of their tree, what draws it.
var (
	catalogKeys = types.NewStringSet([]string{"Type", "Pages", "Version"})
	pageKeys    = types.NewStringSet([]string{"Type", "Parent", "Kids", "Count", "MediaBox", "CropBox", "BleedBox", "TrimBox",
		"ArtBox", "Rotate", "UserUnit", "Resources", "Contents", "Group"})
	// activeKeys are removed everywhere: actions, scripts, forms, annotations, files and metadata.
	activeKeys = []string{"AA", "OpenAction", "JS", "JavaScript", "AcroForm", "XFA", "Annots", "EmbeddedFiles", "EF", "RF",
		"AF", "Launch", "RichMedia", "Metadata", "PieceInfo", "OPI", "Dests", "Outlines", "Collection"}
	// elsewhereKeys of a stream refer to contents outside the document.
	elsewhereKeys = []string{"F", "FFilter", "FDecodeParms", "Ref", "PS"}
)

// stripPDF removes everything from a document but what draws its pages.
func stripPDF(document *model.Context) error {
	catalog, err := document.Catalog()
	if err != nil {
		return err
	}
	keep(catalog, catalogKeys)
	for _, entry := range document.Table {
		if entry == nil || entry.Free {
			continue
		}
		stripObject(entry.Object, 0)
	}
	document.Info, document.ID = nil, nil
	document.Names, document.Outlines = nil, nil
	return nil
}

func keep(dict types.Dict, keys types.StringSet) {
	for key := range dict {
		if !keys[key] {
			delete(dict, key)
		}
	}
}

// stripObject strips an object, and those within it.
func stripObject(object types.Object, depth int) {
	if depth > maxPDFDepth {
		return
	}
	switch o := object.(type) {
	case types.Dict:
		stripDict(o, depth)
	case types.StreamDict:
		stripStream(o.Dict, depth)
	case *types.StreamDict:
		stripStream(o.Dict, depth)
	case types.Array:
		for _, one := range o {
			stripObject(one, depth+1)
		}
	}
}

func stripStream(dict types.Dict, depth int) {
	for _, key := range elsewhereKeys {
		delete(dict, key)
	}
	stripDict(dict, depth)
}

func stripDict(dict types.Dict, depth int) {
	if kind := dict.Type(); kind != nil && (*kind == "Page" || *kind == "Pages") {
		keep(dict, pageKeys)
	}
	for _, key := range activeKeys {
		if _, isName := dict[key].(types.Name); !isName { // a value such as a blend mode runs nothing
			delete(dict, key)
		}
	}
	for _, one := range dict {
		stripObject(one, depth+1)
	}
}
