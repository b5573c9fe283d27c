package legal

import (
	"html/template"
	"io"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// markdown leaves raw HTML and links that run scripts out, which is goldmark's default.
var markdown = goldmark.New(goldmark.WithParserOptions(parser.WithAutoHeadingID(), parser.WithAttribute()))

// classes are the web app's, which names in styles/app.css those that only stand here.
var classes = map[ast.NodeKind]string{
	ast.KindHeading:   "mt-8 scroll-mt-24 text-lg",
	ast.KindParagraph: "mt-2 text-base",
	ast.KindList:      "mt-2 list-disc space-y-1 pl-5",
	ast.KindLink:      "font-medium text-primary underline underline-offset-4",
}

// heading is an entry of the list of contents.
type heading struct{ ID, Text string }

// render writes a text as HTML, and returns its headings of the second level.
func render(source []byte, to io.Writer) (headings []heading, err error) {
	tree := markdown.Parser().Parse(text.NewReader(source))
	err = ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		if class := classes[n.Kind()]; class != "" {
			n.SetAttributeString("class", []byte(class))
		}
		if h, is := n.(*ast.Heading); is && h.Level == 2 {
			id, _ := h.AttributeString("id")
			name, _ := id.([]byte)
			headings = append(headings, heading{string(name), plain(h, source)})
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return nil, err
	}
	return headings, markdown.Renderer().Render(to, source, tree)
}

// plain is the text of a node without its marks.
func plain(n ast.Node, source []byte) (out string) {
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		if leaf, is := child.(*ast.Text); is {
			out += string(leaf.Value(source))
			continue
		}
		out += plain(child, source)
	}
	return out
}

// words are those around a text.
type words struct{ Version, Since, From, Other, Contents string }

var spoken = map[string]words{
	English: {"Version", "in force since", "in force from", "This text is available in English only.", "On this page"},
	"es":    {"Versión", "vigente desde el", "vigente a partir del", "Este texto solo está disponible en inglés.", "En esta página"},
}

func wordsOf(language string) words {
	if found, has := spoken[language]; has {
		return found
	}
	return spoken[English]
}

// view is what the template of a page shows.
type view struct {
	*Version
	Text     Text
	Words    words
	Language string
	Other    bool
	Coming   bool
	Body     template.HTML
	Headings []heading
}

// Day is the first day of the version.
func (v view) Day() string { return v.InForce.Format(time.DateOnly) }

// trusted is what goldmark has rendered.
func trusted(rendered string) template.HTML { return template.HTML(rendered) } //nolint:gosec // markdown without raw HTML

var page = template.Must(template.New("legal").Parse(`<div class="max-w-prose"><h1 tabindex="-1" class="text-2xl"{{if .Other}} lang="{{.Language}}"{{end}}>{{.Text.Title}}</h1>` +
	`<p class="mt-2 text-sm text-muted-foreground">{{.Words.Version}} {{.Name}}, {{if .Coming}}{{.Words.From}}{{else}}{{.Words.Since}}{{end}} <time datetime="{{.Day}}">{{.Day}}</time></p>` +
	`{{if .Other}}<p class="mt-2 text-sm text-muted-foreground">{{.Words.Other}}</p>{{end}}` +
	`<div{{if .Other}} lang="{{.Language}}"{{end}}>{{with .Text.Lead}}<p class="mt-3 text-base text-muted-foreground">{{.}}</p>{{end}}{{.Body}}</div></div>` +
	`<nav aria-labelledby="on-this-page" class="sticky top-28 rounded-lg border bg-card p-5 text-sm max-lg:hidden"><h2 id="on-this-page" class="text-sm">{{.Words.Contents}}</h2>` +
	`<ul class="mt-2">{{range .Headings}}<li><a href="#{{.ID}}" class="block rounded-sm py-1 text-muted-foreground hover:text-foreground hover:underline">{{.Text}}</a></li>{{end}}</ul></nav>`))
