// Command split turns package models into one package a domain (docs/decisions/0041-models-by-domain.md).
//
//	go run . ../.. plan    says what upward references, shadowed names and collisions are left
//	go run . CHECKOUT apply && python3 finish.py CHECKOUT
//
// Run apply on a clean clone: it rewrites it.
package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/types"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// tables is the folder of the tables, from where the command is run.
const tables = "./"

var topo = []string{"store", "chore", "audit", "ledger", "casework", "webhook", "kyc", "pricing", "dualcontrol", "risk", "execution", "referral", "order", "voucher", "giftcard", "payout", "support", "account", "correction", "team", "customer", "privacy", "treasury", "reconciliation", "reporting", "mailqueue"}

// decl is a top-level declaration of package models (a spec, or a func).
type decl struct {
	name  string // key of it: Name, or Type.Method
	file  *file
	node  ast.Node // FuncDecl or Spec
	gen   *ast.GenDecl
	lines int
}

func readMap(path string) map[string]string {
	m := map[string]string{}
	fh, err := os.Open(path)
	if err != nil {
		return m
	}
	sc := bufio.NewScanner(fh)
	for sc.Scan() {
		p := strings.Split(sc.Text(), "\t")
		if len(p) >= 2 && p[0] != "package" {
			m[p[1]] = p[0]
		}
	}
	return m
}

func (r *repo) decls() []*decl {
	var out []*decl
	lines := func(n ast.Node) int { return r.fset.Position(n.End()).Line - r.fset.Position(n.Pos()).Line + 1 }
	for _, n := range r.order {
		f := r.files[n]
		if !f.inModels() || f.test {
			continue
		}
		for _, d := range f.ast.Decls {
			switch v := d.(type) {
			case *ast.FuncDecl:
				name := v.Name.Name
				if v.Recv != nil {
					t := v.Recv.List[0].Type
					if s, ok := t.(*ast.StarExpr); ok {
						t = s.X
					}
					if ix, ok := t.(*ast.IndexExpr); ok {
						t = ix.X
					}
					name = t.(*ast.Ident).Name + "." + name
				}
				out = append(out, &decl{name, f, v, nil, lines(v)})
			case *ast.GenDecl:
				for _, s := range v.Specs {
					switch t := s.(type) {
					case *ast.TypeSpec:
						out = append(out, &decl{t.Name.Name, f, t, v, lines(t)})
					case *ast.ValueSpec:
						for _, id := range t.Names {
							out = append(out, &decl{id.Name, f, t, v, lines(t)})
						}
					}
				}
			}
		}
	}
	return out
}

func main() {
	dir, err := filepath.Abs(os.Args[1])
	if err != nil {
		panic(err)
	}
	r := load(dir)
	r.fieldOwners()
	place := readMap(tables + "places.tsv")
	ds := r.decls()
	// unassigned: by majority of the file
	byFile := map[string]map[string]int{}
	for _, d := range ds {
		if p := place[d.name]; p != "" {
			b := filepath.Base(d.file.name)
			if byFile[b] == nil {
				byFile[b] = map[string]int{}
			}
			byFile[b][p] += d.lines
		}
	}
	guess := 0
	var unassigned []string
	for _, d := range ds {
		if place[d.name] != "" {
			continue
		}
		// a method goes with its type
		if i := strings.Index(d.name, "."); i > 0 && d.name[:i] != "DB" && place[d.name[:i]] != "" {
			place[d.name] = place[d.name[:i]]
			guess++
			continue
		}
		b := filepath.Base(d.file.name)
		best, n := "", 0
		for p, c := range byFile[b] {
			if c > n {
				best, n = p, c
			}
		}
		if best != "" && len(byFile[b]) <= 3 {
			place[d.name] = best
			guess++
			continue
		}
		unassigned = append(unassigned, b+"\t"+d.name)
	}
	fmt.Println("decls", len(ds), "guessed", guess, "unassigned", len(unassigned))
	for _, u := range unassigned {
		fmt.Println("  ?", u)
	}
	if len(os.Args) > 2 && (os.Args[2] == "plan" || os.Args[2] == "apply") {
		r.findIfaces()
		r.findTests()
		m := &mover{r: r, place: place, name: readNames(tables + "names.tsv"), edits: map[string][]*edit{}, renames: readNames(tables + "files.tsv"), outs: map[string]*out{}, decls: ds,
			used: map[string]map[string]bool{}, written: map[string]bool{}, given: map[ast.Node]map[string]bool{}, shadowed: map[string]int{}, shadowVars: map[types.Object][]string{}, shadowHit: map[types.Object]*file{}}
		m.exports()
		m.run(os.Args[2] == "apply")
		for _, l := range m.report {
			fmt.Println(l)
		}
		return
	}
	for _, d := range ds {
		if i := strings.Index(d.name, "."); i > 0 && !strings.HasPrefix(d.name, "DB.") && place[d.name] != place[d.name[:i]] {
			fmt.Println("foreign method", d.name, place[d.name], "type in", place[d.name[:i]])
		}
	}
	rank := map[string]int{}
	for i, p := range topo {
		rank[p] = i
	}
	up := map[string]map[string]int{}
	seen := map[string]bool{}
	for _, d := range ds {
		from := wh(place, d.name)
		if from == "" {
			continue
		}
		ast.Inspect(d.node, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			o := d.file.pkg.TypesInfo.Uses[id]
			if o == nil {
				return true
			}
			k := key(r.fset, o)
			if k == "" {
				return true
			}
			t := wh(place, k)
			if t == "" || t == from {
				return true
			}
			if rank[t] > rank[from] {
				s := d.name + " -> " + k
				if !seen[s] {
					seen[s] = true
					if up[from+">"+t] == nil {
						up[from+">"+t] = map[string]int{}
					}
					up[from+">"+t][s]++
				}
			}
			return true
		})
	}
	var ks []string
	for k := range up {
		ks = append(ks, k)
	}
	sort.Strings(ks)
	total := 0
	for _, k := range ks {
		fmt.Println(k, len(up[k]))
		total += len(up[k])
		var ss []string
		for s := range up[k] {
			ss = append(ss, s)
		}
		sort.Strings(ss)
		for _, s := range ss {
			fmt.Println("     ", s)
		}
	}
	fmt.Println("upward", total)
	// collisions of method names with package-level names
	names := map[string]string{}
	for _, d := range ds {
		if !strings.Contains(d.name, ".") {
			names[d.name] = place[d.name]
		}
	}
	col := 0
	for _, d := range ds {
		if m, ok := strings.CutPrefix(d.name, "DB."); ok && names[m] != "" && names[m] == place[d.name] {
			col++
			fmt.Println("collides", place[d.name], m)
		}
	}
	fmt.Println("collisions", col)
}

// readNames reads renames: symbol, new last name.
func readNames(path string) map[string]string {
	m := map[string]string{}
	b, err := os.ReadFile(path)
	if err != nil {
		return m
	}
	for _, l := range strings.Split(string(b), "\n") {
		if p := strings.Split(l, "\t"); len(p) == 2 {
			m[p[0]] = p[1]
		}
	}
	return m
}

func wh(place map[string]string, k string) string {
	if p := place[k]; p != "" {
		return p
	}
	if strings.HasPrefix(k, "DB.") {
		return "store"
	}
	if i := strings.Index(k, "."); i > 0 {
		return place[k[:i]]
	}
	return ""
}
