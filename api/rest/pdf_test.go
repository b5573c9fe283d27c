package rest

import (
	"bytes"
	"compress/zlib"
	"context"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// pdfOf writes a document of these objects, the first of which is its catalog.
func pdfOf(trailer string, objects ...string) []byte {
	var out bytes.Buffer
	out.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	offsets := make([]int, len(objects))
	for i, object := range objects {
		offsets[i] = out.Len()
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	start := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, offset := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&out, "trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, trailer, start)
	return out.Bytes()
}

// streamOf is a stream with what its dictionary holds beside its length.
func streamOf(dict string, content []byte) string {
	return fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", dict, len(content), content)
}

const receiptText = "BT /F1 24 Tf 72 700 Td (Transfer of 250.00 USD) Tj ET"

// packedPDF writes a document of these objects as pdfOf does, with those that are no streams in object streams, of some
// objects each, and a stream of cross-references.
func packedPDF(objects ...string) []byte {
	b := newPacker()
	var numbers []int
	var texts []string
	for i, object := range objects {
		if strings.Contains(object, "\nstream\n") {
			b.plain(i+1, object)
			continue
		}
		numbers, texts = append(numbers, i+1), append(texts, object)
	}
	for n := len(objects) + 1; len(numbers) > 0; n++ {
		some := min(3, len(numbers))
		b.pack(n, numbers[:some], texts[:some], 0)
		numbers, texts = numbers[some:], texts[some:]
	}
	return b.done("")
}

// packer writes a document with object streams.
type packer struct {
	out     bytes.Buffer
	entries map[int][3]int // the kind of an entry, and where its object is
}

func newPacker() *packer {
	b := &packer{entries: map[int][3]int{}}
	b.out.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	return b
}

func deflated(content []byte) []byte {
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	_, _ = w.Write(content) // to memory
	_ = w.Close()
	return packed.Bytes()
}

func (b *packer) plain(n int, object string) {
	b.entries[n] = [3]int{1, b.out.Len(), 0}
	fmt.Fprintf(&b.out, "%d 0 obj\n%s\nendobj\n", n, object)
}

// pack writes an object stream of these objects, with blanks behind them.
func (b *packer) pack(n int, numbers []int, objects []string, blanks int) {
	var list, body bytes.Buffer
	for i, object := range objects {
		fmt.Fprintf(&list, "%d %d ", numbers[i], body.Len())
		body.WriteString(object + " ")
		b.entries[numbers[i]] = [3]int{2, n, i}
	}
	body.Write(bytes.Repeat([]byte(" "), blanks))
	b.plain(n, streamOf(fmt.Sprintf("/Type /ObjStm /N %d /First %d /Filter /FlateDecode", len(objects), list.Len()),
		deflated(append(list.Bytes(), body.Bytes()...))))
}

// done writes the stream of cross-references.
func (b *packer) done(more string) []byte {
	last := 0
	for n := range b.entries {
		last = max(last, n)
	}
	start := b.out.Len()
	b.entries[last+1] = [3]int{1, start, 0}
	var table []byte
	for i := range last + 2 {
		e := b.entries[i]
		table = append(table, byte(e[0]), byte(e[1]>>24), byte(e[1]>>16), byte(e[1]>>8), byte(e[1]))
		table = append(table, byte(e[2]>>8), byte(e[2]))
	}
	dict := fmt.Sprintf("/Type /XRef /Size %d /W [1 4 2] /Root 1 0 R /Filter /FlateDecode %s", last+2, more)
	fmt.Fprintf(&b.out, "%d 0 obj\n%s\nendobj\nstartxref\n%d\n%%%%EOF\n", last+1, streamOf(dict, deflated(table)), start)
	return b.out.Bytes()
}

// receiptPDF is a receipt of one page, with what else its catalog and page hold, and more objects.
func receiptPDF(catalog, page string, more ...string) []byte {
	return pdfOf("", receiptObjects(catalog, page, more...)...)
}

func receiptObjects(catalog, page string, more ...string) []string {
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R " + catalog + " >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> " + page + " >>",
		streamOf("", []byte(receiptText)),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
	}
	return append(objects, more...)
}

func TestAReceiptOfABankIsKeptAsADocument(t *testing.T) {
	clean, kind, err := RedrawReceipt(t.Context(), PDF, receiptPDF("", ""))
	require.NoError(t, err)
	require.Equal(t, PDF, kind)
	require.True(t, IsPDF(clean))
	again, _, err := RedrawReceipt(t.Context(), PDF, clean)
	require.NoError(t, err, "what we write is a document")
	require.NotEmpty(t, again)
	plain, _, _ := bytes.Cut(receiptPDF("", ""), []byte("xref\n"))
	repaired := slices.Concat(plain, []byte("trailer\n<< /Root 1 0 R /Size 6 >>\n%%EOF\n"))
	_, _, err = RedrawReceipt(t.Context(), PDF, repaired)
	require.NoError(t, err, "a table of cross-references that is missing is made anew")
	_, _, err = Redraw(t.Context(), receiptPDF("", ""))
	var refused *Problem
	require.ErrorAs(t, err, &refused, "where pictures alone are accepted")
	require.Equal(t, "not_an_image", refused.Code)
}

// What runs, asks, leads elsewhere or is hidden in a document is not kept, however the document is written.
func TestADocumentKeepsNothingButItsPages(t *testing.T) {
	const script = "app.alert(0xBAD)"
	const page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R " +
		"/Resources << /Font << /F1 5 0 R >> >> "
	action := "<< /S /JavaScript /JS (" + script + ") >>"
	gone := []string{script, "JavaScript", "/JS", "OpenAction", "/AA", "AcroForm", "secret-field", "Annots", "Annot",
		"evil", "EmbeddedFile", "/URI", "Filespec", "PresSteps", "/Thumb", "/ObjStm", "/XRef"}
	active := receiptObjects(
		"/OpenAction "+action+" /AA << /WC "+action+" >> /AcroForm << /Fields [6 0 R] >> "+
			"/Names << /JavaScript << /Names [(x) "+action+"] >> /EmbeddedFiles << /Names [(evil.exe) 7 0 R] >> >>",
		"/AA << /O "+action+" >> /Annots [6 0 R 9 0 R]",
		"<< /Type /Annot /Subtype /Widget /FT /Tx /T (secret-field) /Rect [0 0 9 9] /A "+action+" >>",
		"<< /Type /Filespec /F (evil.exe) /UF (evil.exe) /EF << /F 8 0 R >> >>",
		streamOf("/Type /EmbeddedFile", []byte("MZ-evil-program")),
		"<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /URI /URI (https://evil.example) >> >>")
	const more = " /PresSteps << /Type /NavNode /NA 6 0 R >> /Thumb 7 0 R >>"
	untyped := receiptObjects("", "", action, streamOf("", []byte("evil")))
	untyped[2] = strings.Replace(page, "/Type /Page", "", 1) + more
	indirect := receiptObjects("", "", action, streamOf("", []byte("evil")), "/Page", "/Pages")
	indirect[1] = "<< /Type 9 0 R /Kids 10 0 R /Count 1 " + more
	indirect[2] = strings.Replace(page, "/Type /Page", "/Type 8 0 R", 1) + more
	indirect = append(indirect, "[3 0 R]")
	for name, objects := range map[string][]string{
		"active parts": active, "a page without a type": untyped, "a page of an indirect type": indirect,
	} {
		for how, raw := range map[string][]byte{"plain": pdfOf("", objects...), "packed": packedPDF(objects...)} {
			clean, _, err := RedrawReceipt(t.Context(), PDF, raw)
			require.NoError(t, err, "%s, %s", name, how)
			for _, word := range gone {
				require.NotContains(t, string(clean), word, "%s, %s", name, how)
			}
			require.Contains(t, string(clean), "Helvetica")
			require.Contains(t, string(clean), "/MediaBox")
			require.Contains(t, string(clean), receiptText)
		}
	}
}

// The work on a document ends with its request.
func TestADocumentOfACanceledRequestIsNotRead(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := rewritePDF(ctx, receiptPDF("", ""))
	require.ErrorIs(t, err, context.Canceled)
}

func TestDocumentsThatCannotBeReadAreRefused(t *testing.T) {
	long := []string{"<< /Type /Catalog /Pages 2 0 R >>", ""}
	kids := make([]string, 0, maxPages+1)
	for i := range maxPages + 1 {
		kids = append(kids, fmt.Sprintf("%d 0 R", i+3))
		long = append(long, "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] >>")
	}
	long[1] = fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", strings.Join(kids, " "), len(kids))
	locked := pdfOf("/Encrypt 6 0 R /ID [<00112233445566778899aabbccddeeff> <00112233445566778899aabbccddeeff>]",
		"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R >>", streamOf("", []byte(receiptText)), "null",
		"<< /Filter /Standard /V 2 /R 3 /Length 128 /P -44 /O <"+strings.Repeat("5a", 32)+"> /U <"+strings.Repeat("a5", 32)+"> >>")
	for name, c := range map[string]struct {
		raw  []byte
		code string
	}{
		"too long":  {pdfOf("", long...), "pdf_too_long"},
		"encrypted": {locked, "pdf_encrypted"},
		"cut":       {receiptPDF("", "")[:80], "pdf_damaged"},
		"a name":    {[]byte("%PDF-1.7\n" + strings.Repeat("x", 500)), "pdf_damaged"},
		"no pages":  {pdfOf("", "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [] /Count 0 >>"), "pdf_damaged"},
		"a loop":    {pdfOf("", "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [2 0 R] /Count 1 >>"), "pdf_damaged"},
		"a picture": {[]byte("GIF89a"), "not_an_image"},
	} {
		_, _, err := RedrawReceipt(t.Context(), PDF, c.raw)
		var refused *Problem
		require.ErrorAs(t, err, &refused, name)
		require.Equal(t, http.StatusUnprocessableEntity, refused.Status, name)
		require.Equal(t, c.code, refused.Code, name)
	}
	for called, raw := range map[string][]byte{"image/png": receiptPDF("", ""), PDF: deepPNG(t, 4), "": receiptPDF("", "")} {
		_, _, err := RedrawReceipt(t.Context(), called, raw)
		var refused *Problem
		require.ErrorAs(t, err, &refused, "what is called otherwise than it is")
		require.Equal(t, "not_an_image", refused.Code)
	}
	_, _, err := RedrawReceipt(t.Context(), PDF, append([]byte("%PDF-"), make([]byte, MaxUpload)...))
	var refused *Problem
	require.ErrorAs(t, err, &refused)
	require.Equal(t, http.StatusRequestEntityTooLarge, refused.Status)
}

// A small file that unpacks to more than memory holds costs no more than the limit, whether it is refused or kept packed.
func TestADocumentThatUnpacksWithoutEndCostsLittle(t *testing.T) {
	for name, raw := range bombs() {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, _, err := RedrawReceipt(t.Context(), PDF, raw)
			runtime.ReadMemStats(&after)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(maxDecoded))
			if err != nil {
				var refused *Problem
				require.ErrorAs(t, err, &refused)
				require.Equal(t, "pdf_damaged", refused.Code)
			}
		})
	}
}

// bombs are documents each of which has many streams of a kind that unpack to 64 MB.
func bombs() map[string][]byte {
	const many = 8
	bomb := deflated(make([]byte, 64<<20))
	flate := func(dict string) string { return streamOf("/Filter /FlateDecode "+dict, bomb) }
	drawn := func(resources, content, dict string) []byte {
		objects := receiptObjects("", "")
		names, refs := "", ""
		for i := range many {
			names += fmt.Sprintf("/X%d %s ", i, strings.ReplaceAll(resources, "N", fmt.Sprintf("%d 0 R", 6+i)))
			refs += fmt.Sprintf("%d 0 R ", 6+i)
			objects = append(objects, flate(dict))
		}
		objects[2] = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] " +
			strings.ReplaceAll(strings.ReplaceAll(content, "NAMES", names), "REFS", refs) + " >>"
		return pdfOf("", objects...)
	}
	const image = "/Type /XObject /Subtype /Image /Width 4000 /Height 5000 /BitsPerComponent 8 /ColorSpace /DeviceRGB"
	bombs := map[string][]byte{
		"contents": drawn("N", "/Contents [REFS]", ""),
		"images":   drawn("N", "/Resources << /XObject << NAMES >> >>", image),
		"forms": drawn("N", "/Resources << /XObject << NAMES >> >>",
			"/Type /XObject /Subtype /Form /BBox [0 0 9 9]"),
		"profiles": drawn("[/ICCBased N]", "/Resources << /ColorSpace << NAMES >> >>", "/N 3"),
		"fonts": drawn("<< /Type /Font /Subtype /TrueType /BaseFont /A /FirstChar 0 /LastChar 0 /Widths [9] "+
			"/FontDescriptor << /Type /FontDescriptor /FontName /A /Flags 4 /FontBBox [0 0 9 9] /ItalicAngle 0 /Ascent 9 /Descent 0 "+
			"/CapHeight 9 /StemV 9 /FontFile2 N >> /ToUnicode N >>",
			"/Resources << /Font << NAMES >> >>", "/Length1 9"),
		"functions": drawn("[/Separation /A /DeviceRGB N]", "/Resources << /ColorSpace << NAMES >> >>",
			"/FunctionType 0 /Domain [0 1] /Range [0 1 0 1 0 1] /Size [9] /BitsPerSample 8"),
	}
	packed := newPacker()
	for i, object := range receiptObjects("", "") {
		packed.plain(i+1, object)
	}
	for i := range many {
		packed.pack(101+2*i, []int{100 + 2*i}, []string{"<< >>"}, 30<<20)
	}
	bombs["object streams"] = packed.done("")
	for name, filter := range map[string]string{
		"cross-references": "/Filter /FlateDecode", "in two steps": "/Filter [/FlateDecode /FlateDecode]",
		"of wide rows":       "/Filter /FlateDecode /DecodeParms << /Predictor 12 /Columns 67000000 >>",
		"of an escaped name": "/F#69lter /FlateDecode /Filter /FlateDecode",
		"run lengths":        "/Filter [/FlateDecode /RunLengthDecode]",
	} {
		bombs[name], bombs["hybrid "+name] = crossReferenced(filter, bomb, many)
	}
	bombs["a filter that is elsewhere"] = filterElsewhere(bomb)
	bombs["the same place"] = samePlace("/Length 4000000", 4_000_000)
	bombs["too long"] = samePlace("/Length 4000000", 0)
	bombs["the same object"] = sameObject()
	return bombs
}

// crossReferenced are documents with a chain of streams of cross-references, and with one beside a table.
func crossReferenced(filter string, content []byte, many int) (chain, hybrid []byte) {
	var out bytes.Buffer
	out.WriteString("%PDF-1.7\n")
	at := 0
	for i := range many {
		prev := ""
		if i > 0 {
			prev = fmt.Sprintf("/Prev %d", at)
		}
		at = out.Len()
		dict := "/Type /XRef /Size 9 /W [1 2 1] /Root 1 0 R " + prev + " " + filter
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", i+1, streamOf(dict, content))
	}
	fmt.Fprintf(&out, "startxref\n%d\n%%%%EOF\n", at)
	hidden := streamOf("/Type /XRef /Size 9 /W [1 2 1] /Root 1 0 R "+filter, content)
	plain := pdfOf("", append(receiptObjects("", ""), hidden)...)
	where := bytes.Index(plain, []byte("6 0 obj"))
	return out.Bytes(), pdfOf(fmt.Sprintf("/XRefStm %d", where), append(receiptObjects("", ""), hidden)...)
}

// filterElsewhere is a document whose stream of cross-references has parameters that lie in a comment of it.
func filterElsewhere(content []byte) []byte {
	hidden := "<< /Type /XRef /Size 9 /W [1 2 1] /Root 1 0 R /Filter [/FlateDecode] /DecodeParms [6 0 R] " +
		fmt.Sprintf("/Length %d ", len(content)) +
		"%6 0 obj << /Type /XRef /Filter /FlateDecode\n>>\nstream\n" + string(content) + "\nendstream"
	objects := append(receiptObjects("", ""), "<< >>", hidden)
	where := bytes.Index(pdfOf("", objects...), []byte("7 0 obj"))
	return pdfOf(fmt.Sprintf("/XRefStm %d", where), objects...)
}

// samePlace is a document whose table names one stream two thousand times.
func samePlace(dict string, size int) []byte {
	var out bytes.Buffer
	out.WriteString("%PDF-1.7\n")
	offsets := []int{}
	for i, object := range receiptObjects("", "") {
		offsets = append(offsets, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	same := out.Len()
	fmt.Fprintf(&out, "6 0 obj\n<< %s >>\nstream\n%s\nendstream\nendobj\n", dict, strings.Repeat("x", size))
	out.WriteString(strings.Repeat("%\n", (4_000_000-size)/2))
	for range 2_000 {
		offsets = append(offsets, same)
	}
	start := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, offset := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&out, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, start)
	return out.Bytes()
}

// sameObject is a document whose cross-references name one packed object two thousand times.
func sameObject() []byte {
	b := newPacker()
	for i, object := range receiptObjects("", "") {
		b.plain(i+1, object)
	}
	b.pack(7, []int{6}, []string{"<< >>"}, 4<<20)
	for i := range 2_000 {
		b.entries[100+i] = b.entries[6]
	}
	return b.done("")
}
