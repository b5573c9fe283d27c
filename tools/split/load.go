package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"golang.org/x/tools/go/packages"
)

const module = "github.com/tradepost/tradepost"
const modelsPath = module + "/models"

// file is one source file with the type information of its widest variant.
type file struct {
	name string // absolute
	src  []byte
	ast  *ast.File
	pkg  *packages.Package
	test bool
}

type repo struct {
	dir   string
	fset  *token.FileSet
	files map[string]*file
	order []string

	ifaces, ifaceImpl map[string][]string
	fieldKeys         map[string]bool
	inTests           map[string]bool // symbols that tests in the package declare
}

func load(dir string) *repo {
	cfg := &packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedDeps | packages.NeedForTest,
		Dir:  dir, Tests: true, Fset: token.NewFileSet(),
		BuildFlags: []string{"-tags=nomsgpack,kill"},
	}
	pkgs, err := packages.Load(cfg, "./...")
	if err != nil {
		panic(err)
	}
	r := &repo{dir: dir, fset: cfg.Fset, files: map[string]*file{}}
	bad := 0
	for _, p := range pkgs {
		for _, e := range p.Errors {
			bad++
			if bad < 40 {
				fmt.Fprintln(os.Stderr, e)
			}
		}
		for _, f := range p.Syntax {
			name := r.fset.Position(f.Package).Filename
			if !strings.HasPrefix(name, dir) || strings.Contains(name, "/.data/") {
				continue
			}
			old := r.files[name]
			if old != nil && len(old.pkg.Syntax) >= len(p.Syntax) {
				continue
			}
			src, err := os.ReadFile(name)
			if err != nil {
				panic(err)
			}
			r.files[name] = &file{name: name, src: src, ast: f, pkg: p, test: strings.HasSuffix(name, "_test.go")}
		}
	}
	for n := range r.files {
		r.order = append(r.order, n)
	}
	sort.Strings(r.order)
	return r
}

func (f *file) inModels() bool {
	return filepath.Base(filepath.Dir(f.name)) == "models" && f.pkg.Name == "models"
}

// owner maps a field object to the named struct that declares it.
var owners = map[token.Pos]string{}

func (r *repo) fieldOwners() {
	for _, n := range r.order {
		f := r.files[n]
		if !f.inModels() {
			continue
		}
		for _, d := range f.ast.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, s := range g.Specs {
				t, ok := s.(*ast.TypeSpec)
				if !ok {
					continue
				}
				ast.Inspect(t.Type, func(x ast.Node) bool {
					switch y := x.(type) {
					case *ast.Field:
						for _, id := range y.Names {
							owners[id.Pos()] = t.Name.Name
						}
						if len(y.Names) == 0 {
							owners[y.Type.Pos()] = t.Name.Name
							e := y.Type
							if st, ok := e.(*ast.StarExpr); ok {
								e = st.X
							}
							if se, ok := e.(*ast.SelectorExpr); ok {
								owners[se.Sel.Pos()] = t.Name.Name
							} else {
								owners[e.Pos()] = t.Name.Name
							}
						}
					}
					return true
				})
			}
		}
	}
}

// key names an object of package models, the same in each variant; "" for others.
func key(fset *token.FileSet, o types.Object) string {
	if o == nil || o.Pkg() == nil || o.Pkg().Path() != modelsPath {
		return ""
	}
	switch v := o.(type) {
	case *types.Func:
		sig := v.Type().(*types.Signature)
		if recv := sig.Recv(); recv != nil {
			t := recv.Type()
			if p, ok := t.(*types.Pointer); ok {
				t = p.Elem()
			}
			if n, ok := t.(*types.Named); ok {
				return n.Obj().Name() + "." + v.Name()
			}
			// an interface's method: owner by position
			if own := owners[v.Pos()]; own != "" {
				return own + "." + v.Name()
			}
			return ""
		}
		return v.Name()
	case *types.Var:
		if v.IsField() {
			if own := owners[v.Pos()]; own != "" {
				return own + "." + v.Name()
			}
			return ""
		}
		if o.Parent() == o.Pkg().Scope() {
			return v.Name()
		}
		return ""
	case *types.TypeName, *types.Const:
		if o.Parent() == o.Pkg().Scope() {
			return o.Name()
		}
	}
	return ""
}
