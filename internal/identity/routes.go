package identity

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/tradepost/tradepost/internal/telemetry"
)

// Paths of our pages.
const (
	pathContinue = "/continue"
	pathSignIn   = "/signin"
	pathSignUp   = "/signup"

	pathSignUpCode   = "/signup/code"
	pathSignUpResend = "/signup/code/resend"

	pathForgot    = "/forgot"
	pathSent      = "/forgot/sent"
	pathReset     = "/reset"
	pathVerify    = "/verify"
	pathVerified  = "/verified"
	pathResend    = "/verify/resend"
	pathAccount   = "/account"
	pathPassword  = "/account/password"
	pathSignOut   = "/signout"
	pathSignedOut = "/signed-out"
)

// pathSiteLogin is where the site begins a sign-in.
const pathSiteLogin = "/api/login"

// routes is the whole table: the protocol for the client, pages for people,
// probes for operators.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", s.healthy)
	mux.HandleFunc("GET /readyz", s.ready)

	protocol := s.protocol
	mux.HandleFunc("GET "+pathDiscovery, protocol.discovery)
	mux.HandleFunc("GET "+pathKeys, s.publicKeys)
	mux.Handle("POST "+pathToken, protocol.withIssuer(s.exchange))
	mux.HandleFunc("POST "+pathErasure, s.eraseAccount)
	mux.HandleFunc("GET "+pathUserinfo, s.userinfo)
	mux.HandleFunc("POST "+pathUserinfo, s.userinfo)

	pages := s.pages()
	mux.Handle("/", s.guard.browser(s.orNotFound(pages)))
	mux.HandleFunc("GET /assets/", s.asset)
	mux.HandleFunc("GET /favicon.ico", s.favicon)
	return s.observed(routeOf(mux, pages), s.guard.headers(s.recovered(mux)))
}

// routeOf finds the pattern of a request's path, and nothing that its sender chose.
func routeOf(mux, pages *http.ServeMux) func(*http.Request) string {
	return func(r *http.Request) string {
		_, pattern := mux.Handler(r)
		if pattern == "/" {
			_, pattern = pages.Handler(r)
		}
		if _, path, found := strings.Cut(pattern, " "); found {
			return path
		}
		return pattern
	}
}

// pages is what people open.
func (s *Server) pages() *http.ServeMux {
	protocol, pages := s.protocol, http.NewServeMux()
	pages.Handle("GET "+pathAuthorize, protocol.withIssuer(s.authorize))
	pages.Handle("GET "+pathCallback, protocol.withIssuer(s.callback))
	pages.Handle("GET "+pathEndSession, protocol.withIssuer(s.endSession))
	pages.Handle("GET "+pathContinue, protocol.withIssuer(s.continueRequest))
	pages.HandleFunc("POST "+pathContinue, s.form(s.continueSigned))
	pages.HandleFunc("GET /{$}", s.home)
	pages.HandleFunc("GET "+pathSignIn, s.signInPage)
	pages.HandleFunc("POST "+pathSignIn, s.form(s.signIn))
	pages.HandleFunc("GET "+pathSignUp, s.signUpPage)
	pages.HandleFunc("POST "+pathSignUp, s.form(s.signUp))
	pages.HandleFunc("GET "+pathSignUpCode, s.signUpCodePage)
	pages.HandleFunc("POST "+pathSignUpCode, s.form(s.signUpCode))
	pages.HandleFunc("POST "+pathSignUpResend, s.form(s.resendSignUpCode))
	pages.HandleFunc("GET "+pathForgot, s.forgotPage)
	pages.HandleFunc("POST "+pathForgot, s.form(s.forgot))
	pages.HandleFunc("GET "+pathSent, s.forgotSent)
	pages.HandleFunc("GET "+pathReset, s.resetPage)
	pages.HandleFunc("POST "+pathReset, s.form(s.reset))
	pages.HandleFunc("GET "+pathVerify, s.verifyPage)
	pages.HandleFunc("POST "+pathVerify, s.form(s.verify))
	pages.HandleFunc("GET "+pathVerified, s.verified)
	pages.HandleFunc("POST "+pathResend, s.form(s.resend))
	pages.HandleFunc("GET "+pathAccount, s.accountPage)
	pages.HandleFunc("GET "+pathPassword, s.passwordPage)
	pages.HandleFunc("POST "+pathPassword, s.form(s.changePassword))
	pages.HandleFunc("GET "+pathSignOut, s.signOutPage)
	pages.HandleFunc("POST "+pathSignOut, s.form(s.signOut))
	pages.HandleFunc("GET "+pathSignedOut, s.signedOut)
	return pages
}

// form guards every POST of a page: it comes from this origin, fits in memory, and contains
// this browser's token.
func (s *Server) form(next http.HandlerFunc) http.HandlerFunc {
	origin := http.NewCrossOriginProtection()
	return func(w http.ResponseWriter, r *http.Request) {
		if err := origin.Check(r); err != nil {
			s.views.fail(w, r, http.StatusForbidden, textsOf(r.Context()).OriginTitle, textsOf(r.Context()).OriginLead)
			return
		}
		if err := r.ParseForm(); err != nil {
			var large *http.MaxBytesError
			if errors.As(err, &large) {
				s.views.fail(w, r, http.StatusRequestEntityTooLarge, textsOf(r.Context()).TooLargeTitle, textsOf(r.Context()).TooLargeLead)
				return
			}
			s.views.fail(w, r, http.StatusBadRequest, textsOf(r.Context()).StaleTitle, textsOf(r.Context()).StaleLead, s.views.startLink(r))
			return
		}
		if visitOf(r.Context()).browser == "" {
			s.views.fail(w, r, http.StatusForbidden, textsOf(r.Context()).CookieTitle, textsOf(r.Context()).CookieLead, s.views.startLink(r))
			return
		}
		if !s.guard.validForm(r) && r.PostFormValue("request") != "" {
			// A form of another tab, from before this browser signed in: the request itself says what is next.
			http.Redirect(w, r, pathContinue+"?"+url.Values{"request": {r.PostFormValue("request")}}.Encode(), http.StatusSeeOther)
			return
		}
		if !s.guard.validForm(r) {
			s.views.fail(w, r, http.StatusForbidden, textsOf(r.Context()).StaleTitle, textsOf(r.Context()).StaleLead, s.views.startLink(r))
			return
		}
		next(w, r)
	}
}

// orNotFound answers unknown paths and methods with pages of the provider.
func (s *Server) orNotFound(pages *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, pattern := pages.Handler(r); pattern != "" {
			pages.ServeHTTP(w, r)
			return
		}
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			probe := r.Clone(r.Context())
			probe.Method = method
			if _, pattern := pages.Handler(probe); pattern != "" {
				w.Header().Set("Allow", method)
				s.views.fail(w, r, http.StatusMethodNotAllowed, textsOf(r.Context()).MethodTitle, textsOf(r.Context()).MethodLead)
				return
			}
		}
		s.views.fail(w, r, http.StatusNotFound, textsOf(r.Context()).NotFoundTitle, textsOf(r.Context()).NotFoundLead)
	})
}

// broken answers an internal error: the cause is logged, and the person sees a general
// message.
func (s *Server) broken(w http.ResponseWriter, r *http.Request, err error) {
	var limited *limitedError
	switch {
	case errors.As(err, &limited):
		s.views.limited(w, r, limited.seconds())
	case errors.Is(err, errBusy):
		w.Header().Set("Retry-After", "5")
		s.views.fail(w, r, http.StatusServiceUnavailable, textsOf(r.Context()).BusyTitle, textsOf(r.Context()).BusyLead)
	default:
		s.log.ErrorContext(r.Context(), "request failed", "path", r.URL.Path, "error", err)
		s.views.fail(w, r, http.StatusInternalServerError, textsOf(r.Context()).BrokenTitle, textsOf(r.Context()).BrokenLead)
	}
}

func (s *Server) recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if fault := recover(); fault != nil {
				s.log.ErrorContext(r.Context(), "request panicked", "path", r.URL.Path, "fault", fault)
				http.Error(w, textsOf(r.Context()).BrokenTitle, http.StatusInternalServerError)
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// observed counts a request by its route, has a span of it, and writes one line: never a query, a body or a cookie.
func (s *Server) observed(route func(*http.Request) string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began, id, path := time.Now(), rand.Text(), route(r)
		level, ended := slog.LevelDebug, func(int) {}
		if path != "/healthz" && path != "/readyz" {
			var ctx context.Context
			ctx, ended = telemetry.RequestSpan(r, path, id)
			level, r = slog.LevelInfo, r.WithContext(ctx)
		}
		recorder := &statusRecorder{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(recorder, r)
		ended(recorder.status)
		if s.Metrics != nil {
			s.Metrics.Request(r.Method, path, recorder.status, time.Since(began))
		}
		s.log.Log(r.Context(), level, "request", "method", r.Method, "path", r.URL.Path,
			"status", recorder.status, "ms", time.Since(began).Milliseconds(), "request_id", id)
	})
}

type statusRecorder struct {
	http.ResponseWriter
	status int
}

// WriteHeader records the status.
func (s *statusRecorder) WriteHeader(status int) {
	s.status = status
	s.ResponseWriter.WriteHeader(status)
}

func (s *Server) asset(w http.ResponseWriter, r *http.Request) {
	if !s.views.serveAsset(w, r) {
		http.NotFound(w, r)
	}
}

func (s *Server) favicon(w http.ResponseWriter, r *http.Request) {
	http.Redirect(w, r, s.views.names["mark"], http.StatusFound)
}

func (s *Server) healthy(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
}

// readyTimeout is how long the database has to answer.
const readyTimeout = 2 * time.Second

func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	// Anybody may ask as often as they like.
	err := s.readiness.Of(r.Context(), func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, readyTimeout)
		defer cancel()
		return s.db.Ping(ctx)
	})
	if err != nil {
		writeJSON(w, http.StatusServiceUnavailable, map[string]string{"status": "database does not answer"})
		return
	}
	writeJSON(w, http.StatusOK, map[string]string{"status": "ready"})
}
