package rest

import (
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// contractAbout is the contract's introduction for API users.
const contractAbout = "Buying crypto with fiat: what the web app calls. Amounts are decimal strings. " +
	"Where an answer declares them, Link names the next page of a list and X-Total-Count the size of the whole filtered set. " +
	"An unsafe call names its origin: the site's own Origin, or Sec-Fetch-Site: same-origin; without, or with another, it is answered 403. " +
	"The posts of the second factor need x-csrf-token besides, which changes with the session: at each sign-in, and when a code is shown at /api/2fa/verify or /api/2fa/login-verify."

// SayNull has the document allow null where our JSON has it: huma supports nullable scalars
// only, and leaves null out of their enums.
func SayNull(schema *huma.Schema, t reflect.Type) {
	for _, field := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		property := schema.Properties[name]
		if property == nil || field.Type.Kind() != reflect.Pointer || strings.Contains(options, "omitempty") {
			continue
		}
		if property.Ref != "" {
			schema.Properties[name] = &huma.Schema{Description: property.Description,
				AnyOf: []*huma.Schema{{Ref: property.Ref}, {Type: "null"}}}
		} else if len(property.Enum) > 0 && property.Nullable && !slices.Contains(property.Enum, any(nil)) {
			property.Enum = append(property.Enum, nil)
		}
	}
}

// statusesOf are what an output's Status may be, as its tag names them: the first is
// the regular one.
func statusesOf[O any]() []int {
	field, _ := reflect.TypeFor[O]().FieldByName("Status")
	var statuses []int
	for text := range strings.SplitSeq(field.Tag.Get("statuses"), ",") {
		if status, err := strconv.Atoi(text); err == nil {
			statuses = append(statuses, status)
		}
	}
	return statuses
}

// answersToo documents the regular answer's body under another status, beside what
// is documented there.
func answersToo(answers map[string]*huma.Response, regular, status int) {
	if status == regular {
		return
	}
	code := strconv.Itoa(status)
	if answers[code] == nil {
		answers[code] = &huma.Response{Description: http.StatusText(status), Content: map[string]*huma.MediaType{}}
	}
	maps.Copy(answers[code].Content, answers[strconv.Itoa(regular)].Content)
}

// Tokened has a call require the session's token.
func Tokened(op *huma.Operation) {
	op.Extensions[tokenMark] = true
	op.Parameters = append(op.Parameters, &huma.Param{Name: CSRFHeader, In: "header", Required: true, Schema: &huma.Schema{Type: huma.TypeString},
		Description: "from GET /api/csrf-token; it changes at each sign-in, and when a code is shown at /api/2fa/verify or /api/2fa/login-verify"})
}

// ownerParameter documents the header that names a page's user.
var ownerParameter = &huma.Param{Name: OwnerHeader, In: "header", Schema: &huma.Schema{Type: huma.TypeString},
	Description: "the id of the person whose page sends this: in another's session it is answered 403 other_person"}

// tokenMark marks operations that require the session's token in the contract.
const tokenMark = "x-csrf"

// answering makes a call return another type than JSON.
func answering(op *huma.Operation, status int, description string, schema *huma.Schema, types ...string) {
	content := map[string]*huma.MediaType{}
	for _, name := range types {
		content[name] = &huma.MediaType{Schema: schema}
	}
	op.Responses[strconv.Itoa(status)] = &huma.Response{Description: description, Content: content}
}

// file is the schema of a binary answer.
func file() *huma.Schema { return &huma.Schema{Type: huma.TypeString, Format: "binary"} }

// Zipped makes a call answer a ZIP.
func Zipped(op *huma.Operation) { answering(op, http.StatusOK, "a ZIP", file(), "application/zip") }

// CSVFile makes a call answer a CSV file.
func CSVFile(op *huma.Operation) { answering(op, http.StatusOK, "a CSV file", file(), "text/csv") }

// ImageFile makes a call answer a picture.
func ImageFile(op *huma.Operation) {
	answering(op, http.StatusOK, "a picture", file(), "image/png", "image/jpeg")
}

// ReceiptFile makes a call answer a picture or a document.
func ReceiptFile(op *huma.Operation) {
	answering(op, http.StatusOK, "a picture or a document", file(), "image/png", "image/jpeg", PDF)
}

// EventStream makes a call answer server-sent events.
func EventStream(op *huma.Operation) {
	op.Metadata[backgroundMark] = true
	answering(op, http.StatusOK, "events, until the browser leaves", &huma.Schema{Type: huma.TypeString}, "text/event-stream")
}

// Browsed makes a call answer a browser: with a redirect, or a page of ours under
// each of these statuses.
func Browsed(pages ...int) option {
	return func(op *huma.Operation) {
		answering(op, http.StatusSeeOther, "to the page that Location names", nil)
		for _, status := range pages {
			answering(op, status, http.StatusText(status)+": a page", htmlPage(), "text/html")
		}
		if !slices.Contains(pages, http.StatusOK) {
			op.DefaultStatus = http.StatusSeeOther
		}
		op.Metadata[pagesMark] = pages
	}
}

// pagesMark is where an operation keeps under which statuses it answers a page.
const pagesMark = "pages"

// htmlPage is the schema of an HTML answer.
func htmlPage() *huma.Schema { return &huma.Schema{Type: huma.TypeString} }
