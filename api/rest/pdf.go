package rest

import (
	"bytes"
	"compress/zlib"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"regexp"
	"runtime"
	"strconv"
	"strings"
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

// RedrawReceipt is Redraw for a receipt, which may also be a document, if it is called one. It is read, validated and
// written anew with its pages' contents alone: no script, action, form, annotation, attachment, or metadata.
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

// unpacks reports whether the library has unpacked anything of a document. It says that it uses a stream of
// cross-references also for a file without any, which it repairs.
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

// pdfSource is the file that the library reads. Of what is packed in it the library bounds each stream, and those of
// cross-references not at all: this bounds all of them together, before they are unpacked.
type pdfSource struct {
	raw      []byte
	at, from int64 // the offset, and that of the object that is read
	read     int   // bytes that may still be read
	unpacked int   // bytes that may still be unpacked
	prologs  int   // bytes of lists of packed objects that may still be unpacked
	measured bool
	err      error // is returned for ever
}

func (s *pdfSource) Read(part []byte) (int, error) {
	if s.read -= len(part); s.read < 0 && s.err == nil { // what is asked for is allocated already
		s.err = errBadPDF
	}
	if s.err != nil {
		return 0, s.err
	}
	if s.at >= int64(len(s.raw)) {
		return 0, io.EOF
	}
	n := copy(part, s.raw[s.at:])
	s.at += int64(n)
	return n, nil
}

func (s *pdfSource) Seek(offset int64, whence int) (int64, error) {
	if s.err != nil {
		return 0, s.err
	}
	switch whence {
	case io.SeekCurrent:
		offset += s.at
	case io.SeekEnd:
		offset += int64(len(s.raw))
	}
	if offset < 0 {
		return 0, errBadPDF
	}
	s.at = offset
	switch readerOfPDF() {
	case "":
		s.from = offset
	case readsPacked:
		s.err = s.measure(s.from, offset)
	}
	return offset, s.err
}

const (
	readsPacked = "the content of packed objects"
	readsValue  = "a value of their dictionary"
)

// readerOfPDF returns what the library is about to read, by its functions that are running: it unpacks two kinds of
// streams while it reads, one of them without a limit, and has no hook before that. readPDF refuses a file of which
// nothing was measured.
func readerOfPDF() string {
	var callers [24]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(3, callers[:])])
	reads := ""
	for {
		frame, more := frames.Next()
		switch name := frame.Function[strings.LastIndexByte(frame.Function, '.')+1:]; name {
		case "dereferencedObject":
			reads = readsValue
		case "loadEncodedStreamContent":
			if reads == "" {
				reads = readsPacked
			}
		case "xRefStreamDict", "decodeObjectStream":
			return reads
		}
		if !more {
			return ""
		}
	}
}

var (
	pdfText    = regexp.MustCompile(`\((?:[^()\\/]|\\[^/])*\)`)
	pdfFilter  = regexp.MustCompile(`/Filter\s*(?:/FlateDecode\b|\[\s*/FlateDecode\s*\])`)
	pdfParms   = regexp.MustCompile(`/DecodeParms\s*(?:\[\s*)?<<`)
	pdfColumns = regexp.MustCompile(`/Columns[^/>]*\d{5}|/(?:Colors|BitsPerComponent)[^/>]*\d{2}`)
	pdfProlog  = regexp.MustCompile(`/First\s+(\d{1,7})\b`)
)

// measure accounts for the stream of packed objects whose object begins at from, and its content at offset. Its form is
// that of every program: one filter at most, named in place.
func (s *pdfSource) measure(from, offset int64) error {
	s.measured = true
	if from >= offset || offset-from > maxPDFHead || offset > int64(len(s.raw)) {
		return errBadPDF
	}
	head := pdfText.ReplaceAll(s.raw[from:offset], []byte(" "))
	filters := bytes.Count(head, []byte("/Filter"))
	parms := bytes.Count(head, []byte("/DecodeParms"))
	switch {
	case bytes.ContainsAny(head, "#%()"), pdfColumns.Match(head):
		return errBadPDF
	case filters > 1 || filters == 1 && !pdfFilter.Match(head), parms > 1 || parms == 1 && !pdfParms.Match(head):
		return errBadPDF
	}
	prologs := pdfProlog.FindAllSubmatch(head, -1)
	if len(prologs) != bytes.Count(head, []byte("/First")) {
		return errBadPDF
	}
	for _, first := range prologs {
		n, _ := strconv.Atoi(string(first[1])) // has seven digits at most
		if s.prologs -= n; s.prologs < 0 {
			return errBadPDF
		}
	}
	if filters == 1 {
		return s.inflate(offset)
	}
	return nil
}

// inflate unpacks to nowhere what begins at an offset.
func (s *pdfSource) inflate(offset int64) error {
	packed := bytes.NewReader(s.raw[offset:])
	content, err := zlib.NewReader(packed)
	if err != nil {
		return errBadPDF
	}
	n, _ := io.CopyN(io.Discard, content, int64(s.unpacked)+1) // the library, too, takes what comes before a fault
	s.read -= int(packed.Size()) - packed.Len()
	if s.unpacked -= int(n); s.unpacked < 0 || s.read < 0 {
		return errBadPDF
	}
	return nil
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
	catalog["Type"] = types.Name("Catalog")
	for _, entry := range document.Table {
		if entry == nil || entry.Free {
			continue
		}
		if err := stripObject(entry.Object, 0); err != nil {
			return err
		}
	}
	document.Info, document.ID = nil, nil
	document.Names, document.Outlines = nil, nil
	return nil
}

// pageTree is the tree of a document's pages while it is stripped.
type pageTree struct {
	document     *model.Context
	seen         map[types.Integer]bool
	nodes, pages int
}

// stripPages strips each node of the tree of pages by its place in it, whatever it calls itself.
func stripPages(document *model.Context) error {
	catalog, err := document.Catalog()
	if err != nil {
		return err
	}
	tree := &pageTree{document: document, seen: map[types.Integer]bool{}}
	return tree.strip(catalog["Pages"], 0)
}

func (t *pageTree) strip(at types.Object, depth int) error {
	t.nodes++
	reference, ok := at.(types.IndirectRef)
	if !ok || t.seen[reference.ObjectNumber] || depth > maxPDFDepth || t.nodes > maxPDFNodes {
		return errBadPDF
	}
	t.seen[reference.ObjectNumber] = true
	node, err := t.document.DereferenceDict(reference)
	if err != nil {
		return err
	}
	if node == nil {
		return errBadPDF
	}
	keep(node, pageKeys)
	if _, inner := node["Kids"]; !inner {
		node["Type"] = types.Name("Page")
		if t.pages++; t.pages > maxPages {
			return errLongPDF
		}
		return nil
	}
	node["Type"] = types.Name("Pages")
	kids, err := t.document.DereferenceArray(node["Kids"])
	if err != nil {
		return err
	}
	for _, kid := range kids {
		if err := t.strip(kid, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func keep(dict types.Dict, keys types.StringSet) {
	for key := range dict {
		if !keys[key] {
			delete(dict, key)
		}
	}
}

// stripObject strips an object, and those within it. An object of a kind that is not known is an error.
func stripObject(object types.Object, depth int) error {
	if depth > maxPDFDepth {
		return errBadPDF
	}
	switch o := object.(type) {
	case nil, types.Boolean, types.Integer, types.Float, types.Name, types.StringLiteral, types.HexLiteral,
		types.IndirectRef:
		return nil
	case types.ObjectStreamDict, types.XRefStreamDict: // are not written
		return nil
	case types.Dict:
		return stripDict(o, depth)
	case types.StreamDict:
		return stripStream(o.Dict, depth)
	case *types.StreamDict:
		return stripStream(o.Dict, depth)
	case types.Array:
		for _, one := range o {
			if err := stripObject(one, depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	return errBadPDF
}

func stripStream(dict types.Dict, depth int) error {
	for _, key := range elsewhereKeys {
		delete(dict, key)
	}
	return stripDict(dict, depth)
}

func stripDict(dict types.Dict, depth int) error {
	if kind := dict.Type(); kind != nil && (*kind == "Page" || *kind == "Pages") {
		keep(dict, pageKeys)
	}
	for _, key := range activeKeys {
		if _, isName := dict[key].(types.Name); !isName { // a value such as a blend mode runs nothing
			delete(dict, key)
		}
	}
	for _, one := range dict {
		if err := stripObject(one, depth+1); err != nil {
			return err
		}
	}
	return nil
}
