package api

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"maps"
	"mime/multipart"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/internal/local/asvs"
	"github.com/tradepost/tradepost/models/giftcard"
	"github.com/tradepost/tradepost/models/store"
)

// formPart is a part of a form; one with a type is a file.
type formPart struct{ field, name, kind, content string }

// sendForm sends a form as it is written here.
func (v *visitor) sendForm(path string, parts []formPart) *answer {
	v.Helper()
	kind, form := formOf(v.T, parts)
	return v.post(path, form, "Content-Type", kind, "Idempotency-Key", store.NewID())
}

// formOf writes a form, and returns its content type with it.
func formOf(t *testing.T, parts []formPart) (kind, body string) {
	t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	for _, p := range parts {
		head := map[string][]string{"Content-Disposition": {fmt.Sprintf(`form-data; name=%q`, p.field)}}
		if p.kind != "" {
			head = map[string][]string{"Content-Disposition": {fmt.Sprintf(`form-data; name=%q; filename=%q`, p.field, p.name)}, "Content-Type": {p.kind}}
		}
		part, err := w.CreatePart(head)
		require.NoError(t, err)
		_, err = part.Write([]byte(p.content))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return w.FormDataContentType(), form.String()
}

// uploads are the calls that accept files: the other fields of a valid form, and how the
// stored picture is read.
var uploads = map[string]struct {
	file, text, table string
	files             int
	beside            map[string]string
	path              func(v *visitor) string
	shown             string   // empty: what was sent is not kept
	roles             []string // of who sends it
}{
	"uploadEvidence": {file: "file", text: "kind", table: "evidence", files: 1, beside: map[string]string{"kind": "receipt"},
		path:  func(v *visitor) string { return "/api/orders/" + v.order("domestic_wire") + "/evidence" },
		shown: `SELECT '/evidence/' || file_key FROM evidence ORDER BY created_at DESC LIMIT 1`},
	"importAddressList": {file: "file", text: "reason", table: "address_lists", files: 1, beside: map[string]string{"source": "sdn", "mode": "preview", "reason": "weekly"},
		path: func(*visitor) string { return "/api/admin/risk/lists" }, roles: []string{"compliance"}},
	"addMoneyDocument": {file: "file", text: "note", table: "money_documents", files: 1,
		path:  func(*visitor) string { return "/api/admin/money/documents" },
		shown: `SELECT '/api/admin/money/documents/' || id FROM money_documents ORDER BY created_at DESC LIMIT 1`, roles: []string{"finance"}},
	"submitGiftCard": {file: "images", text: "pin", table: "gift_cards", files: giftcard.MaxCardImages, beside: regularCard,
		path:  func(*visitor) string { return "/api/gift-cards" },
		shown: `SELECT '/gift-card-images/' || file_key FROM gift_card_images ORDER BY created_at DESC LIMIT 1`},
}

// multipartCalls are the operations of the contract with a form with files.
func multipartCalls(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("openapi.json")
	require.NoError(t, err)
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string `json:"operationId"`
			RequestBody struct {
				Content map[string]any `json:"content"`
			} `json:"requestBody"`
		}
	}
	require.NoError(t, json.Unmarshal(text, &document))
	var found []string
	for _, methods := range document.Paths {
		for _, op := range methods {
			if op.RequestBody.Content["multipart/form-data"] != nil {
				found = append(found, op.OperationID)
			}
		}
	}
	return found
}

// Bar 37: what is no picture, or too large a one, is refused by every call that accepts
// files, with the name of the field, and nothing of it is kept.
func TestBar37HostileFilesAreRefusedByEveryUpload(t *testing.T) {
	small, jpg := string(picture(t, 4)), string(photo(t))
	file := func(kind, content string) []formPart { return []formPart{{"FILE", "a.png", kind, content}} }
	many := func(n int, part formPart) []formPart { return slices.Repeat([]formPart{part}, n) }
	numbered := make([]formPart, 1000)
	for i := range numbered {
		numbered[i] = formPart{field: fmt.Sprintf("part%d", i), content: "x"}
	}
	hostile := map[string]struct {
		parts []formPart
		field string // what is named; TEXT and FILE are the call's own
	}{
		"svg":                   {file("image/png", `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`), "FILE"},
		"svg that says so":      {file("image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg"/>`), "FILE"},
		"html polyglot":         {file("image/png", "GIF89a<script>alert(1)</script>"+small), "FILE"},
		"html":                  {file("image/png", "<!doctype html><script>alert(1)</script>"), "FILE"},
		"picture called html":   {file("text/html", small), "FILE"},
		"picture called pdf":    {file("application/pdf", small), "FILE"},
		"pdf":                   {file("image/png", "%PDF-1.7"), "FILE"},
		"truncated png":         {file("image/png", string(picture(t, 64)[:40])), "FILE"},
		"truncated jpeg":        {file("image/jpeg", jpg[:len(jpg)/2]), "FILE"},
		"zero bytes":            {file("image/png", ""), "FILE"},
		"pixel bomb":            {file("image/png", string(picture(t, 12000))), "FILE"},
		"a long thin one":       {file("image/png", thin(t)), "FILE"},
		"over the size":         {file("image/png", small+strings.Repeat("\x00", rest.MaxUpload)), "FILE"},
		"over all":              {file("image/png", strings.Repeat("\x00", (giftcard.MaxCardImages+1)*rest.MaxUpload)), "FILE"},
		"a text for a file":     {[]formPart{{field: "FILE", content: small}}, "FILE"},
		"a file for a text":     {append(file("image/png", small), formPart{"TEXT", "a.png", "image/png", small}), "TEXT"},
		"a text twice":          {append(file("image/png", small), many(2, formPart{field: "TEXT", content: "receipt"})...), "TEXT"},
		"a huge text":           {append(file("image/png", small), formPart{field: "TEXT", content: strings.Repeat("9", rest.FormRoom/2)}), "TEXT"},
		"a text of 20 MB":       {append(file("image/png", small), formPart{field: "TEXT", content: strings.Repeat("9", 20<<20)}), "FILE"},
		"a thousand files":      {many(1000, formPart{"FILE", "a.png", "image/png", small}), "FILE"},
		"a thousand fields":     {append(file("image/png", small), numbered...), "FILE"},
		"hundreds of fields":    {append(file("image/png", small), numbered[:900]...), "part0"},
		"a field it has not":    {append(file("image/png", small), formPart{field: "status", content: "approved"}), "status"},
		"a file it has not":     {append(file("image/png", small), formPart{"avatar", "a.png", "image/png", small}), "avatar"},
		"a field in other case": {append(file("image/png", small), formPart{field: "KIND", content: "receipt"}), "KIND"},
	}
	for _, id := range multipartCalls(t) {
		call, known := uploads[id]
		require.True(t, known, "%s takes files and has no case in `uploads`", id)
		t.Run(id, func(t *testing.T) {
			h := open(t, unscaled)
			v := h.customer(call.roles...)
			path := call.path(v)
			own := strings.NewReplacer("FILE", call.file, "TEXT", call.text)
			for _, name := range slices.Sorted(maps.Keys(hostile)) {
				var parts []formPart
				named := map[string]bool{}
				for _, p := range hostile[name].parts {
					p.field = own.Replace(p.field)
					named[p.field] = true
					parts = append(parts, p)
				}
				for field, value := range call.beside {
					if !named[field] {
						parts = append(parts, formPart{field: field, content: value})
					}
				}
				refused := v.sendForm(path, parts)
				require.Contains(t, []int{http.StatusUnprocessableEntity, http.StatusRequestEntityTooLarge}, refused.status, "%s: %.300s: %s", name, refused.body, asvs.Claim(t, "5.2.1", "5.2.2", "5.2.3"))
				require.Equal(t, own.Replace(hostile[name].field), refused.text("field"), "%s: %.300s", name, refused.body)
				require.NotEmpty(t, refused.text("message"), name)
				require.Less(t, len(refused.body), 2000, "%s is not said back", name)
			}
			for name, body := range map[string]string{"cut": "--b\r\nContent-Disposition: form-data; name=\"" + call.file + "\"; filename=\"a.png\"\r\n\r\nabc", "empty": "", "not a form": `{"kind":"receipt"}`} {
				refused := v.post(path, body, "Content-Type", "multipart/form-data; boundary=b").is(http.StatusUnprocessableEntity)
				require.Equal(t, call.file, refused.text("field"), name)
			}
			v.post(path, "x", "Content-Type", "text/plain").is(http.StatusUnprocessableEntity)
			require.Zero(t, one[int](h, `SELECT count(*) FROM `+call.table))
			kept, err := h.server.Files.List(nil).Next(t.Context())
			require.Error(t, err, "no file stays behind: %v", kept)
		})
	}
}

// Bar 37: what is a picture is drawn anew, so that what came with it is gone, and is stored
// under a random name.
func TestBar37PicturesAreDrawnAnewByEveryUpload(t *testing.T) {
	jpg := string(photo(t))
	for _, id := range multipartCalls(t) {
		if uploads[id].shown == "" {
			continue
		}
		t.Run(id, func(t *testing.T) {
			h := open(t, unscaled)
			call := uploads[id]
			v := h.customer(call.roles...)
			path := call.path(v)
			for name, c := range map[string]struct{ kind, content, becomes string }{
				"a place in EXIF":    {"image/jpeg", jpg, "image/jpeg"},
				"a page behind it":   {"image/jpeg", jpg + "<script>canary()</script>", "image/jpeg"},
				"a text in a png":    {"image/png", withText(t), "image/png"},
				"a png called jpeg":  {"image/jpeg", string(picture(t, 4)), "image/png"},
				"a traversing name":  {"image/png", string(picture(t, 4)), "image/png"},
				"a jpeg called png":  {"image/png", jpg, "image/jpeg"},
				"the largest it may": {"image/png", string(picture(t, 5000)), "image/png"},
			} {
				parts := []formPart{{call.file, "../../../etc/canary\x00.php;.png", c.kind, c.content}}
				for field, value := range call.beside {
					if field == "cardCode" {
						value = store.NewID()[:13] + "CODE"
					}
					parts = append(parts, formPart{field: field, content: value})
				}
				v.sendForm(path, parts).is(http.StatusCreated)
				where := one[string](h, call.shown)
				require.NotContains(t, where, "canary", asvs.Claim(t, "5.4.1", "5.4.2"))
				shown := v.get(where).is(http.StatusOK)
				require.Equal(t, c.becomes, shown.header.Get("Content-Type"), name)
				require.Equal(t, "nosniff", shown.header.Get("X-Content-Type-Options"), name)
				require.Contains(t, shown.header.Get("Content-Security-Policy"), "sandbox; default-src 'none'", asvs.Claim(t, "5.3.1"))
				require.NotContains(t, string(shown.body), "canary", name)
				_, format, err := image.Decode(bytes.NewReader(shown.body))
				require.NoError(t, err, name)
				require.Equal(t, c.becomes, "image/"+format, name)
			}
			files := h.server.Files.List(nil)
			for {
				file, err := files.Next(t.Context())
				if err != nil {
					break
				}
				require.Regexp(t, `^[A-Za-z0-9_-]{22,}$`, file.Key, asvs.Claim(t, "5.3.2"))
			}
		})
	}
}

// thin is a picture of few pixels and a side that is far too long.
func thin(t *testing.T) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, png.Encode(&out, image.NewGray(image.Rect(0, 0, rest.MaxSide+1, 1))))
	return out.String()
}

// withText is a PNG that contains a text beside its picture.
func withText(t *testing.T) string {
	t.Helper()
	whole := string(picture(t, 4))
	const text = "Comment\x00canary"
	chunk := fmt.Sprintf("\x00\x00\x00%ctEXt%s", len(text), text)
	sum := crc32.ChecksumIEEE([]byte(chunk[4:]))
	return whole[:33] + chunk + string(binary.BigEndian.AppendUint32(nil, sum)) + whole[33:]
}
