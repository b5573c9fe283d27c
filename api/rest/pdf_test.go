package rest

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"net/http"
	"runtime"
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

// receiptPDF is a receipt of one page, with what else its catalog and page hold, and more objects.
func receiptPDF(catalog, page string, more ...string) []byte {
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R " + catalog + " >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> " + page + " >>",
		streamOf("", []byte(receiptText)),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
	}
	return pdfOf("", append(objects, more...)...)
}

func TestAReceiptOfABankIsKeptAsADocument(t *testing.T) {
	clean, kind, err := RedrawReceipt(t.Context(), PDF, receiptPDF("", ""))
	require.NoError(t, err)
	require.Equal(t, PDF, kind)
	require.True(t, IsPDF(clean))
	again, _, err := RedrawReceipt(t.Context(), PDF, clean)
	require.NoError(t, err, "what we write is a document")
	require.NotEmpty(t, again)
	_, _, err = Redraw(t.Context(), receiptPDF("", ""))
	var refused *Problem
	require.ErrorAs(t, err, &refused, "where pictures alone are accepted")
	require.Equal(t, "not_an_image", refused.Code)
}

// What runs, asks, leads elsewhere or is hidden in a document is not kept.
func TestADocumentKeepsNothingButItsPages(t *testing.T) {
	const script = "app.alert(0xBAD)"
	action := "<< /S /JavaScript /JS (" + script + ") >>"
	raw := receiptPDF(
		"/OpenAction "+action+" /AA << /WC "+action+" >> /AcroForm << /Fields [6 0 R] >> "+
			"/Names << /JavaScript << /Names [(x) "+action+"] >> /EmbeddedFiles << /Names [(evil.exe) 7 0 R] >> >>",
		"/AA << /O "+action+" >> /Annots [6 0 R 9 0 R]",
		"<< /Type /Annot /Subtype /Widget /FT /Tx /T (secret-field) /Rect [0 0 9 9] /A "+action+" >>",
		"<< /Type /Filespec /F (evil.exe) /UF (evil.exe) /EF << /F 8 0 R >> >>",
		streamOf("/Type /EmbeddedFile", []byte("MZ-evil-program")),
		"<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /URI /URI (https://evil.example) >> >>")
	clean, _, err := RedrawReceipt(t.Context(), PDF, raw)
	require.NoError(t, err)
	for _, gone := range []string{script, "JavaScript", "/JS", "OpenAction", "/AA", "AcroForm", "secret-field", "Annots", "Annot", "evil", "EmbeddedFile", "/URI", "Filespec"} {
		require.NotContains(t, string(clean), gone)
	}
	require.Contains(t, string(clean), "Helvetica")
	require.Contains(t, string(clean), "/MediaBox")
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
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	for range 400 {
		_, err := w.Write(make([]byte, 1<<20))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	bombs := map[string][]byte{
		"contents": pdfOf("", "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
			"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R >>", streamOf("/Filter /FlateDecode", packed.Bytes())),
		"objects": pdfOf("", "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
			"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] >>", streamOf("/Type /ObjStm /N 1 /First 4 /Filter /FlateDecode", packed.Bytes())),
	}
	for name, raw := range bombs {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _, err := RedrawReceipt(t.Context(), PDF, raw)
		runtime.ReadMemStats(&after)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(maxDecoded), name)
		if err != nil {
			var refused *Problem
			require.ErrorAs(t, err, &refused, name)
			require.Equal(t, "pdf_damaged", refused.Code, name)
		}
	}
}
