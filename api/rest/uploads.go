package rest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"mime/multipart"
	"net/http"
	"slices"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/gin-gonic/gin"
)

// FormRoom is what a form may hold beside its files.
const FormRoom = 64 << 10

// Upload guards a form with files, before any of it is read: at most so many files of
// MaxUpload in the field, read no further than that, and only the fields that it has, each
// text once.
func Upload(field string, files int) func(*huma.Operation) {
	most := int64(files)*MaxUpload + FormRoom
	return func(op *huma.Operation) {
		op.Middlewares = append(op.Middlewares, func(ctx huma.Context, next func(huma.Context)) {
			c := humagin.Unwrap(ctx)
			leave, err := formTurns.take(ctx.Context(), PrincipalOf(ctx.Context()).UserID)
			if err != nil {
				WriteProblem(c.Writer, c.Request, AsProblem(ctx.Context(), err))
				return
			}
			defer leave()
			form, err := readForm(c, most)
			var refused *Problem
			switch {
			case tooLarge(err):
				refused = NewProblem(http.StatusRequestEntityTooLarge, "too_large", fmt.Sprintf("Send at most %d MB in all", most>>20)).about(field)
			case errors.Is(err, multipart.ErrMessageTooLarge):
				refused = FieldProblem(field, "too_many_parts", "This form has too many parts or a text that is too long")
			case err != nil:
				refused = FieldProblem(field, "unreadable", "This form could not be read")
			default:
				refused = refuseStrangeParts(form, ctx.Operation().RequestBody.Content["multipart/form-data"].Schema)
			}
			if refused != nil {
				WriteProblem(c.Writer, c.Request, refused)
				return
			}
			inHand <- struct{}{}
			defer func() { <-inHand }()
			next(ctx)
		})
	}
}

// formTurns lets a person send one form at a time; their others wait unread. The parts of a
// form are in memory or in /tmp, which is memory too: a dozen at once would exhaust the
// process's.
var formTurns turns

// inHand bounds the forms that were read and are worked on: their files are read into
// memory then.
var inHand = make(chan struct{}, 2)

// turns lets one of each name pass at a time.
type turns struct {
	mu   sync.Mutex
	held map[string]chan struct{} // closed when it is over
}

// take waits for a turn; leave releases it.
func (t *turns) take(ctx context.Context, name string) (leave func(), err error) {
	for {
		t.mu.Lock()
		before, busy := t.held[name]
		if !busy {
			if t.held == nil {
				t.held = map[string]chan struct{}{}
			}
			t.held[name] = make(chan struct{})
			t.mu.Unlock()
			return func() { t.leave(name) }, nil
		}
		t.mu.Unlock()
		select {
		case <-before:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (t *turns) leave(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	close(t.held[name])
	delete(t.held, name)
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
			return FieldProblem(name, "unexpected", "This form doesn't have this field")
		case isFile(known):
			return FieldProblem(name, "not_a_file", "Send a file here")
		case len(form.Value[name]) > 1:
			return FieldProblem(name, "twice", "The form contains this field twice")
		case !Storable(form.Value[name][0]):
			return FieldProblem(name, "invalid", "This field contains an invalid character")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(form.File)) {
		if known := schema.Properties[name]; known == nil || !isFile(known) {
			return FieldProblem(name, "unexpected", "This form doesn't accept a file here")
		}
	}
	return nil
}
