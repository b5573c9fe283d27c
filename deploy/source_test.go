package deploy

import (
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

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local/asvs"
	"github.com/tradepost/tradepost/models/money"
)

// product are the folders of Go that are released; simulators and the launcher are not.
var product = []string{"activities", "api", "internal", "models", "worker", "workflows"}

// forbidden are imports that the product has no use for, and why; the value is the only
// file that may have one.
var forbidden = map[string]string{
	"unsafe": "", "C": "", "crypto/md5": "", "crypto/des": "", "crypto/rc4": "", "crypto/sha1": "", "math/rand": "", "math/rand/v2": "",
}

// productFiles walks the released Go files.
func productFiles(t *testing.T, visit func(path string, file *ast.File)) {
	t.Helper()
	seen := 0
	for _, folder := range product {
		err := filepath.WalkDir(filepath.Join("..", folder), func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.IsDir() && (strings.HasSuffix(path, "internal/sandbox") || strings.HasSuffix(path, "internal/local") || entry.Name() == "testdata") {
				return fs.SkipDir
			}
			if entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err == nil {
				seen++
				visit(strings.TrimPrefix(path, "../"), file)
			}
			return err
		})
		require.NoError(t, err)
	}
	require.Greater(t, seen, 300, "the product's files")
}

// Released Go has no unsafe memory, no broken hash or cipher, no guessable random numbers,
// and checks every certificate (ASVS 1.4.1, 11.4.1, 11.5.1, 12.3.2).
func TestProductUsesNoUnsafeMeans(t *testing.T) {
	imports := strings.Join([]string{asvs.Claim(t, "1.4.1", "1.4.3"), asvs.Claim(t, "11.4.1", "11.4.3"), asvs.Claim(t, "11.5.1"), asvs.Claim(t, "6.5.3"), asvs.Claim(t, "11.3.2")}, "; ")
	versions := asvs.Claim(t, "12.3.2")
	unsafeTLS := []string{"InsecureSkipVerify", "VerifyPeerCertificate", "VersionTLS10", "VersionTLS11"}
	productFiles(t, func(path string, file *ast.File) {
		for _, spec := range file.Imports {
			name := strings.Trim(spec.Path.Value, `"`)
			only, named := forbidden[name]
			require.False(t, named && only != path, "%s imports %s: %s", path, name, imports)
		}
		ast.Inspect(file, func(node ast.Node) bool {
			if name, ok := node.(*ast.Ident); ok {
				require.NotContains(t, unsafeTLS, name.Name, path+" "+versions)
			}
			return true
		})
	})
}

// NewHTTPClient's transport returns a redirect as an error (internal/provider/transport_test.go).
var refusesRedirects = map[string]bool{"internal/provider/transport.go": true}

// clientsFollowing lists where a file makes or uses a client of net/http that would follow a redirect.
func clientsFollowing(file *ast.File) (found []string) {
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.SelectorExpr:
			of, ok := node.X.(*ast.Ident)
			if ok && of.Name == "http" && slices.Contains([]string{"DefaultClient", "Get", "Head", "Post", "PostForm"}, node.Sel.Name) {
				found = append(found, "http."+node.Sel.Name)
			}
			if ok && of.Name == "http" && node.Sel.Name == "Client" { // new(http.Client), var c http.Client, or a literal as below
				found = append(found, "http.Client")
			}
		case *ast.StarExpr:
			return false // a type: *http.Client
		case *ast.CompositeLit:
			of, ok := node.Type.(*ast.SelectorExpr)
			if !ok || of.Sel.Name != "Client" {
				return true
			}
			for _, field := range node.Elts {
				if pair, ok := field.(*ast.KeyValueExpr); ok && pair.Key.(*ast.Ident).Name == "CheckRedirect" {
					return false
				}
			}
		}
		return true
	})
	return found
}

// No client of ours follows a redirect: it would take a signed request, or a key, to another host. What the SDKs of S3 and
// Temporal do is theirs.
func TestNoClientFollowsARedirect(t *testing.T) {
	check := func(path string, file *ast.File) {
		if !refusesRedirects[path] {
			require.Empty(t, clientsFollowing(file), "%s uses a client that follows redirects: %s", path, asvs.Claim(t, "15.3.2"))
		}
	}
	productFiles(t, check)
	for _, path := range []string{"../backup/main.go", "probe/main.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		require.NoError(t, err)
		check(path, file)
	}
	bad, err := parser.ParseFile(token.NewFileSet(), "bad.go", `package bad
import "net/http"
var a, b = http.DefaultClient, &http.Client{Timeout: 1}
var c http.Client
var d = new(http.Client)
func e(f *http.Client) { http.Get("") }
var g = &http.Client{CheckRedirect: nil}`, 0)
	require.NoError(t, err)
	require.Equal(t, []string{"http.DefaultClient", "http.Client", "http.Client", "http.Client", "http.Get"}, clientsFollowing(bad))
}

// quoted makes its patterns of our own sentences, quoted.
var quoted = map[string]bool{"internal/i18n/i18n.go": true}

// Patterns and formats are constants: no input becomes one (ASVS 1.2.9,
// 1.3.10). The vet of `make lint` holds the rest of the formats.
func TestPatternsAreConstants(t *testing.T) {
	patterns := 0
	productFiles(t, func(path string, file *ast.File) {
		constants := map[string]bool{}
		ast.Inspect(file, func(node ast.Node) bool {
			if declared, ok := node.(*ast.GenDecl); ok && declared.Tok == token.CONST {
				for _, spec := range declared.Specs {
					for _, name := range spec.(*ast.ValueSpec).Names {
						constants[name.Name] = true
					}
				}
			}
			return true
		})
		ast.Inspect(file, func(node ast.Node) bool {
			call, ok := node.(*ast.CallExpr)
			if !ok {
				return true
			}
			selector, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if of, ok := selector.X.(*ast.Ident); ok && of.Name == "regexp" && strings.Contains(selector.Sel.Name, "Compile") {
				patterns++
				require.True(t, constant(call.Args[0], constants) || quoted[path], "%s compiles a pattern that is no constant: %s", path, asvs.Claim(t, "1.2.9"))
			}
			return true
		})
	})
	require.NotZero(t, patterns)
}

// constant reports whether an expression is a literal, a constant of its file, or a sum of those.
func constant(e ast.Expr, constants map[string]bool) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return true
	case *ast.Ident:
		return constants[e.Name]
	case *ast.BinaryExpr:
		return constant(e.X, constants) && constant(e.Y, constants)
	}
	return false
}

// Pages run no text as script, and listen to no other window (ASVS 1.3.2, 3.5.5). One file shows HTML: legal texts, which
// internal/legal renders without raw HTML from the operator's own files.
func TestPagesRunNoTextAndReceiveFromNoOtherWindow(t *testing.T) {
	bad := regexp.MustCompile(`\beval\(|new Function\(|dangerouslySetInnerHTML|\.innerHTML\b|document\.write|addEventListener\(\s*'message'|(^|[^.\w])onmessage\s*=|window\.onmessage|(window|parent|opener|contentWindow)\.postMessage`)
	claims := strings.Join([]string{asvs.Claim(t, "1.3.2"), asvs.Claim(t, "3.2.2"), asvs.Claim(t, "3.5.5")}, "; ")
	seen := 0
	for _, folder := range []string{"web/src", "web/scripts"} {
		err := fs.WalkDir(os.DirFS(filepath.Join("..", folder)), ".", func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !regexp.MustCompile(`\.(ts|tsx|js)$`).MatchString(path) || strings.Contains(path, ".test.") {
				return err
			}
			seen++
			for n, line := range strings.Split(read(t, filepath.Join(folder, path)), "\n") {
				if path == "features/legal/text.tsx" {
					line = strings.NewReplacer("dangerouslySetInnerHTML", "", ".innerHTML", "").Replace(line)
				}
				require.NotRegexp(t, bad, line, "%s/%s:%d: %s", folder, path, n+1, claims)
			}
			return nil
		})
		require.NoError(t, err)
	}
	require.Greater(t, seen, 200)
}

// Over plain HTTP a call is refused and a page is sent on (ASVS 4.1.2).
func TestCallsOverPlainHTTPAreRefused(t *testing.T) {
	_, site, found := strings.Cut(read(t, "deploy/caddy/Caddyfile"), "\nhttp:// {\n")
	require.True(t, found)
	site, _, _ = strings.Cut(site, "\n}\n")
	require.Contains(t, read(t, "deploy/caddy/Caddyfile"), "auto_https disable_redirects", "Caddy's own redirects would come first")
	in := regexp.MustCompile(`\n\t\tpath (.+)`).FindStringSubmatch(site)
	out := regexp.MustCompile(`\n\t\tnot path (.+)`).FindStringSubmatch(site)
	require.Regexp(t, `(?s)handle @calls \{\s+respond "[^"]+" 403\s+\}\s+handle \{\s+redir https://\{host\}\{uri\} 308\s+\}`, site)
	matches := func(patterns, path string) bool {
		for pattern := range strings.FieldsSeq(patterns) {
			prefix, open := strings.CutSuffix(pattern, "*")
			if path == pattern || open && strings.HasPrefix(path, prefix) {
				return true
			}
		}
		return false
	}
	calls := regexp.MustCompile(`(?m)^ {4}"(/api/[^"]+)": \{$`).FindAllStringSubmatch(read(t, "api/openapi.json"), -1)
	require.Greater(t, len(calls), 100)
	for _, call := range append(calls, []string{"", "/oauth/token"}, []string{"", "/oauth/erasure"}, []string{"", "/userinfo"}) {
		page := call[1] == "/api/login" || call[1] == "/api/logout"
		require.Equal(t, !page, matches(in[1], call[1]) && !matches(out[1], call[1]), call[1]+" "+asvs.Claim(t, "4.1.2"))
	}
	for _, page := range []string{"/", "/buy", "/signin", "/authorize"} {
		require.False(t, matches(in[1], page), page)
	}
}

// Caddy replaces the request id of a client and passes none of its headers about itself on, to the API and to the issuer.
// By itself it replaces X-Forwarded-For, -Host and -Proto, as long as it trusts no proxy before it.
func TestTheProxyPassesNoHeadersAboutTheClient(t *testing.T) {
	caddy := read(t, "deploy/caddy/Caddyfile")
	_, product, found := strings.Cut(caddy, "\n(product) {\n")
	require.True(t, found)
	product, _, _ = strings.Cut(product, "\n}\n")
	require.Equal(t, []string{"header_up X-Request-Id {http.request.uuid}", "header_up -X-Real-Ip", "header_up -Forwarded"},
		strings.Split(strings.ReplaceAll(strings.TrimSpace(product), "\t", ""), "\n"))
	for _, site := range []string{"{$SITE_HOST}", "{$IDENTITY_SITE}"} {
		require.Regexp(t, `(?m)^`+regexp.QuoteMeta(site)+` \{\n\treverse_proxy [^\n]*\{\n\t\timport product\n`, caddy, asvs.Claim(t, "3.5.4"))
	}
	require.NotContains(t, caddy, "trusted_proxies")
}

// named are the files that name coins, networks or rails: the registry, and settings' defaults.
var named = map[string]bool{"models/money/registry.go": true, "internal/config/providers.go": true}

// described is what tags say to people.
var described = regexp.MustCompile(`(doc|help):"[^"]*"`)

// Coins, networks and rails are named in the registry alone: all other code uses its lists. Rails that are common
// English words, such as card, are left out.
func TestCoinsNetworksAndRailsAreNamedInTheRegistryAlone(t *testing.T) {
	names := money.Networks
	for _, asset := range money.Assets {
		names = append(names, string(asset))
	}
	for _, rail := range money.RailCodes {
		if strings.Contains(rail, "_") && rail != money.RailGiftCard {
			names = append(names, rail)
		}
	}
	name := regexp.MustCompile(`\b(` + strings.Join(names, "|") + `)\b`)
	productFiles(t, func(path string, file *ast.File) {
		ast.Inspect(file, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.ImportSpec:
				return false
			case *ast.BasicLit:
				if node.Kind == token.STRING && !named[path] && name.MatchString(described.ReplaceAllString(node.Value, "")) {
					t.Errorf("%s names a coin, a network or a rail: %s", path, node.Value)
				}
			}
			return true
		})
	})
}

// ofVendors are the identifiers outside the adapters that a vendor's name is part of: fields of the specification's
// answers, and the names by which rows refer to their provider.
var ofVendors = regexp.MustCompile(`^(KrakenOrderID|BitgoTransferID|StripePaymentIntentID|Provider(Stripe|Kraken|BitGo))$`)

func TestTheDomainNamesNoVendor(t *testing.T) {
	vendor := regexp.MustCompile(`(?i)stripe|kraken|bitgo|sumsub`)
	productFiles(t, func(path string, file *ast.File) {
		if top, _, _ := strings.Cut(filepath.ToSlash(path), "/"); top != "models" && top != "activities" && top != "workflows" {
			return
		}
		ast.Inspect(file, func(node ast.Node) bool {
			if name, ok := node.(*ast.Ident); ok && vendor.MatchString(name.Name) && !ofVendors.MatchString(name.Name) {
				t.Errorf("%s names a vendor: %s", path, name.Name)
			}
			return true
		})
	})
}
