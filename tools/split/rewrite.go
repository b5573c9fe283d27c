package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"sort"
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
