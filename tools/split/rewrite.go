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

// build makes all edits of a file.
func (m *mover) build(f *file) {
	home := m.homes(f)
	info := f.pkg.TypesInfo
	inside := f.inModels() && !f.test
	var stack []ast.Node
	ast.Inspect(f.ast, func(n ast.Node) bool {
		if n == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		stack = append(stack, n)
		switch x := n.(type) {
		case *ast.FuncDecl:
			if f.inModels() {
				m.header(f, x)
			}
		case *ast.CallExpr:
			m.call(f, home(x.Pos()), x)
		case *ast.CompositeLit:
			m.literal(f, home(x.Pos()), x)
		case *ast.Ident:
			var parent ast.Node
			if len(stack) > 1 {
				parent = stack[len(stack)-2]
			}
			if v, ok := info.Defs[x].(*types.Var); ok && v.Embedded() {
				m.ident(f, home(x.Pos()), x, parent, stack)
				return true
			}
			if o := info.Defs[x]; o != nil && inside {
				m.definition(f, x, o)
				return true
			}
			m.ident(f, home(x.Pos()), x, parent, stack)
		}
		return true
	})
	m.sortEdits(f)
}

func (m *mover) sortEdits(f *file) {
	es := m.edits[f.name]
	sort.SliceStable(es, func(i, j int) bool {
		if es[i].start != es[j].start {
			return es[i].start < es[j].start
		}
		if iz, jz := es[i].end == es[i].start, es[j].end == es[j].start; iz != jz {
			return iz
		}
		return es[i].end > es[j].end
	})
}

// literal names the fields of a struct of another package.
func (m *mover) literal(f *file, home string, c *ast.CompositeLit) {
	t := f.pkg.TypesInfo.TypeOf(c)
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || named.Obj().Pkg().Path() != modelsPath || len(c.Elts) == 0 {
		return
	}
	st, ok := named.Underlying().(*types.Struct)
	if !ok || m.where(named.Obj().Name()) == home && f.inModels() && !f.test {
		return
	}
	if _, keyed := c.Elts[0].(*ast.KeyValueExpr); keyed {
		return
	}
	for i, e := range c.Elts {
		m.add(f, e.Pos(), e.Pos(), lit(m.last(named.Obj().Name()+"."+st.Field(i).Name())+": "))
	}
}

// others are package-level names elsewhere that would hide an import.
var others = map[string]string{"workflows.order": "orderRun", "workflows.payout": "payoutRun", "workflows.kyc": "kycRun", "workflows.voucher": "voucherRun", "workflows.treasury": "treasuryRun"}

// value turns a method of DB that is passed as a value into a function literal.
func (m *mover) value(f *file, home string, id *ast.Ident, k string, stack []ast.Node) {
	sel, ok := stack[len(stack)-2].(*ast.SelectorExpr)
	if !ok {
		m.note(id.Pos(), "value of method %s", k)
		return
	}
	sig := f.pkg.TypesInfo.TypeOf(sel).(*types.Signature)
	q := m.qual(f, home, sel.Pos(), m.where(k), m.last(k)) + m.last(k)
	var params, args []string
	ctx := false
	for i := range sig.Params().Len() {
		p := sig.Params().At(i)
		name := p.Name()
		if name == "" || name == "_" {
			name = fmt.Sprintf("p%d", i)
		}
		typ := m.typeText(f, home, sel.Pos(), p.Type())
		if typ == "context.Context" && i == 0 {
			ctx, name = true, "ctx"
		}
		arg := name
		if sig.Variadic() && i == sig.Params().Len()-1 {
			typ = "..." + strings.TrimPrefix(typ, "[]")
			arg += "..."
		}
		params, args = append(params, name+" "+typ), append(args, arg)
	}
	var results []string
	for i := range sig.Results().Len() {
		results = append(results, m.typeText(f, home, sel.Pos(), sig.Results().At(i).Type()))
	}
	res := strings.Join(results, ", ")
	if len(results) > 1 {
		res = "(" + res + ")"
	}
	x0, x1 := m.off(sel.X.Pos()), m.off(sel.X.End())
	at := 0
	if ctx {
		at = 1
	}
	m.add(f, sel.Pos(), sel.End(), func() string {
		all := append(append(append([]string{}, args[:at]...), m.render(f, x0, x1)), args[at:]...)
		return "func(" + strings.Join(params, ", ") + ") " + res + " { return " + q + "(" + strings.Join(all, ", ") + ") }"
	})
}

func (m *mover) typeText(f *file, home string, pos token.Pos, t types.Type) string {
	s := types.TypeString(t, func(p *types.Package) string {
		if p.Path() == modelsPath {
			return "MODELS"
		}
		return p.Name()
	})
	for {
		i := strings.Index(s, "MODELS.")
		if i < 0 {
			return s
		}
		j := i + len("MODELS.")
		e := j
		for e < len(s) && isWord(s[e]) {
			e++
		}
		k := s[j:e]
		s = s[:i] + m.qual(f, home, pos, m.where(k), m.last(k)) + m.last(k) + s[e:]
	}
}

func (m *mover) keyOf(o types.Object) string {
	if fn, ok := o.(*types.Func); ok {
		o = fn.Origin()
	}
	if v, ok := o.(*types.Var); ok {
		o = v.Origin()
	}
	return key(m.r.fset, o)
}

func lit(s string) func() string { return func() string { return s } }

// definition renames what is declared here, and the first word of its comment.
func (m *mover) definition(f *file, id *ast.Ident, o types.Object) {
	k := m.keyOf(o)
	if k == "" || m.isMoved(k) {
		return
	}
	if n := m.last(k); n != id.Name {
		m.add(f, id.Pos(), id.End(), lit(n))
	}
}

// docWord renames the first word of a declaration's comment.
func (m *mover) docWord(f *file, doc *ast.CommentGroup, old, now string) {
	if doc == nil || old == now {
		return
	}
	c := doc.List[0]
	text := c.Text
	if rest, ok := strings.CutPrefix(text, "// "+old); ok && (rest == "" || !isWord(rest[0])) {
		m.add(f, c.Pos()+3, c.Pos()+3+token.Pos(len(old)), lit(now))
	}
}

func isWord(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// header turns a method of DB into a function.
func (m *mover) header(f *file, d *ast.FuncDecl) {
	o := f.pkg.TypesInfo.Defs[d.Name]
	k := m.keyOf(o)
	m.docWord(f, d.Doc, d.Name.Name, m.last(k))
	if !m.isMoved(k) {
		return
	}
	home := m.where(k)
	recv := "_"
	if names := d.Recv.List[0].Names; len(names) > 0 {
		recv = names[0].Name
	}
	m.add(f, d.Recv.Opening, d.Name.End(), lit(m.last(k)))
	rt := d.Recv.List[0].Type
	star := ""
	if st, ok := rt.(*ast.StarExpr); ok {
		rt, star = st.X, "*"
	}
	typ := rt.(*ast.Ident).Name
	param := recv + " " + star + m.qual(f, home, d.Pos(), m.where(typ), m.last(typ)) + m.last(typ)
	ps := d.Type.Params
	if m.hasContext(f, ps) {
		end := ps.List[0].End()
		m.add(f, end, end, lit(", "+param))
		return
	}
	if len(ps.List) > 0 {
		param += ", "
	}
	m.add(f, ps.Opening+1, ps.Opening+1, lit(param))
}

func (m *mover) hasContext(f *file, ps *ast.FieldList) bool {
	if len(ps.List) == 0 || len(ps.List[0].Names) != 1 {
		return false
	}
	return types.TypeString(f.pkg.TypesInfo.TypeOf(ps.List[0].Type), nil) == "context.Context"
}

// call turns a call of a method of DB into one of a function.
func (m *mover) call(f *file, home string, c *ast.CallExpr) {
	sel, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return
	}
	s := f.pkg.TypesInfo.Selections[sel]
	if s == nil {
		return
	}
	k := m.keyOf(s.Obj())
	if !m.isMoved(k) {
		return
	}
	if s.Kind() != types.MethodVal {
		m.note(c.Pos(), "method expression of %s", k)
		return
	}
	suffix := ""
	if ix := s.Index(); len(ix) > 1 { // through an embedded *DB
		t := s.Recv()
		for _, i := range ix[:len(ix)-1] {
			if p, ok := t.(*types.Pointer); ok {
				t = p.Elem()
			}
			st := t.Underlying().(*types.Struct)
			suffix += "." + st.Field(i).Name()
			t = st.Field(i).Type()
		}
	}
	q := m.qual(f, home, c.Pos(), m.where(k), m.last(k)) + m.last(k)
	sig := s.Obj().Type().(*types.Signature)
	ctx := sig.Params().Len() > 0 && types.TypeString(sig.Params().At(0).Type(), nil) == "context.Context"
	x0, x1 := m.off(sel.X.Pos()), m.off(sel.X.End())
	sig0 := s.Obj().Type().(*types.Signature)
	_, wantPtr := sig0.Recv().Type().(*types.Pointer)
	_, havePtr := f.pkg.TypesInfo.TypeOf(sel.X).Underlying().(*types.Pointer)
	pre := ""
	switch {
	case suffix != "": // an embedded *DB
	case wantPtr && !havePtr:
		pre = "&"
	case !wantPtr && havePtr:
		pre = "*"
	}
	db := func() string { return pre + m.render(f, x0, x1) + suffix }
	if len(c.Args) == 1 {
		if _, tuple := f.pkg.TypesInfo.TypeOf(c.Args[0]).(*types.Tuple); tuple {
			m.note(c.Pos(), "several results passed to %s", k)
		}
	}
	if ctx && len(c.Args) > 0 {
		a0, a1 := m.off(c.Args[0].Pos()), m.off(c.Args[0].End())
		m.add(f, c.Pos(), c.Args[0].End(), func() string { return q + "(" + m.render(f, a0, a1) + ", " + db() })
		return
	}
	m.add(f, c.Pos(), c.Lparen+1, func() string {
		sep := ", "
		if len(c.Args) == 0 {
			sep = ""
		}
		return q + "(" + db() + sep
	})
}

// ident names a symbol by its new package and name.
func (m *mover) ident(f *file, home string, id *ast.Ident, parent ast.Node, stack []ast.Node) {
	o := f.pkg.TypesInfo.Uses[id]
	if o == nil {
		return
	}
	k := m.keyOf(o)
	if k == "" {
		return
	}
	if strings.Contains(k, ".") {
		if m.isMoved(k) {
			if !called(stack) {
				m.value(f, home, id, k, stack)
			}
			return
		}
		if n := m.last(k); n != id.Name {
			m.add(f, id.Pos(), id.End(), lit(n))
		}
		return
	}
	to := m.where(k)
	if sel, ok := parent.(*ast.SelectorExpr); ok && sel.Sel == id {
		q := m.qual(f, home, sel.Pos(), to, m.last(k))
		m.add(f, sel.Pos(), sel.End(), lit(q+m.last(k)))
		return
	}
	q := m.qual(f, home, id.Pos(), to, m.last(k))
	if t := q + m.last(k); t != id.Name {
		m.add(f, id.Pos(), id.End(), lit(t))
	}
}

// called reports whether the selector on top of the stack is what a call calls.
func called(stack []ast.Node) bool {
	if len(stack) < 3 {
		return false
	}
	sel, ok := stack[len(stack)-2].(*ast.SelectorExpr)
	c, ok2 := stack[len(stack)-3].(*ast.CallExpr)
	return ok && ok2 && c.Fun == sel
}

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
	for i, p := range order {
		_ = i
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