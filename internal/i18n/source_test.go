package i18n

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tradepost/tradepost/internal/local/source"
)

// sentence is something that the source says to people.
type sentence struct {
	file, function, text string
}

// sayers are the calls that make a refusal, which argument of theirs is the sentence
// (-1: the last), and what they add to it.
var sayers = map[string]struct {
	argument int
	adds     string
}{
	"Invalid": {2, ""}, "Conflict": {1, ""}, "Forbidden": {1, ""}, "Unavailable": {1, ""}, "TooMany": {1, ""}, "Incomplete": {1, ""},
	"NewProblem": {2, ""}, "FieldProblem": {2, ""},
	"NotFound": {0, " not found"}, "RowByID": {-1, " not found"}, "LockedRow": {-1, " not found"},
}

// mute are the calls whose texts only developers and databases read.
var mute = regexp.MustCompile(`^(Errorf|New|panic|(Warn|Info|Error|Debug)(Context)?|Header|Raw|Exec|Select|Where|Order|Joins|Table|MustCompile)$`)

// resemblesSaid is the form of a message, or of a label of two words.
var resemblesSaid = regexp.MustCompile(`^[A-Z][a-z]*('[a-z]+)?( [a-z%]|[.,:;?] [A-Za-z])`)

// verb is where fmt writes a value, or a percent sign.
var verb = regexp.MustCompile(`%%|%[-+#0]*[0-9]*(\.[0-9]+)?[a-zA-Z]`)

// reader collects the sentences of one package.
type reader struct {
	constants map[string]string // of the package, by name
	file      string
	function  string
	said      []sentence
	stepsOf   []sentence // what is handed on: its text is said elsewhere
}

// read goes through the source of all packages below a folder, without tests.
func read(t *testing.T, folder string) *reader {
	t.Helper()
	r := &reader{constants: map[string]string{}}
	paths, err := source.Files(filepath.Join("..", "..", folder))
	if err != nil {
		t.Fatalf("no source in %s: %v", folder, err)
	}
	files := map[string]*ast.File{}
	set := token.NewFileSet()
	for _, path := range paths {
		if filepath.Base(filepath.Dir(path)) == "server" { // a program says nothing to customers
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(set, path, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files[strings.TrimPrefix(filepath.ToSlash(path), "../../")] = file
		r.learn(file)
	}
	for name, file := range files {
		r.file = name
		for _, declaration := range file.Decls {
			r.function = ""
			if f, is := declaration.(*ast.FuncDecl); is {
				r.function = f.Name.Name
			}
			ast.Walk(r, declaration)
		}
	}
	return r
}

// learn notes the constants of a file.
func (r *reader) learn(file *ast.File) {
	for _, declaration := range file.Decls {
		group, is := declaration.(*ast.GenDecl)
		if !is || group.Tok != token.CONST {
			continue
		}
		for _, spec := range group.Specs {
			value := spec.(*ast.ValueSpec)
			for i, name := range value.Names {
				if i < len(value.Values) {
					if literal, is := value.Values[i].(*ast.BasicLit); is && literal.Kind == token.STRING {
						r.constants[name.Name], _ = strconv.Unquote(literal.Value)
					}
				}
			}
		}
	}
}

// Visit implements ast.Visitor.
func (r *reader) Visit(node ast.Node) ast.Visitor {
	switch n := node.(type) {
	case *ast.ImportSpec:
		return nil
	case *ast.Field: // a tag is no sentence
		if n.Tag != nil {
			ast.Walk(r, n.Type)
			return nil
		}
	case *ast.CallExpr:
		return r.call(n)
	case *ast.KeyValueExpr:
		if key, is := n.Key.(*ast.Ident); is && key.Name == "Message" {
			r.recordMessage(n.Value, "")
			return nil
		}
	case *ast.BinaryExpr, *ast.BasicLit:
		if text := r.flat(n.(ast.Expr)); resemblesSaid.MatchString(text) {
			r.note(text)
			return nil
		}
	}
	return r
}

func (r *reader) call(n *ast.CallExpr) ast.Visitor {
	name := nameOf(n.Fun)
	if name == "Sprintf" {
		if text := r.flat(n); resemblesSaid.MatchString(text) {
			r.note(text)
		}
		return r.rest(n.Args[1:])
	}
	if mute.MatchString(name) {
		return nil
	}
	if name == "Columns" { // of a customer's file: single words too
		for _, argument := range n.Args[1:] {
			r.recordMessage(argument, "")
		}
		return nil
	}
	by, says := sayers[name]
	if !says || len(n.Args) == 0 {
		return r
	}
	at := by.argument
	if at < 0 {
		at = len(n.Args) - 1
	}
	r.recordMessage(n.Args[at], by.adds)
	return r.rest(append(append([]ast.Expr{}, n.Args[:at]...), n.Args[at+1:]...))
}

// rest continues with arguments.
func (r *reader) rest(arguments []ast.Expr) ast.Visitor {
	for _, argument := range arguments {
		ast.Walk(r, argument)
	}
	return nil
}

// recordMessage records an expression as a message.
func (r *reader) recordMessage(said ast.Expr, adds string) {
	text := r.flat(said)
	if strings.Trim(text, "%s") == "" {
		if text != "" {
			r.stepsOf = append(r.stepsOf, sentence{r.file, r.function, written(said)})
		}
		ast.Walk(r, said)
		return
	}
	r.note(text + adds)
}

func (r *reader) note(text string) {
	r.said = append(r.said, sentence{r.file, r.function, text})
}

// flat is the text of an expression, with a hole where something else stands.
func (r *reader) flat(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, _ := strconv.Unquote(e.Value)
		return text
	case *ast.ParenExpr:
		return r.flat(e.X)
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			return r.flat(e.X) + r.flat(e.Y)
		}
	case *ast.Ident:
		if text, known := r.constants[e.Name]; known {
			return text
		}
	case *ast.SelectorExpr: // of another package
		if text, known := r.constants[e.Sel.Name]; known && token.IsExported(e.Sel.Name) {
			return text
		}
	case *ast.CallExpr:
		if nameOf(e.Fun) == "Sprintf" {
			return verb.ReplaceAllStringFunc(r.flat(e.Args[0]), func(v string) string {
				if v == "%%" {
					return "%"
				}
				return hole
			})
		}
	}
	return hole
}

// nameOf is the last name of what is called.
func nameOf(fun ast.Expr) string {
	switch f := fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	case *ast.IndexExpr:
		return nameOf(f.X)
	}
	return ""
}

// written is an expression as it stands in the source, more or less.
func written(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return written(e.X) + "." + e.Sel.Name
	case *ast.CallExpr:
		return written(e.Fun) + "()"
	case *ast.IndexExpr:
		return written(e.X) + "[]"
	case *ast.CompositeLit:
		return "a table"
	}
	return "an expression"
}

// literals are all texts that stand in packages, with holes for what is put into
// them; our own demonstration of how to pay is one more.
func literals(t *testing.T, packages ...string) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	list := append([]string{"list", "-f", `{{$dir := .Dir}}{{range .GoFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}`}, packages...)
	files, err := exec.CommandContext(t.Context(), "go", list...).Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.FieldsFunc(string(files), func(r rune) bool { return r == '\n' }) {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		r := &reader{}
		ast.Inspect(file, func(n ast.Node) bool {
			if e, is := n.(ast.Expr); is {
				text := r.flat(e)
				all[text], all[strings.TrimSpace(verb.ReplaceAllString(text, hole))] = true, true
			}
			return true
		})
	}
	var demo map[string][]struct{ Label string }
	text, err := os.ReadFile("../../api/order/recipients_demo.json")
	if err != nil || json.Unmarshal(text, &demo) != nil {
		t.Fatal("recipients_demo.json cannot be read", err)
	}
	for _, lines := range demo {
		for _, line := range lines {
			all[line.Label] = true
		}
	}
	return all
}
