package sandbox

import (
	"embed"
	"io/fs"
	"net/http"
	"strings"
)

//go:embed assets
var assets embed.FS

// Handler serves the simulators, the control page and its API on one origin.
// Requests that a page of another origin makes a browser send are refused, save
// safe ones.
func (w *World) Handler(simulators ...Simulator) http.Handler {
	mux := http.NewServeMux()
	for _, s := range simulators {
		s.Routes(mux, w)
	}
	c := &control{world: w, simulators: simulators}
	c.routes(mux)
	mux.Handle("GET /assets/", Assets("/assets/", assets))
	mux.HandleFunc("GET /healthz", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = rw.Write([]byte("ok\n"))
	})
	return http.NewCrossOriginProtection().Handler(mux)
}

// PageSecurity sets the headers of an HTML page: no inline script or style, no
// foreign resources. Form actions to the given origins are allowed beside our
// own; browsers check them on redirects too.
func PageSecurity(rw http.ResponseWriter, formOrigins ...string) {
	policy := "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'self'"
	for _, origin := range formOrigins {
		policy += " " + origin
	}
	rw.Header().Set("Content-Security-Policy", policy+"; frame-ancestors 'none'")
	rw.Header().Set("X-Content-Type-Options", "nosniff")
	rw.Header().Set("Referrer-Policy", "no-referrer")
	rw.Header().Set("Cache-Control", "no-store")
}

// Assets serves the embedded folder "assets" under the prefix.
func Assets(prefix string, files fs.FS) http.Handler {
	folder, err := fs.Sub(files, "assets")
	if err != nil {
		panic(err) // an invalid name, which "assets" is not
	}
	next := http.StripPrefix(prefix, http.FileServerFS(folder))
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("X-Content-Type-Options", "nosniff")
		rw.Header().Set("Cache-Control", "no-cache")
		next.ServeHTTP(rw, r)
	})
}

// wantsJSON distinguishes a program from a form of the control page.
func wantsJSON(r *http.Request) bool {
	return strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") ||
		!strings.Contains(r.Header.Get("Accept"), "text/html")
}
