package main

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"unicode"
)

// mover rewrites a checkout so that package models becomes one package a domain.
type mover struct {
	r          *repo
	place      map[string]string // symbol → package
	name       map[string]string // symbol → new last name (renames and exports)
	edits      map[string][]*edit
	decls      []*decl
	report     []string
	used       map[string]map[string]bool // out file → import paths of new packages
	written    map[string]bool
	filemap    []string
	renames    map[string]string
	outs       map[string]*out
	given      map[ast.Node]map[string]bool
	shadowed   map[string]int
	shadowVars map[types.Object][]string
	shadowHit  map[types.Object]*file
}

type edit struct {
	start, end int
	text       func() string
}

func (m *mover) note(pos token.Pos, format string, a ...any) {
	m.report = append(m.report, fmt.Sprintf("%s: %s", strings.TrimPrefix(m.r.fset.Position(pos).String(), m.r.dir+"/"), fmt.Sprintf(format, a...)))
}

func base(k string) string {
	if i := strings.LastIndex(k, "."); i >= 0 {
		return k[i+1:]
	}
	return k
}

// where is the package of a symbol, or of the type it belongs to.
func (m *mover) where(k string) string {
	if k == "" {
		return ""
	}
	if m.r.inTests[k] {
		return "test"
	}
	return wh(m.place, k)
}

func (m *mover) isMoved(k string) bool { // a DB method that becomes a function
	i := strings.Index(k, ".")
	if i < 0 || m.r.fieldKeys[k] {
		return false
	}
	if k[:i] == "DB" {
		return m.where(k) != "store"
	}
	return m.where(k) != m.where(k[:i])
}

func (m *mover) last(k string) string {
	if n := m.name[k]; n != "" {
		return n
	}
	return base(k)
}

func exportedName(n string) string {
	if n == "" {
		return n
	}
	r := []rune(n)
	r[0] = unicode.ToUpper(r[0])
	s := string(r)
	if s == "Id" {
		s = "ID"
	}
	return s
}

// home says, for a position of package models, in which new package its declaration is.
func (m *mover) homes(f *file) func(pos token.Pos) string {
	type span struct {
		a, b token.Pos
		p    string
	}
	var spans []span
	if f.inModels() && !f.test {
		for _, d := range m.decls {
			if d.file == f {
				p := m.where(d.name)
				if d.name == "_" {
					p = m.majority(f)
				}
				spans = append(spans, span{d.node.Pos(), d.node.End(), p})
			}
		}
	}
	return func(pos token.Pos) string {
		for _, s := range spans {
			if s.a <= pos && pos < s.b {
				return s.p
			}
		}
		return ""
	}
}

// eachUse calls fn for every identifier that refers to a symbol of package models.
func (m *mover) eachUse(fn func(f *file, home string, id *ast.Ident, k string, o types.Object)) {
	for _, n := range m.r.order {
		f := m.r.files[n]
		home := m.homes(f)
		ast.Inspect(f.ast, func(x ast.Node) bool {
			id, ok := x.(*ast.Ident)
			if !ok {
				return true
			}
			o := f.pkg.TypesInfo.Uses[id]
			if o == nil {
				return true
			}
			if fn2, ok := o.(*types.Func); ok {
				o = fn2.Origin()
			}
			if v, ok := o.(*types.Var); ok {
				o = v.Origin()
			}
			k := key(m.r.fset, o)
			if k == "" {
				return true
			}
			fn(f, home(id.Pos()), id, k, o)
			return true
		})
	}
}

// exports finds what has to be exported because another package uses it.
func (m *mover) exports() {
	need := map[string][]string{}
	m.eachUse(func(f *file, home string, id *ast.Ident, k string, o types.Object) {
		to := m.where(k)
		if to == "" {
			m.note(id.Pos(), "no place for %s", k)
			return
		}
		if to == home && f.inModels() && !f.test || to == "test" {
			return
		}
		if !token.IsExported(m.last(k)) {
			need[k] = append(need[k], m.r.fset.Position(id.Pos()).String())
		}
	})
	for _, n := range m.r.order {
		f := m.r.files[n]
		home := m.homes(f)
		ast.Inspect(f.ast, func(x ast.Node) bool {
			c, ok := x.(*ast.CompositeLit)
			if !ok || len(c.Elts) == 0 {
				return true
			}
			if _, keyed := c.Elts[0].(*ast.KeyValueExpr); keyed {
				return true
			}
			named, ok := types.Unalias(f.pkg.TypesInfo.TypeOf(c)).(*types.Named)
			if !ok || named.Obj().Pkg() == nil || named.Obj().Pkg().Path() != modelsPath {
				return true
			}
			st, ok := named.Underlying().(*types.Struct)
			if !ok || m.where(named.Obj().Name()) == home(c.Pos()) && !f.test {
				return true
			}
			for i := range st.NumFields() {
				if k := named.Obj().Name() + "." + st.Field(i).Name(); !token.IsExported(m.last(k)) {
					need[k] = append(need[k], "literal")
				}
			}
			return true
		})
	}
	// an interface that types of other packages implement
	for meth, ifs := range m.r.ifaces {
		for _, n := range ifs {
			for _, t := range m.r.ifaceImpl[n] {
				if m.where(t) != m.where(n) && !token.IsExported(meth) {
					need[n+"."+meth] = []string{"implemented by " + t}
				}
			}
		}
	}
	// methods of interfaces are renamed together
	for changed := true; changed; {
		changed = false
		for k := range need {
			if !strings.Contains(k, ".") || m.isMoved(k) || strings.HasPrefix(k, "DB.") {
				continue
			}
			for _, sib := range m.siblings(k) {
				if need[sib] == nil {
					need[sib] = []string{"with " + k}
					changed = true
				}
			}
		}
	}
	taken := map[string]string{}
	for _, d := range m.decls {
		if !strings.Contains(d.name, ".") || m.isMoved(d.name) {
			taken[m.where(d.name)+"."+m.last(d.name)] = d.name
		} else {
			taken[d.name[:strings.Index(d.name, ".")]+"#"+m.last(d.name)] = d.name
		}
	}
	for k := range m.r.fieldKeys {
		i := strings.Index(k, ".")
		taken[k[:i]+"#"+m.last(k)] = k
	}
	var ks []string
	for k := range need {
		ks = append(ks, k)
	}
	sort.Strings(ks)
	for _, k := range ks {
		if m.name[k] != "" {
			continue
		}
		n := exportedName(base(k))
		scope := m.where(k) + "." + n
		if strings.Contains(k, ".") && !m.isMoved(k) {
			scope = k[:strings.Index(k, ".")] + "#" + n
		}
		if other := taken[scope]; other != "" && other != k {
			m.report = append(m.report, fmt.Sprintf("EXPORT COLLISION %s → %s is %s (used at %s)", k, scope, other, need[k][0]))
		}
		m.name[k] = n
		if m.r.isField(k) {
			m.report = append(m.report, "FIELD EXPORTED "+k)
		}
	}
	final := map[string]string{}
	for _, d := range m.decls {
		if strings.Contains(d.name, ".") && !m.isMoved(d.name) || d.name == "_" || d.name == "init" {
			continue
		}
		n := m.where(d.name) + "." + m.last(d.name)
		if o := final[n]; o != "" {
			m.report = append(m.report, "TWICE "+n+": "+o+", "+d.name)
		}
		final[n] = d.name
	}
	m.report = append(m.report, fmt.Sprintf("exports %d", len(ks)))
}

func (r *repo) isField(k string) bool { return r.fieldKeys[k] }

// siblings are methods of the same name on types that share an interface with it.
func (m *mover) siblings(k string) []string {
	i := strings.Index(k, ".")
	typ, meth := k[:i], k[i+1:]
	var out []string
	for _, iface := range m.r.ifaces[meth] {
		members := m.r.ifaceImpl[iface]
		in := iface == typ
		for _, t := range members {
			if t == typ {
				in = true
			}
		}
		if !in {
			continue
		}
		out = append(out, iface+"."+meth)
		for _, t := range members {
			out = append(out, t+"."+meth)
		}
	}
	return out
}

// interfaces of package models and who implements them.
func (r *repo) findIfaces() {
	r.ifaces, r.ifaceImpl, r.fieldKeys = map[string][]string{}, map[string][]string{}, map[string]bool{}
	var pkg *types.Package
	for _, n := range r.order {
		if f := r.files[n]; f.inModels() && !f.test {
			pkg = f.pkg.Types
			break
		}
	}
	sc := pkg.Scope()
	for _, n := range sc.Names() {
		tn, ok := sc.Lookup(n).(*types.TypeName)
		if !ok {
			continue
		}
		if st, ok := tn.Type().Underlying().(*types.Struct); ok {
			for i := range st.NumFields() {
				r.fieldKeys[n+"."+st.Field(i).Name()] = true
			}
		}
		it, ok := tn.Type().Underlying().(*types.Interface)
		if !ok {
			continue
		}
		for i := range it.NumMethods() {
			r.ifaces[it.Method(i).Name()] = append(r.ifaces[it.Method(i).Name()], n)
		}
		for _, c := range sc.Names() {
			ct, ok := sc.Lookup(c).(*types.TypeName)
			if !ok || c == n {
				continue
			}
			if nt, ok := ct.Type().(*types.Named); ok && nt.TypeParams().Len() > 0 {
				continue
			}
			if types.Implements(ct.Type(), it) || types.Implements(types.NewPointer(ct.Type()), it) {
				r.ifaceImpl[n] = append(r.ifaceImpl[n], c)
			}
		}
	}
}

func (m *mover) off(p token.Pos) int { return m.r.fset.Position(p).Offset }

func (m *mover) add(f *file, a, b token.Pos, text func() string) {
	m.edits[f.name] = append(m.edits[f.name], &edit{m.off(a), m.off(b), text})
}

// render is a stretch of a file with its edits applied.
func (m *mover) render(f *file, a, b int) string {
	es := m.edits[f.name]
	i := sort.Search(len(es), func(i int) bool { return es[i].start >= a })
	var out strings.Builder
	at := a
	for ; i < len(es) && es[i].start < b; i++ {
		e := es[i]
		if e.start < at || e.end > b {
			continue
		}
		out.Write(f.src[at:e.start])
		out.WriteString(e.text())
		at = e.end
	}
	if at < b {
		out.Write(f.src[at:b])
	}
	return out.String()
}

// pkgName is what a new package is called in code.
func pkgName(p string) string {
	if p == "models(root)" {
		return "models"
	}
	return p
}

func pkgPath(p string) string {
	if p == "models(root)" {
		return modelsPath
	}
	return modelsPath + "/" + p
}

func (m *mover) use(f *file, home, p string) {
	k := f.name + "|" + home
	if m.used[k] == nil {
		m.used[k] = map[string]bool{}
	}
	m.used[k][p] = true
}

// qualified is how a symbol's new package is named at a place; shadowed names are reported.
func (m *mover) qual(f *file, home string, pos token.Pos, p string, name string) string {
	if p == "test" {
		m.shadow(f, pos, name, true)
		return ""
	}
	if f.inModels() && !f.test && home == p {
		m.shadow(f, pos, name, true)
		return ""
	}
	m.use(f, home, p)
	m.shadow(f, pos, pkgName(p), false)
	return pkgName(p) + "."
}

func (m *mover) shadow(f *file, pos token.Pos, name string, own bool) {
	sc := f.pkg.Types.Scope().Innermost(pos)
	if sc == nil {
		return
	}
	_, o := sc.LookupParent(name, pos)
	if o == nil || o.Parent() == types.Universe {
		return
	}
	if o.Parent() == f.pkg.Types.Scope() {
		if own || (f.inModels() && !f.test) {
			return // a declaration of package models: it moves
		}
		m.shadowed[fmt.Sprintf("%s package-level %s", strings.TrimPrefix(f.name, m.r.dir+"/"), name)]++
		return
	}
	if _, ok := o.(*types.PkgName); ok {
		m.shadowed[fmt.Sprintf("%s import %s", strings.TrimPrefix(f.name, m.r.dir+"/"), name)]++
		return
	}
	m.shadowVars[o] = append(m.shadowVars[o], f.name)
	m.shadowHit[o] = f
}

func write(path string, text []byte) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		panic(err)
	}
	out, err := format.Source(text)
	if err != nil {
		fmt.Fprintln(os.Stderr, "format", path, err)
		out = text
	}
	if err := os.WriteFile(path, out, 0o644); err != nil {
		panic(err)
	}
}
