package models_test

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm/schema"

	"github.com/tradepost/tradepost/internal/local/source"
)

// domains are the packages below models with the types of what they declare. What they
// import from elsewhere is left unknown: rows and tables are all named here.
type domains struct {
	fset     *token.FileSet
	files    map[string][]*ast.File // by domain
	packages map[string]*types.Package
	info     types.Info
}

// write is a place in the source that writes a table; table is empty where a variable
// gives it.
type write struct{ domain, table, at, within string }

const ownPath = "github.com/tradepost/tradepost/models/"

// readDomains reads the files of the domains, and sources by the path of their file.
func readDomains(t *testing.T, sources map[string]string) *domains {
	t.Helper()
	d := &domains{fset: token.NewFileSet(), files: map[string][]*ast.File{}, packages: map[string]*types.Package{},
		info: types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}}
	paths, err := source.Files(".")
	require.NoError(t, err)
	for _, path := range paths {
		if strings.Contains(path, "/") && !strings.HasPrefix(path, "migrations/") {
			d.add(t, path, nil)
		}
	}
	for path, text := range sources {
		d.add(t, path, text)
	}
	for domain := range d.files {
		_, err := d.Import(ownPath + domain)
		require.NoError(t, err)
	}
	return d
}

func (d *domains) add(t *testing.T, path string, text any) {
	t.Helper()
	file, err := parser.ParseFile(d.fset, path, text, 0)
	require.NoError(t, err)
	d.files[filepath.Dir(path)] = append(d.files[filepath.Dir(path)], file)
}

// Import implements types.Importer: it reads a domain, and makes do with an empty package
// for anything else.
func (d *domains) Import(path string) (*types.Package, error) {
	if known := d.packages[path]; known != nil {
		return known, nil
	}
	files := d.files[strings.TrimPrefix(path, ownPath)]
	if files == nil {
		d.packages[path] = types.NewPackage(path, filepath.Base(path))
		d.packages[path].MarkComplete()
		return d.packages[path], nil
	}
	config := types.Config{Importer: d, FakeImportC: true, Error: func(error) {}}
	read, _ := config.Check(path, d.fset, files, &d.info)
	d.packages[path] = read
	return read, nil
}

// writes are all writes of all domains.
func (d *domains) writes() (all []write) {
	for domain, files := range d.files {
		for _, file := range files {
			for _, decl := range file.Decls {
				r := reading{domains: d, domain: domain, within: d.nameOf(domain, decl), decl: decl}
				ast.Inspect(decl, r.visit)
				all = append(all, r.found...)
			}
		}
	}
	slices.SortFunc(all, func(a, b write) int { return strings.Compare(a.at, b.at) })
	return all
}

// nameOf is the function that a declaration is, with its receiver, or its package.
func (d *domains) nameOf(domain string, decl ast.Decl) string {
	f, is := decl.(*ast.FuncDecl)
	if !is {
		return domain
	}
	if f.Recv == nil {
		return domain + "." + f.Name.Name
	}
	return domain + "." + nameOfType(f.Recv.List[0].Type) + "." + f.Name.Name
}

func nameOfType(of ast.Expr) string {
	if star, is := of.(*ast.StarExpr); is {
		of = star.X
	}
	if generic, is := of.(*ast.IndexExpr); is {
		of = generic.X
	}
	if ident, is := of.(*ast.Ident); is {
		return ident.Name
	}
	return ""
}

// reading finds the writes of one declaration.
type reading struct {
	*domains
	domain, within string
	decl           ast.Decl
	found          []write
}

func (r *reading) add(at ast.Node, table string) {
	pos := r.fset.Position(at.Pos())
	r.found = append(r.found, write{domain: r.domain, table: table, at: fmt.Sprintf("models/%s:%d", pos.Filename, pos.Line), within: r.within})
}

// visit implements the function of ast.Inspect.
func (r *reading) visit(node ast.Node) bool {
	switch n := node.(type) {
	case *ast.BinaryExpr:
		if text, is := r.text(n); is {
			r.statement(n, text)
			for _, part := range parts(n) {
				if _, literal := part.(*ast.BasicLit); !literal {
					ast.Inspect(part, r.visit)
				}
			}
			return false
		}
	case *ast.BasicLit:
		if text, is := r.text(n); is {
			r.statement(n, text)
		}
	case *ast.CompositeLit:
		r.waits(n)
	case *ast.CallExpr:
		r.call(n)
	}
	return true
}

// given is a placeholder in a text for a variable, or a statement of another domain.
const given = "\x00"

// parts are the operands of a concatenation.
func parts(expr ast.Expr) []ast.Expr {
	switch e := expr.(type) {
	case *ast.ParenExpr:
		return parts(e.X)
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			return append(parts(e.X), parts(e.Y)...)
		}
	}
	return []ast.Expr{expr}
}

// text is what an expression that has a literal of a string in it says.
func (r *reading) text(expr ast.Expr) (text string, is bool) {
	for _, part := range parts(expr) {
		value := r.info.Types[part].Value
		literal, written := part.(*ast.BasicLit)
		switch {
		case written && literal.Kind != token.STRING:
			return "", false
		case written:
			is = true
			said, _ := strconv.Unquote(literal.Value)
			text += said
		case value != nil && value.Kind() == constant.String && !writing.MatchString(constant.StringVal(value)):
			text += constant.StringVal(value)
		default:
			text += given
		}
	}
	return text, is
}

// writing finds what a statement writes. A lock (FOR UPDATE) and what an INSERT does on a conflict (DO UPDATE) are no
// writes of their own.
var writing = regexp.MustCompile(`(\b\w+\s+)?\b((?i:INSERT\s+INTO|MERGE\s+INTO|DELETE\s+FROM)|TRUNCATE(?:\s+TABLE)?|UPDATE)(?:\s+ONLY)?\s+("?[a-z_]\w*|\x00|%|$)`)

// statement adds what a text of SQL writes.
func (r *reading) statement(at ast.Expr, text string) {
	for _, found := range writing.FindAllStringSubmatch(text, -1) {
		before := strings.TrimSpace(found[1])
		if found[2] == "UPDATE" && slices.Contains([]string{"FOR", "KEY", "DO"}, before) {
			continue
		}
		table := strings.Trim(found[3], `"`)
		if table == given || table == "%" {
			table = ""
		}
		r.add(at, table)
	}
}

// naming are the structures that name a table which is written elsewhere.
var naming = []string{"store.Write", "store.EventRow", "store.OrphanTable", "casework.Timeline", "casework.CaseRules", "casework.Decisions"}

// waits adds the table that such a structure names.
func (r *reading) waits(lit *ast.CompositeLit) {
	named, is := r.info.Types[lit].Type.(*types.Named)
	if !is || named.Obj().Pkg() == nil || !slices.Contains(naming, named.Obj().Pkg().Name()+"."+named.Obj().Name()) {
		return
	}
	for _, element := range lit.Elts {
		pair, is := element.(*ast.KeyValueExpr)
		if !is {
			continue
		}
		if key, is := pair.Key.(*ast.Ident); is && (key.Name == "Table" || key.Name == "Into") {
			table := ""
			if value := r.info.Types[pair.Value].Value; value != nil {
				table, _, _ = strings.Cut(constant.StringVal(value), " ")
			}
			r.add(pair, table)
		}
	}
}

// rowWrites are the names of what writes a row that it is given: of GORM, of the kernel, and
// of changes that hand on to them.
var rowWrites = []string{"Create", "CreateInBatches", "Save", "Update", "Updates", "UpdateColumn", "UpdateColumns", "Delete", "FirstOrCreate",
	"StoreChanged", "SaveChanged"}

// call adds the table of a row that is written.
func (r *reading) call(call *ast.CallExpr) {
	name := ""
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		name = f.Sel.Name
	case *ast.Ident:
		name = f.Name
	}
	if !slices.Contains(rowWrites, name) || len(call.Args) == 0 {
		return
	}
	if model := r.model(call.Fun); model != nil {
		r.row(call, model)
		return
	}
	for _, arg := range call.Args {
		if table := r.tableOf(arg); table != "" {
			r.add(call, table)
			return
		}
	}
	r.add(call, "")
}

// model is what a chain of GORM names as the rows or the table that it is about.
func (r *reading) model(chain ast.Expr) ast.Expr {
	switch e := chain.(type) {
	case *ast.SelectorExpr:
		return r.model(e.X)
	case *ast.CallExpr:
		if f, is := e.Fun.(*ast.SelectorExpr); is && (f.Sel.Name == "Model" || f.Sel.Name == "Table") && len(e.Args) > 0 {
			return e.Args[0]
		}
		return r.model(e.Fun)
	case *ast.Ident:
		return r.model(r.assigned(e))
	}
	return nil
}

// assigned is what a variable of the declaration is made of.
func (r *reading) assigned(name *ast.Ident) (value ast.Expr) {
	of := r.info.Uses[name]
	ast.Inspect(r.decl, func(node ast.Node) bool {
		if a, is := node.(*ast.AssignStmt); is && a.Tok == token.DEFINE && len(a.Lhs) == len(a.Rhs) {
			for i, left := range a.Lhs {
				if ident, is := left.(*ast.Ident); is && of != nil && r.info.Defs[ident] == of {
					value = a.Rhs[i]
				}
			}
		}
		return true
	})
	return value
}

func (r *reading) row(at ast.Node, model ast.Expr) {
	if value := r.info.Types[model].Value; value != nil {
		r.add(at, constant.StringVal(value))
		return
	}
	r.add(at, r.tableOf(model))
}

// tableOf is the table of an expression's rows, or empty where no domain owns it.
func (r *reading) tableOf(expr ast.Expr) string {
	of := r.info.Types[expr].Type
	for {
		switch t := of.(type) {
		case *types.Pointer:
			of = t.Elem()
			continue
		case *types.Slice:
			of = t.Elem()
			continue
		case *types.Named:
			if t.Obj().Pkg() == nil || !strings.HasPrefix(t.Obj().Pkg().Path(), ownPath) {
				return ""
			}
			if _, is := t.Underlying().(*types.Struct); !is || t.Obj().Pkg().Name() == "store" {
				return ""
			}
			return r.tableName(t)
		}
		return ""
	}
}

// tableName is what TableName of a row gives, or what GORM makes of its name.
func (r *reading) tableName(row *types.Named) string {
	domain := strings.TrimPrefix(row.Obj().Pkg().Path(), ownPath)
	for _, file := range r.files[domain] {
		for _, decl := range file.Decls {
			f, is := decl.(*ast.FuncDecl)
			if !is || f.Name.Name != "TableName" || f.Recv == nil || len(f.Body.List) != 1 {
				continue
			}
			if nameOfType(f.Recv.List[0].Type) == row.Obj().Name() {
				return constant.StringVal(r.info.Types[f.Body.List[0].(*ast.ReturnStmt).Results[0]].Value)
			}
		}
	}
	return schema.NamingStrategy{}.TableName(row.Obj().Name())
}
