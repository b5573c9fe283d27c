package api

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/internal/bucket"
	"github.com/tradepost/tradepost/internal/local/asvs"
	"github.com/tradepost/tradepost/internal/secret"
)

// upload sends a file for an order.
func (v *visitor) upload(orderID, kind string, file []byte) *answer {
	v.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	require.NoError(v, w.WriteField("kind", kind))
	part, err := w.CreatePart(map[string][]string{"Content-Disposition": {`form-data; name="file"; filename="../../etc/passwd.png"`}, "Content-Type": {"image/png"}})
	require.NoError(v, err)
	_, err = part.Write(file)
	require.NoError(v, err)
	require.NoError(v, w.Close())
	return v.post("/api/orders/"+orderID+"/evidence", form.String(), "Content-Type", w.FormDataContentType())
}

func picture(t *testing.T, side int) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, png.Encode(&out, image.NewPaletted(image.Rect(0, 0, side, side), color.Palette{color.White})))
	return out.Bytes()
}

// photo is a JPEG with a hidden text behind its picture, as EXIF would be.
func photo(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, jpeg.Encode(&out, image.NewGray(image.Rect(0, 0, 40, 30)), nil))
	exif := append([]byte{0xff, 0xe1, 0, 24}, []byte("Exif\x00\x00GPS-canary-12345")...)
	return append(append(append([]byte{}, out.Bytes()[:2]...), exif...), out.Bytes()[2:]...)
}

func TestBar37EvidenceIsForItsOwnerAndReviewers(t *testing.T) {
	h := open(t)
	v, stranger, admin := h.customer(), h.customer(), h.customer("admin")
	v.upload(v.order("domestic_wire"), "receipt", photo(t)).is(http.StatusCreated)
	key := one[string](h, `SELECT file_key FROM evidence`)
	stranger.get("/evidence/"+key).is(http.StatusNotFound, asvs.Claim(t, "14.2.1"))
	for _, who := range []*visitor{v, admin} {
		shown := who.get("/evidence/" + key).is(http.StatusOK)
		require.Equal(t, "image/jpeg", shown.header.Get("Content-Type"))
		require.Contains(t, shown.header.Get("Content-Security-Policy"), "sandbox", asvs.Claim(t, "3.2.1"))
		require.Equal(t, "no-store", shown.header.Get("Cache-Control"))
		require.NotContains(t, string(shown.body), "canary", "what came beside the picture is gone")
	}
	require.Contains(t, v.get("/api/config").header.Get("Content-Security-Policy"), "default-src 'none'", asvs.Claim(t, "3.2.1"))
}

// A receipt can be a document. It is downloaded, by its owner and by staff, and runs nothing.
func TestAReceiptCanBeADocument(t *testing.T) {
	h := open(t)
	v, stranger, admin := h.customer(), h.customer(), h.customer("admin")
	path := "/api/orders/" + v.order("domestic_wire") + "/evidence"
	send := func(kind, content string) *answer {
		return v.sendForm(path, []formPart{{field: "kind", content: kind}, {"file", "a.pdf", rest.PDF, content}})
	}
	const page = "%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /JavaScript /JS (canary) >> >>\nendobj\n" +
		"2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] >>\nendobj\n" +
		"trailer\n<< /Root 1 0 R /Size 4 >>\n%%EOF\n"
	send("receipt", page).is(http.StatusCreated)
	key := one[string](h, `SELECT file_key FROM evidence`)
	stranger.get("/evidence/" + key).is(http.StatusNotFound)
	for _, who := range []*visitor{v, admin} {
		shown := who.get("/evidence/" + key).is(http.StatusOK)
		require.Equal(t, rest.PDF, shown.header.Get("Content-Type"))
		require.Equal(t, `attachment; filename="receipt.pdf"`, shown.header.Get("Content-Disposition"))
		require.Contains(t, shown.header.Get("Content-Security-Policy"), "sandbox")
		require.True(t, rest.IsPDF(shown.body))
		require.NotContains(t, string(shown.body), "canary")
	}
	send("receipt", "%PDF-1.4 broken").refused(http.StatusUnprocessableEntity, "pdf_damaged")
	send("card_photo", page).refused(http.StatusUnprocessableEntity, "not_an_image")
}

func TestPhotosOfCardsAreErasedOncePurged(t *testing.T) {
	h := open(t)
	h.exec(`UPDATE payment_methods SET wants_card_photo = true WHERE payment_method = 'zelle'`)
	v := h.customer()
	id := v.order("zelle")
	v.upload(id, "card_photo", picture(t, 8)).is(http.StatusCreated)
	v.upload(id, "receipt", picture(t, 8)).is(http.StatusCreated)
	key := one[string](h, `SELECT file_key FROM evidence WHERE kind = 'card_photo'`)
	require.NoError(t, h.server.order.EraseFiles(t.Context()))
	there, err := h.server.Files.Exists(t.Context(), key)
	require.NoError(t, err)
	require.True(t, there)

	h.exec(`UPDATE evidence SET purged_at = clock_now() WHERE kind = 'card_photo'`)
	v.get("/evidence/" + key).is(http.StatusNotFound)
	require.NoError(t, h.server.order.EraseFiles(t.Context()))
	there, err = h.server.Files.Exists(t.Context(), key)
	require.NoError(t, err)
	require.False(t, there)
	require.Equal(t, 1, one[int](h, `SELECT count(*) FROM evidence WHERE erased_at IS NOT NULL`))
}

// A file that lost its process before its row is removed later; one with a row, a young one, one of a form that is not ours
// and a copy of a seal stay, and everything does where the database does not know the bucket.
func TestFilesWithoutARowAreRemoved(t *testing.T) {
	h := open(t)
	v := h.customer()
	id := v.order("domestic_wire")
	for range 10 {
		v.upload(id, "receipt", picture(t, 8)).is(http.StatusCreated)
	}
	write := func(key string) {
		require.NoError(t, h.server.Files.WriteAll(t.Context(), key, []byte("sealed"), nil))
	}
	there := func(key string) bool {
		found, err := h.server.Files.Exists(t.Context(), key)
		require.NoError(t, err)
		return found
	}
	left, another := bucket.NewName(), bucket.NewName()
	theirs := []string{"audit-seals/1.json", "LEFT", "invoice.pdf", strings.ToLower(left), left + ".pdf", "x" + left}
	for _, key := range append(theirs, left) {
		write(key)
	}
	remove := func(before time.Time) error {
		return rest.Sealed{Files: h.server.Files, Log: h.server.Log}.RemoveWithoutRow(t.Context(), h.server.DB, fileTables, before)
	}
	require.NoError(t, remove(time.Now().Add(-time.Hour)))
	require.True(t, there(left), "its row may be on its way")
	write(another)
	require.ErrorContains(t, remove(time.Now().Add(time.Hour)), "2 of 12 files have no row")
	require.NoError(t, h.server.Files.Delete(t.Context(), another))
	require.NoError(t, remove(time.Now().Add(time.Hour)))
	require.False(t, there(left))
	for _, key := range theirs {
		require.True(t, there(key), key)
	}
	require.True(t, there(one[string](h, `SELECT min(file_key) FROM evidence`)))
	require.ElementsMatch(t, strings.Split(one[string](h, `SELECT string_agg(table_name::text, ' ') FROM information_schema.columns WHERE column_name = 'file_key' AND table_schema = 'public'`), " "), fileTables)
}

// Receipts lie sealed in the bucket, each for its own key; those of before are sealed
// without being out of reach meanwhile.
func TestEvidenceLiesSealedInTheBucket(t *testing.T) {
	h := open(t)
	v := h.customer()
	id := v.order("domestic_wire")
	for range 2 {
		v.upload(id, "receipt", picture(t, 8)).is(http.StatusCreated)
	}
	keys := one[[]string](h, `SELECT array_agg(file_key ORDER BY id) FROM evidence`)
	sealed := h.file(keys[0])
	require.NotContains(t, string(sealed), "PNG")
	v.get("/evidence/" + keys[0]).is(http.StatusOK)

	// A file in another's place is not shown, and none that is plain after it was sealed.
	require.NoError(t, h.server.Files.WriteAll(t.Context(), keys[1], sealed, nil))
	v.get("/evidence/" + keys[1]).is(http.StatusInternalServerError)
	require.NoError(t, h.server.Files.WriteAll(t.Context(), keys[1], picture(t, 8), nil))
	v.get("/evidence/" + keys[1]).is(http.StatusInternalServerError)

	h.exec(`UPDATE evidence SET sealed_at = NULL, sealed_with = NULL`)
	shown := v.get("/evidence/" + keys[1]).is(http.StatusOK)
	require.NoError(t, h.server.order.SealEvidence(t.Context()))
	require.NotContains(t, string(h.file(keys[1])), "PNG")
	require.Equal(t, sealed, h.file(keys[0]), "what a replica had sealed is only noted")
	require.Equal(t, shown.body, v.get("/evidence/"+keys[1]).is(http.StatusOK).body)
	require.Zero(t, one[int](h, `SELECT count(*) FROM evidence WHERE sealed_at IS NULL`))
}

// After a change of SECRET_KEY files are sealed with the new key, also where the process that did so died before it
// recorded that; then the earlier key opens none of them.
func TestFilesAreSealedWithTheCurrentKey(t *testing.T) {
	h := open(t)
	v := h.customer()
	id := v.order("domestic_wire")
	for range 2 {
		v.upload(id, "receipt", picture(t, 8)).is(http.StatusCreated)
	}
	finance := h.customer("finance")
	require.Less(t, finance.document(picture(t, 9)).status, 300)
	v.sell(regularCard, [][]byte{picture(t, 20), picture(t, 21)}).is(http.StatusCreated)
	keys := one[[]string](h, `SELECT array_agg(file_key ORDER BY id) FROM (SELECT id, file_key FROM evidence UNION ALL SELECT id, file_key FROM gift_card_images UNION ALL SELECT id, file_key FROM money_documents) f`)
	paths := one[[]string](h, `SELECT array_agg(path) FROM (SELECT '/evidence/' || file_key AS path FROM evidence UNION ALL SELECT '/gift-card-images/' || file_key FROM gift_card_images) f`)
	document := "/api/admin/money/documents/" + one[string](h, `SELECT CAST(id AS text) FROM money_documents`)
	shown := func() (all [][]byte) {
		for _, path := range paths {
			all = append(all, v.get(path).is(http.StatusOK).body)
		}
		return append(all, finance.get(document).is(http.StatusOK).body)
	}
	lying := func() (all [][]byte) {
		for _, key := range keys {
			all = append(all, h.file(key))
		}
		return all
	}
	seal := func() {
		require.NoError(t, h.server.order.SealEvidence(t.Context()))
		require.NoError(t, h.server.giftcard.ResealPictures(t.Context()))
		require.NoError(t, h.server.correction.SealDocuments(t.Context()))
	}
	with := func(masters ...string) *secret.Keys {
		var raw [][]byte
		for _, master := range masters {
			raw = append(raw, bytes.Repeat([]byte(master), 16))
		}
		vault, err := secret.NewKeys(raw...)
		require.NoError(t, err)
		h.server.order.Vault, h.server.giftcard.Vault, h.server.correction.Vault = vault, vault, vault
		return vault
	}
	stored := one[string](h, `SELECT file_key FROM money_documents`)
	require.NotContains(t, string(h.file(stored)), "PNG")
	plain := finance.get(document).is(http.StatusOK).body
	require.NoError(t, h.server.Files.WriteAll(t.Context(), stored, plain, nil))
	finance.get(document).is(http.StatusInternalServerError)
	h.exec(`UPDATE money_documents SET sealed_with = NULL`)
	require.Equal(t, plain, finance.get(document).is(http.StatusOK).body, "one from before they were sealed")
	require.NoError(t, h.server.correction.SealDocuments(t.Context()))
	require.NotContains(t, string(h.file(stored)), "PNG")
	before, sealed := shown(), lying()
	seal()
	require.Equal(t, sealed, lying(), "the key is the same")

	current := with("k2", "k1").Current()
	other := func() int {
		return one[int](h, `SELECT count(*) FROM (SELECT sealed_with FROM evidence UNION ALL SELECT sealed_with FROM gift_card_images UNION ALL SELECT sealed_with FROM money_documents) f WHERE sealed_with IS DISTINCT FROM $1`, current)
	}
	owner := func(sql string) { require.NoError(t, h.owner().Exec(t.Context(), sql)) }
	owner(`CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'died'; END $$`)
	for _, table := range []string{"evidence", "gift_card_images", "money_documents"} {
		first := one[string](h, `SELECT min(CAST(id AS text)) FROM `+table)
		owner(`CREATE TRIGGER die BEFORE UPDATE OF sealed_with ON ` + table + ` FOR EACH ROW WHEN (OLD.id = '` + first + `') EXECUTE FUNCTION die()`)
	}
	seal()
	require.Equal(t, 3, other(), "those that were written when the process died")
	sealed = lying()
	for _, file := range sealed {
		require.True(t, bytes.HasPrefix(file, current))
	}
	owner(`DROP FUNCTION die CASCADE`)
	seal()
	require.Zero(t, other())
	require.Equal(t, sealed, lying(), "none is sealed twice")
	with("k2")
	require.Equal(t, before, shown())
}

func (h *testServer) file(key string) []byte {
	h.Helper()
	content, err := h.server.Files.ReadAll(h.Context(), key)
	require.NoError(h, err)
	return content
}

// The audit log records which member of staff read which customer's file.
func TestEachViewOfEvidenceByStaffIsAudited(t *testing.T) {
	h := open(t)
	v := h.customer()
	id := v.order("domestic_wire")
	v.upload(id, "receipt", picture(t, 8)).is(http.StatusCreated)
	path := "/evidence/" + one[string](h, `SELECT file_key FROM evidence`)
	v.get(path).is(http.StatusOK)
	h.customer("support").get(path).is(http.StatusNotFound)
	require.Zero(t, one[int](h, `SELECT count(*) FROM audit_log WHERE action = 'evidence.view'`))
	for _, role := range []string{"finance", "compliance", "admin"} {
		reader := h.customer(role)
		reader.get(path).is(http.StatusOK)
		reader.get(path).is(http.StatusOK)
		require.Equal(t, 2, one[int](h, `SELECT count(*) FROM audit_log WHERE action = 'evidence.view' AND actor_id = $1 AND object_id = $2 AND after ->> 'file' = (SELECT id::text FROM evidence)`, reader.userID, id))
	}
}
