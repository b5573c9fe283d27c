package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
)

type out struct {
	pkg     string
	texts   []string
	imports map[string]string // path → alias or ""
}

// split writes the files of package models to their new packages.
func (m *mover) split(f *file) {
	outs := map[string]*out{}
	get := func(p string) *out {
		if outs[p] == nil {
			outs[p] = &out{imports: map[string]string{}}
		}
		return outs[p]
	}
	imp := func(p string, n ast.Node) {
		ast.Inspect(n, func(x ast.Node) bool {
			if id, ok := x.(*ast.Ident); ok {
				if pn, ok := f.pkg.TypesInfo.Uses[id].(*types.PkgName); ok {
					alias := ""
					if pn.Name() != pn.Imported().Name() {
						alias = pn.Name()
					}
					get(p).imports[pn.Imported().Path()] = alias
				}
			}
			return true
		})
	}
	at := m.off(f.ast.Name.End())
	for _, d := range f.ast.Decls {
		end := m.lineEnd(f, m.off(d.End()))
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			at = end
			continue
		}
		if g, ok := d.(*ast.GenDecl); ok && g.Lparen.IsValid() {
			m.group(f, g, at, get, imp)
			at = end
			continue
		}
		p := ""
		switch v := d.(type) {
		case *ast.FuncDecl:
			p = m.where(m.keyOf(f.pkg.TypesInfo.Defs[v.Name]))
			if v.Name.Name == "init" || v.Name.Name == "_" {
				p = m.majority(f)
				m.note(v.Pos(), "func %s goes to %s", v.Name.Name, p)
			}
		case *ast.GenDecl:
			p = m.specPlace(f, v.Specs[0])
			m.specDoc(f, v, v.Specs[0])
		}
		if p == "" {
			m.note(d.Pos(), "declaration without a place")
			p = "models(root)"
		}
		get(p).texts = append(get(p).texts, strings.TrimLeft(m.renderSorted(f, at, end), "\n"))
		imp(p, d)
		at = end
	}
	if tail := strings.TrimSpace(string(f.src[at:])); tail != "" {
		m.note(f.ast.End(), "text after the last declaration")
	}
	for p, o := range outs {
		for q := range m.used[f.name+"|"+p] {
			o.imports[pkgPath(q)] = ""
		}
		name := strings.TrimSuffix(filepath.Base(f.name), ".go")
		for _, pre := range prefixes[p] {
			if rest, ok := strings.CutPrefix(name, pre+"_"); ok && rest != "" {
				name = rest
				break
			}
		}
		dir := filepath.Join(m.r.dir, "models", p)
		if p == "models(root)" {
			dir = filepath.Join(m.r.dir, "models")
		}
		if n := m.renames[p+"/"+strings.TrimSuffix(filepath.Base(f.name), ".go")]; n != "" {
			name = n
		}
		path := filepath.Join(dir, name+".go")
		m.written[path] = true
		for _, d := range m.decls {
			if d.file == f && m.where(d.name) == p {
				n := m.last(d.name)
				m.filemap = append(m.filemap, strings.TrimPrefix(f.name, m.r.dir+"/")+"\t"+base(d.name)+"\t"+strings.TrimPrefix(path, m.r.dir+"/")+"\t"+n)
			}
		}
		all := m.outs[path]
		if all == nil {
			all = &out{imports: map[string]string{}, pkg: pkgName(p)}
			m.outs[path] = all
		}
		maps.Copy(all.imports, o.imports)
		all.texts = append(all.texts, o.texts...)
	}
}

var prefixes = map[string][]string{
	"order": {"order"}, "voucher": {"voucher"}, "giftcard": {"gift_card"}, "payout": {"payout"}, "kyc": {"kyc"}, "risk": {"risk"}, "referral": {"referral"},
	"treasury": {"treasury"}, "reconciliation": {"reconciliation"}, "support": {"ticket"}, "team": {"team"}, "ledger": {"ledger"}, "pricing": {"pricing"}, "customer": {"customer"}, "account": {"account"},
}

func (m *mover) lineEnd(f *file, at int) int {
	for at < len(f.src) && f.src[at] != '\n' {
		at++
	}
	return at
}

func (m *mover) majority(f *file) string {
	n := map[string]int{}
	for _, d := range m.decls {
		if d.file == f {
			n[m.where(d.name)] += d.lines
		}
	}
	best := ""
	for p := range n {
		if best == "" || n[p] > n[best] {
			best = p
		}
	}
	return best
}

func (m *mover) specPlace(f *file, s ast.Spec) string {
	switch t := s.(type) {
	case *ast.TypeSpec:
		return m.where(t.Name.Name)
	case *ast.ValueSpec:
		p := ""
		for _, id := range t.Names {
			q := m.where(id.Name)
			if id.Name == "_" {
				q = m.majority(f)
			}
			if p != "" && q != p {
				m.note(s.Pos(), "one spec in two packages: %s", id.Name)
			}
			p = q
		}
		return p
	}
	return ""
}

func (m *mover) specDoc(f *file, g *ast.GenDecl, s ast.Spec) {
	var id *ast.Ident
	doc := g.Doc
	switch t := s.(type) {
	case *ast.TypeSpec:
		id = t.Name
		if t.Doc != nil {
			doc = t.Doc
		}
	case *ast.ValueSpec:
		id = t.Names[0]
		if t.Doc != nil {
			doc = t.Doc
		}
	}
	m.docWord(f, doc, id.Name, m.last(id.Name))
}

// group is a declaration in parentheses, each of whose parts goes to its package.
func (m *mover) group(f *file, g *ast.GenDecl, at int, get func(string) *out, imp func(string, ast.Node)) {
	ps := map[string][]ast.Spec{}
	var order []string
	for _, s := range g.Specs {
		p := m.specPlace(f, s)
		if ps[p] == nil {
			order = append(order, p)
		}
		ps[p] = append(ps[p], s)
		m.specDoc(f, g, s)
	}
	end := m.lineEnd(f, m.off(g.End()))
	if len(order) == 1 {
		get(order[0]).texts = append(get(order[0]).texts, strings.TrimLeft(m.renderSorted(f, at, end), "\n"))
		imp(order[0], g)
		return
	}
	for _, s := range g.Specs {
		if v, ok := s.(*ast.ValueSpec); ok && (len(v.Values) == 0 && v.Type == nil || strings.Contains(string(f.src[m.off(v.Pos()):m.off(v.End())]), "iota")) {
			m.note(s.Pos(), "iota in a group of %v", order)
		}
	}
	lead := strings.TrimLeft(m.renderSorted(f, at, m.off(g.Lparen)+1), "\n")
	spec := map[string][]string{}
	from := m.off(g.Lparen) + 1
	for _, s := range g.Specs {
		e := m.lineEnd(f, m.off(s.End()))
		p := m.specPlace(f, s)
		spec[p] = append(spec[p], strings.Trim(m.renderSorted(f, from, e), "\n"))
		imp(p, s)
		from = e
	}
	for _, p := range order {
		get(p).texts = append(get(p).texts, lead+"\n"+strings.Join(spec[p], "\n")+"\n)")
	}
}

// renderSorted renders after edits added late (comments) are in order.
func (m *mover) renderSorted(f *file, a, b int) string {
	m.sortEdits(f)
	return m.render(f, a, b)
}

func importBlock(im map[string]string) string {
	var std, ext, own []string
	for p, alias := range im {
		line := "\t"
		if alias != "" {
			line += alias + " "
		}
		line += strconv.Quote(p)
		switch {
		case strings.HasPrefix(p, module):
			own = append(own, line)
		case strings.Contains(strings.SplitN(p, "/", 2)[0], "."):
			ext = append(ext, line)
		default:
			std = append(std, line)
		}
	}
	var groups []string
	for _, g := range [][]string{std, ext, own} {
		if len(g) > 0 {
			sort.Slice(g, func(i, j int) bool { return strings.TrimLeft(g[i], "\t") < strings.TrimLeft(g[j], "\t") })
			groups = append(groups, strings.Join(g, "\n"))
		}
	}
	if len(groups) == 0 {
		return ""
	}
	return "import (\n" + strings.Join(groups, "\n\n") + "\n)\n"
}

// outside rewrites a file that stays where it is.
func (m *mover) outside(f *file) {
	if len(m.edits[f.name]) == 0 && !(f.inModels() && f.test) {
		return
	}
	body := m.off(f.ast.Name.End())
	im := map[string]string{}
	for _, d := range f.ast.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.IMPORT {
			continue
		}
		if e := m.off(g.End()); e > body {
			body = e
		}
		for _, s := range g.Specs {
			is := s.(*ast.ImportSpec)
			p, _ := strconv.Unquote(is.Path.Value)
			if p == modelsPath {
				if is.Name != nil {
					m.note(s.Pos(), "aliased import of models")
				}
				continue
			}
			alias := ""
			if is.Name != nil {
				alias = is.Name.Name
			}
			im[p] = alias
			if is.Comment != nil || is.Doc != nil {
				m.note(s.Pos(), "comment on an import")
			}
		}
	}
	for p := range m.used[f.name+"|"] {
		im[pkgPath(p)] = ""
	}
	head := string(f.src[:m.off(f.ast.Name.Pos())])
	name := f.ast.Name.Name
	if f.inModels() {
		name = "models_test"
	}
	text := head + name + "\n\n" + importBlock(im) + m.renderSorted(f, body, len(f.src))
	write(f.name, []byte(text))
}

func (m *mover) run(apply bool) {
	for _, n := range m.r.order {
		m.build(m.r.files[n])
	}
	m.renameLocals()
	m.renameOthers(others)
	for _, n := range m.r.order {
		m.sortEdits(m.r.files[n])
	}
	names := map[string]int{}
	for o, fs := range m.shadowVars {
		names[o.Name()] += len(fs)
	}
	var ns []string
	for n := range names {
		ns = append(ns, n)
	}
	sort.Slice(ns, func(i, j int) bool { return names[ns[i]] > names[ns[j]] })
	vars := map[string]int{}
	for o := range m.shadowVars {
		vars[o.Name()]++
	}
	for _, n := range ns {
		m.report = append(m.report, fmt.Sprintf("SHADOW %s: %d variables, %d uses", n, vars[n], names[n]))
	}
	for k, n := range m.shadowed {
		m.report = append(m.report, fmt.Sprintf("SHADOWED %s %d", k, n))
	}
	if !apply {
		return
	}
	for _, n := range m.r.order {
		f := m.r.files[n]
		if f.inModels() && !f.test {
			m.split(f)
			if !m.written[f.name] {
				_ = os.Remove(f.name)
			}
			_ = os.WriteFile(m.r.dir+"/.split.tsv", []byte(strings.Join(m.filemap, "\n")+"\n"), 0o644)
		} else {
			m.outside(f)
		}
	}
	for path, o := range m.outs {
		write(path, []byte("package "+o.pkg+"\n\n"+importBlock(o.imports)+"\n"+strings.Join(o.texts, "\n\n")+"\n"))
	}
}

// findTests finds what the tests inside package models declare.
func (r *repo) findTests() {
	r.inTests = map[string]bool{}
	for _, n := range r.order {
		f := r.files[n]
		if !f.inModels() || !f.test {
			continue
		}
		for id, o := range f.pkg.TypesInfo.Defs {
			if o == nil || r.fset.Position(id.Pos()).Filename != n {
				continue
			}
			if k := key(r.fset, o); k != "" {
				r.inTests[k] = true
			}
		}
	}
}
