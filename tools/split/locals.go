package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"sort"
	"strings"
)

// wanted are names for local variables that would hide a package.
var wanted = map[string][]string{
	"order": {"o", "placed", "theOrder"}, "payout": {"p", "row", "thePayout"}, "pricing": {"prices", "terms2"}, "risk": {"r", "assessed"}, "voucher": {"v", "one"}, "chore": {"c", "job"},
	"needsIdentity": {"unverified"}, "store": {"kept"}, "ledger": {"books"}, "kyc": {"identity"}, "account": {"acct", "user"}, "customer": {"who"}, "referral": {"ref"}, "audit": {"entry"}, "treasury": {"funds"},
}

// renameLocals gives variables that hide a package another name.
func (m *mover) renameLocals() {
	var objs []types.Object
	for o := range m.shadowVars {
		objs = append(objs, o)
	}
	sort.Slice(objs, func(i, j int) bool { return objs[i].Pos() < objs[j].Pos() })
	for _, o := range objs {
		f := m.shadowHit[o]
		fn := enclosing(f, o.Pos())
		if fn == nil {
			m.note(o.Pos(), "no function around %s", o.Name())
			continue
		}
		taken := map[string]bool{}
		ast.Inspect(fn, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				taken[id.Name] = true
			}
			return true
		})
		for n := range m.given[fn] {
			taken[n] = true
		}
		name := ""
		for _, c := range wanted[o.Name()] {
			if !taken[c] {
				name = c
				break
			}
		}
		if name == "" {
			m.note(o.Pos(), "no free name for %s", o.Name())
			continue
		}
		if m.given[fn] == nil {
			m.given[fn] = map[string]bool{}
		}
		m.given[fn][name] = true
		ast.Inspect(fn, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			if f.pkg.TypesInfo.Defs[id] == o || f.pkg.TypesInfo.Uses[id] == o {
				m.replace(f, id, name)
			}
			return true
		})
		// short declarations in type switches define one object per clause; they are not used here
	}
}

// replace renames an identifier unless an edit already does.
func (m *mover) replace(f *file, id *ast.Ident, name string) {
	m.add(f, id.Pos(), id.End(), lit(name))
}

func enclosing(f *file, pos token.Pos) ast.Node {
	for _, d := range f.ast.Decls {
		if d.Pos() <= pos && pos < d.End() {
			return d
		}
	}
	return nil
}

// renameOthers renames package-level objects outside of models that would hide an import.
func (m *mover) renameOthers(names map[string]string) {
	for _, n := range m.r.order {
		f := m.r.files[n]
		ast.Inspect(f.ast, func(x ast.Node) bool {
			id, ok := x.(*ast.Ident)
			if !ok {
				return true
			}
			o := f.pkg.TypesInfo.Uses[id]
			if o == nil {
				o = f.pkg.TypesInfo.Defs[id]
			}
			if o == nil || o.Pkg() == nil || o.Parent() != o.Pkg().Scope() {
				return true
			}
			short := strings.TrimPrefix(o.Pkg().Path(), module+"/")
			if to := names[short+"."+o.Name()]; to != "" {
				m.replace(f, id, to)
			}
			return true
		})
	}
}
