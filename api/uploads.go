package api

import (
	"errors"
	"fmt"
	"maps"
	"mime/multipart"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/gin-gonic/gin"
)

// formRoom is what a form may hold beside its files.
const formRoom = 64 << 10

// upload guards a form with files, before anything of it is looked at: at most
// so many files of maxUpload in the field, read no further than that, and only
// the fields that it has, each text once.
func upload(field string, files int) func(*huma.Operation) {
	most := int64(files)*maxUpload + formRoom
	return func(op *huma.Operation) {
		op.Middlewares = append(op.Middlewares, func(ctx huma.Context, next func(huma.Context)) {
			c := humagin.Unwrap(ctx)
			form, err := readForm(c, most)
			var refused *Problem
			switch {
			case tooLarge(err):
				refused = problem(http.StatusRequestEntityTooLarge, "too_large", fmt.Sprintf("Please send at most %d MB in all", most>>20)).about(field)
			case errors.Is(err, multipart.ErrMessageTooLarge):
				refused = fieldProblem(field, "too_many_parts", "This form has far too many parts, or a text that is far too long")
			case err != nil:
				refused = fieldProblem(field, "unreadable", "This form could not be read")
			default:
				refused = refuseStrangeParts(form, ctx.Operation().RequestBody.Content["multipart/form-data"].Schema)
			}
			if refused != nil {
				writeProblem(c.Writer, c.Request, refused)
				return
			}
			next(ctx)
		})
	}
}

// readForm reads a form no further than it may be long.
func readForm(c *gin.Context, most int64) (*multipart.Form, error) {
	if c.Request.ContentLength > most {
		return nil, &http.MaxBytesError{Limit: most}
	}
	c.Request.Body = http.MaxBytesReader(c.Writer, c.Request.Body, most)
	err := c.Request.ParseMultipartForm(humagin.MultipartMaxMemory)
	return c.Request.MultipartForm, err
}

func tooLarge(err error) bool {
	var over *http.MaxBytesError
	return errors.As(err, &over)
}

// refuseStrangeParts names a part that the form does not have, or has not in
// this way.
func refuseStrangeParts(form *multipart.Form, schema *huma.Schema) *Problem {
	isFile := func(s *huma.Schema) bool { return s.Format == "binary" || s.Items != nil && s.Items.Format == "binary" }
	for _, name := range slices.Sorted(maps.Keys(form.Value)) {
		switch known := schema.Properties[name]; {
		case known == nil:
			return fieldProblem(name, "unexpected", "This form has no such field")
		case isFile(known):
			return fieldProblem(name, "not_a_file", "Please send a file here")
		case len(form.Value[name]) > 1:
			return fieldProblem(name, "twice", "This field stands in the form twice")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(form.File)) {
		if known := schema.Properties[name]; known == nil || !isFile(known) {
			return fieldProblem(name, "unexpected", "This form takes no file here")
		}
	}
	return nil
}
