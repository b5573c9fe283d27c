package main

import (
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
	uiconfig "github.com/temporalio/ui-server/v2/server/config"
	"github.com/temporalio/ui-server/v2/server/route"
	"github.com/temporalio/ui-server/v2/ui"
)

// uiSettings is the web UI's configuration; it never changes while it runs.
type uiSettings struct{ config uiconfig.Config }

// GetConfig implements the web UI's ConfigProvider.
func (s uiSettings) GetConfig() (*uiconfig.Config, error) { return &s.config, nil }

// startUI serves the web UI on the loopback address. It is put together from the web UI's own
// routes, because its server answers any Host: a page of another site that rebinds its name to
// this address could read workflows.
func startUI(o options) (*http.Server, error) {
	handler, err := uiHandler(o)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(loopback, strconv.Itoa(o.uiPort)))
	if err != nil {
		return nil, err
	}
	server := &http.Server{Handler: forThisMachine(handler), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }() // ends when it is closed
	return server, nil
}

func uiHandler(o options) (http.Handler, error) {
	settings, err := uiconfig.NewConfigProviderWithRefresh(uiSettings{uiconfig.Config{
		TemporalGRPCAddress: net.JoinHostPort(o.address, strconv.Itoa(o.port)),
		EnableUI:            true,
		DefaultNamespace:    o.namespace,
		DisableNewsFetch:    true,
		DisableWriteActions: true, // it has no sign-in
	}})
	if err != nil {
		return nil, err
	}
	assets, err := ui.Assets()
	if err != nil {
		return nil, err
	}
	pages, err := fs.Sub(assets, "local")
	if err != nil {
		return nil, err
	}
	e := echo.New()
	e.Use(middleware.Recover(), middleware.Gzip(), middleware.Secure())
	route.SetHealthRoute(e)
	if err := route.SetAPIRoutes(e, settings, nil); err != nil {
		return nil, err
	}
	route.SetRenderRoute(e, "/")
	return e, route.SetUIRoutes(e, "", pages, settings)
}

// forThisMachine refuses requests to another host name than this machine's.
func forThisMachine(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		if address, err := netip.ParseAddr(host); host != "localhost" && (err != nil || !address.IsLoopback()) {
			http.Error(w, "Ask for localhost.", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}
