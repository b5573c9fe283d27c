package main

import (
	"net"
	"strconv"

	ui "github.com/temporalio/ui-server/v2/server"
	uiconfig "github.com/temporalio/ui-server/v2/server/config"
	uioptions "github.com/temporalio/ui-server/v2/server/server_options"
)

// uiSettings is the web UI's configuration; it never changes while it runs.
type uiSettings struct{ config uiconfig.Config }

// GetConfig implements the web UI's ConfigProvider.
func (s uiSettings) GetConfig() (*uiconfig.Config, error) { return &s.config, nil }

// startUI serves the web UI. A port that is taken ends the process, as the web
// UI's own server does.
func startUI(o options) *ui.Server {
	server := ui.NewServer(uioptions.WithConfigProvider(uiSettings{uiconfig.Config{
		Host:                loopback,
		Port:                o.uiPort,
		TemporalGRPCAddress: net.JoinHostPort(loopback, strconv.Itoa(o.port)),
		EnableUI:            true,
		DefaultNamespace:    o.namespace,
		DisableNewsFetch:    true,
		DisableWriteActions: true, // it has no sign-in: any page of this browser could reach it
		HideLogs:            true,
		CORS:                uiconfig.CORS{CookieInsecure: true}, // plain http on loopback
	}}))
	go func() { _ = server.Start() }() // returns nil, or ends the process
	return server
}
