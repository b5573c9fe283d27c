package deploy

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local/asvs"
)

// sections is how many requirements each section of OWASP ASVS 5.0.0 has; WebRTC's have
// nothing here to be about.
var sections = map[string]int{"1.1": 2, "1.2": 10, "1.3": 12, "1.4": 3, "1.5": 3, "2.1": 3, "2.2": 3, "2.3": 5, "2.4": 2, "3.1": 1, "3.2": 3, "3.3": 5,
	"3.4": 8, "3.5": 8, "3.6": 1, "3.7": 5, "4.1": 5, "4.2": 5, "4.3": 2, "4.4": 4, "5.1": 1, "5.2": 6, "5.3": 3, "5.4": 3, "6.1": 3, "6.2": 12, "6.3": 8,
	"6.4": 6, "6.5": 8, "6.6": 4, "6.7": 2, "6.8": 4, "7.1": 3, "7.2": 4, "7.3": 2, "7.4": 5, "7.5": 3, "7.6": 2, "8.1": 4, "8.2": 4, "8.3": 3, "8.4": 2,
	"9.1": 3, "9.2": 4, "10.1": 2, "10.2": 3, "10.3": 5, "10.4": 16, "10.5": 5, "10.6": 2, "10.7": 3, "11.1": 4, "11.2": 5, "11.3": 5, "11.4": 4,
	"11.5": 2, "11.6": 2, "11.7": 2, "12.1": 5, "12.2": 2, "12.3": 5, "13.1": 4, "13.2": 6, "13.3": 4, "13.4": 7, "14.1": 2, "14.2": 8, "14.3": 3,
	"15.1": 5, "15.2": 5, "15.3": 7, "15.4": 4, "16.1": 1, "16.2": 5, "16.3": 4, "16.4": 3, "16.5": 4}

// thirdLevel are those of level 3.
const thirdLevel = ` 1.2.10 1.3.12 1.5.3 2.3.5 2.4.2 3.1.1 3.2.3 3.3.5 3.4.7 3.4.8 3.5.6 3.5.7 3.5.8 3.6.1 3.7.3 3.7.4 3.7.5 4.1.4 4.1.5 4.2.2 4.2.3 4.2.4 4.2.5
 5.2.4 5.2.5 5.2.6 5.3.3 6.3.5 6.3.6 6.3.7 6.3.8 6.4.5 6.4.6 6.5.6 6.5.7 6.5.8 6.6.4 6.7.1 6.7.2 7.5.3 8.1.3 8.1.4 8.2.4 8.3.2 8.3.3 8.4.2
 10.2.3 10.3.5 10.4.12 10.4.13 10.4.14 10.4.15 10.4.16 11.1.3 11.1.4 11.2.4 11.2.5 11.3.4 11.3.5 11.5.2 11.6.2 11.7.1 11.7.2 12.1.4 12.1.5 12.3.5
 13.1.2 13.1.3 13.1.4 13.2.6 13.3.3 13.3.4 13.4.6 13.4.7 14.2.5 14.2.6 14.2.7 14.2.8 15.1.4 15.1.5 15.2.4 15.2.5 15.4.1 15.4.2 15.4.3 15.4.4 16.5.4 `

// The table of ASVS in docs/security.md has every requirement of levels 1 and 2 once with a status and a proof, and the
// tests and files that it names exist.
func TestASVSTableIsWholeAndNamesWhatExists(t *testing.T) {
	text, rows := asvs.Table(t)
	named := map[string]int{}
	stories := storiesThere(t)
	for _, row := range rows {
		for _, id := range row.Requirements {
			named[id]++
		}
		require.Equal(t, row.Status == "not held" || row.Status == "does not apply", row.Proof == "–", "%s is %s and proved by %s", row.Requirements, row.Status, row.Proof)
		for _, title := range row.Stories {
			require.Contains(t, stories, "'"+title+"'", "%s", row.Requirements)
		}
	}
	third := strings.Fields(thirdLevel)
	for section, count := range sections {
		for n := 1; n <= count; n++ {
			id := fmt.Sprintf("%s.%d", section, n)
			want := 1
			for _, other := range third {
				if other == id {
					want = 0
				}
			}
			require.Equal(t, want, named[id], id)
			delete(named, id)
		}
	}
	require.Empty(t, named, "no requirement has these numbers")
	tests := testsThere(t)
	for _, name := range regexp.MustCompile(`\bTest[A-Z][A-Za-z0-9]+`).FindAllString(text, -1) {
		require.True(t, tests[name], "%s is no test", name)
	}
	for _, file := range regexp.MustCompile("`([a-z-]+/[A-Za-z0-9_./-]+)`").FindAllStringSubmatch(text, -1) {
		_, err := os.Stat(filepath.Join("..", file[1]))
		require.NoError(t, err)
	}
}

// Each requirement of a row with tests is claimed by an assertion of one of them, or listed as not asserted, and never
// both. A test that is named claims at least one of its row's.
func TestASVSRowsAreAsserted(t *testing.T) {
	_, rows := asvs.Table(t)
	claims := claimsOfTests(t)
	stories := storiesThere(t)
	for _, row := range rows {
		if len(row.Tests)+len(row.Stories) == 0 {
			require.Empty(t, row.NotAsserted, "%s has no test that could assert it", row.Requirements)
			continue
		}
		missing := []string{}
		for _, id := range row.Requirements {
			asserted := slices.ContainsFunc(row.Tests, func(name string) bool { return claims[name][id] }) ||
				slices.ContainsFunc(row.Stories, func(title string) bool { return strings.Contains(bodyOf(stories, title), "asvs('"+id+"')") })
			if !asserted {
				missing = append(missing, id)
			}
		}
		assert.Equal(t, missing, append([]string{}, row.NotAsserted...), "the row of %s lists what none of its tests claims", row.Requirements)
		for _, name := range row.Tests {
			claimed := slices.ContainsFunc(row.Requirements, func(id string) bool { return claims[name][id] })
			assert.True(t, claimed || len(missing) == len(row.Requirements), "%s proves nothing of the row of %s", name, row.Requirements)
		}
	}
}

// bodyOf is the source of a story of the web app's tests, up to the next one.
func bodyOf(stories, title string) string {
	_, body, _ := strings.Cut(stories, "'"+title+"'")
	if at := regexp.MustCompile(`\n *(test|it)\(`).FindStringIndex(body); at != nil {
		return body[:at[0]]
	}
	return body
}

// claimsOfTests lists, by test, the requirements in the messages of its assertions, and of those of the functions of its
// package that it calls.
func claimsOfTests(t *testing.T) map[string]map[string]bool {
	t.Helper()
	all := map[string]map[string]bool{}
	for _, folder := range testFolders {
		folders := map[string][]*ast.File{}
		err := filepath.WalkDir(filepath.Join("..", folder), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			folders[filepath.Dir(path)] = append(folders[filepath.Dir(path)], file)
			return err
		})
		require.NoError(t, err)
		for _, files := range folders {
			claimsOfPackage(files, all)
		}
	}
	return all
}

func claimsOfPackage(files []*ast.File, all map[string]map[string]bool) {
	functions := map[string][]*ast.FuncDecl{} // methods of several types by one name
	for _, file := range files {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
				functions[f.Name.Name] = append(functions[f.Name.Name], f)
			}
		}
	}
	for name, found := range functions {
		if !strings.HasPrefix(name, "Test") {
			continue
		}
		called, open := map[string]bool{name: true}, found
		var bodies []ast.Node
		for len(open) > 0 {
			f := open[0]
			open = open[1:]
			bodies = append(bodies, f.Body)
			ast.Inspect(f.Body, func(node ast.Node) bool {
				if call, ok := node.(*ast.CallExpr); ok {
					if next := calledName(call); !called[next] && !strings.HasPrefix(next, "Test") {
						called[next] = true
						open = append(open, functions[next]...)
					}
				}
				return true
			})
		}
		all[name] = claimsIn(bodies)
	}
}

func calledName(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// claimsIn lists the requirements of asvs.Claim in the messages of assertions, directly or by way of a variable.
func claimsIn(bodies []ast.Node) map[string]bool {
	kept, claimed := map[string][]string{}, map[string]bool{}
	for _, body := range bodies {
		ast.Inspect(body, func(node ast.Node) bool {
			assigned, ok := node.(*ast.AssignStmt)
			if !ok || len(assigned.Lhs) != len(assigned.Rhs) {
				return true
			}
			for i, value := range assigned.Rhs {
				if ids := requirementsIn(value, nil); len(ids) > 0 {
					kept[nameOf(assigned.Lhs[i])] = ids
				}
			}
			return true
		})
	}
	for _, body := range bodies {
		ast.Inspect(body, func(node ast.Node) bool {
			call, ok := node.(*ast.CallExpr)
			if !ok || !asserts(call) {
				return true
			}
			for _, argument := range call.Args {
				for _, id := range requirementsIn(argument, kept) {
					claimed[id] = true
				}
			}
			return true
		})
	}
	return claimed
}

// asserts reports whether a call fails the test: of testify's require, of testing, or of the answers of api's harness.
func asserts(call *ast.CallExpr) bool {
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	if of, ok := f.X.(*ast.Ident); ok && of.Name == "require" {
		return true
	}
	return slices.Contains([]string{"is", "refused", "Error", "Errorf", "Fatal", "Fatalf"}, f.Sel.Name)
}

func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// requirementsIn lists the requirements of asvs.Claim within an expression, those in kept variables included.
func requirementsIn(e ast.Expr, kept map[string][]string) (ids []string) {
	ast.Inspect(e, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			f, ok := node.Fun.(*ast.SelectorExpr)
			if !ok || nameOf(f.X) != "asvs" || f.Sel.Name != "Claim" {
				return true
			}
			for _, argument := range node.Args[1:] {
				if text, ok := argument.(*ast.BasicLit); ok {
					ids = append(ids, strings.Trim(text.Value, `"`))
				}
			}
			return false
		case *ast.Ident:
			ids = append(ids, kept[node.Name]...)
		}
		return true
	})
	return ids
}

// A claim counts in the message of an assertion alone, and of a function that the test calls.
func TestAClaimCountsInAnAssertionAlone(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "some_test.go", `package some
func TestA(t *testing.T) {
	require.True(t, x, asvs.Claim(t, "1.1.1"))
	claim, other := asvs.Claim(t, "1.1.2"), asvs.Claim(t, "1.1.3")
	y.is(200, "so " + claim)
	t.Log(asvs.Claim(t, "1.1.4"))
	_ = asvs.Claim(t, "1.1.5")
	helper(t)
}
func helper(t *testing.T) { t.Errorf("%s", asvs.Claim(t, "1.1.6")) }
func apart(t *testing.T) { t.Errorf("%s", asvs.Claim(t, "1.1.7")) }
`, 0)
	require.NoError(t, err)
	all := map[string]map[string]bool{}
	claimsOfPackage([]*ast.File{file}, all)
	require.Equal(t, map[string]map[string]bool{"TestA": {"1.1.1": true, "1.1.2": true, "1.1.6": true}}, all)
}

// testFolders are those with tests of Go.
var testFolders = []string{"api", "models", "internal", "deploy", "e2e", "worker", "workflows", "activities"}

// storiesThere is the source of the web app's tests, which is searched for titles.
func storiesThere(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, folder := range []string{"web/e2e", "web/src"} {
		files := os.DirFS(filepath.Join("..", folder))
		err := fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !regexp.MustCompile(`\.(spec|test)\.tsx?$`).MatchString(path) {
				return err
			}
			source, err := fs.ReadFile(files, path)
			all.Write(source)
			return err
		})
		require.NoError(t, err)
	}
	return all.String()
}

// testsThere are the names of all of Go's tests in the checkout.
func testsThere(t *testing.T) map[string]bool {
	t.Helper()
	found, function := map[string]bool{}, regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	for _, folder := range testFolders {
		files := os.DirFS(filepath.Join("..", folder))
		err := fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			source, err := fs.ReadFile(files, path)
			for _, name := range function.FindAllSubmatch(source, -1) {
				found[string(name[1])] = true
			}
			return err
		})
		require.NoError(t, err)
	}
	return found
}
