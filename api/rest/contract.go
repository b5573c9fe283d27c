package rest

import (
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/danielgtaylor/huma/v2/validation"
	"github.com/gin-gonic/gin"
)

// humaDefaults sets huma's package-wide switches once: strict key casing, our own error body, lists that are never
// null, and a sentence for a text that is too long, which people read in dialogs.
var humaDefaults = sync.OnceFunc(func() {
	validation.MsgExpectedMaxLength = "Enter at most %d characters"
	huma.ValidateStrictCasing = true
	huma.DefaultArrayNullable = false
	huma.NewError = validationProblem
	huma.NewErrorWithContext = func(_ huma.Context, status int, message string, errs ...error) huma.StatusError {
		return validationProblem(status, message, errs...)
	}
})

// NewContract makes the huma API on a gin engine. It serves no documentation
// pages: the document is committed as api/openapi.json.
func NewContract(engine *gin.Engine) huma.API {
	humaDefaults()
	config := huma.DefaultConfig("Tradepost", "1")
	config.OpenAPIPath, config.DocsPath, config.SchemasPath = "", "", ""
	config.CreateHooks = nil // no $schema links in bodies
	strict := huma.Format{Marshal: huma.DefaultJSONFormat.Marshal, Unmarshal: UnmarshalStrictly}
	config.Formats = map[string]huma.Format{"application/json": strict, "json": strict}
	config.Transformers = append(config.Transformers, translated)
	config.Info.Description = contractAbout
	config.Info.License = &huma.License{Name: "All rights reserved", Identifier: "LicenseRef-All-Rights-Reserved"}
	config.Servers = []*huma.Server{{URL: "/", Description: "the site's own origin"}}
	config.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"session": {Type: "apiKey", In: "cookie", Name: "session", Description: "`__Host-session` under TLS"},
	}
	return humagin.New(engine, config)
}

// Body is a JSON answer.
type Body[T any] struct{ Body T }

// Page is one page of a list: a bare array, with the cursor in Link.
type Page[T any] struct {
	Link  string `header:"Link" doc:"the next page, rel=\"next\""`
	Total int    `header:"X-Total-Count" doc:"size of the whole filtered set"`
	Body  []T
}

// Nothing is the input of a call without one.
type Nothing struct{}

// Paging is where a page starts and how long it is.
type Paging struct {
	Cursor string `query:"cursor" maxLength:"200" doc:"from the Link header of the page before"`
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"50"`
}

// ObjectID names one object. Another user's object is 404.
type ObjectID struct {
	ID string `path:"id" maxLength:"64"`
}
