package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/dynamicconfig"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/membership/static"
	"go.temporal.io/server/common/metrics"
	"go.temporal.io/server/common/primitives"
	"go.temporal.io/server/temporal"
)

const (
	loopback = "127.0.0.1"
	// gossip is how far below its gRPC port a service's port of the membership lies.
	gossip = 300
)

// server is the running Temporal server.
type server struct {
	inner   temporal.Server
	address string
}

func (s *server) stop() { _ = s.inner.Stop() } // always nil in this release

// startServer returns when the server answers.
func startServer(ctx context.Context, o options) (*server, error) {
	address := net.JoinHostPort(o.address, strconv.Itoa(o.port))
	for _, port := range append([]int{o.port, o.uiPort, o.metrics}, o.services[:]...) {
		if err := free(ctx, o.address, port); err != nil {
			return nil, err
		}
	}
	store, err := prepareStore(o)
	if err != nil {
		return nil, err
	}
	cfg, hosts := configuration(o, store)
	if o.metrics != 0 { // as PROMETHEUS_ENDPOINT configures Temporal's image
		cfg.Global.Metrics = &metrics.Config{Prometheus: &metrics.PrometheusConfig{
			ListenAddress: net.JoinHostPort(o.address, strconv.Itoa(o.metrics)), TimerType: "histogram"}}
	}
	settled := []temporal.ServerOption{
		temporal.WithConfig(cfg),
		temporal.ForServices(temporal.DefaultServices),
		temporal.WithLogger(log.NewZapLogger(log.BuildZapLogger(log.Config{Stdout: true, Level: o.logLevel, Format: "console"}))),
		temporal.WithAuthorizer(authorization.NewNoopAuthorizer()),
		temporal.WithClaimMapper(func(*config.Config) authorization.ClaimMapper { return authorization.NewNoopClaimMapper() }),
		temporal.WithDynamicConfigClient(settings()),
	}
	if o.address == loopback {
		settled = append(settled, temporal.WithStaticHosts(hosts))
	}
	inner, err := temporal.NewServer(settled...)
	if err != nil {
		return nil, err
	}
	if err := inner.Start(); err != nil {
		return nil, err
	}
	return &server{inner: inner, address: address}, nil
}

// free returns an error that names a port in use. Port 0 is none.
func free(ctx context.Context, address string, port int) error {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", net.JoinHostPort(address, strconv.Itoa(port)))
	if err != nil {
		return err
	}
	return l.Close()
}

// configuration is that of a host with all services: the cluster's only one on loopback, where hosts says so, else a
// member.
func configuration(o options, s store) (*config.Config, map[primitives.ServiceName]static.Hosts) {
	address := net.JoinHostPort(o.address, strconv.Itoa(o.port))
	services := map[string]config.Service{}
	hosts := map[primitives.ServiceName]static.Hosts{}
	for name, port := range map[primitives.ServiceName]int{
		primitives.FrontendService: o.port, primitives.HistoryService: o.services[0],
		primitives.MatchingService: o.services[1], primitives.WorkerService: o.services[2],
	} {
		rpc := config.RPC{GRPCPort: port, MembershipPort: port - gossip, BindOnIP: o.address}
		if o.address != loopback {
			watch(&rpc)
		}
		services[string(name)] = config.Service{RPC: rpc}
		hosts[name] = static.SingleLocalHost(net.JoinHostPort(o.address, strconv.Itoa(port)))
	}
	cfg := &config.Config{
		Global:      config.Global{Membership: config.Membership{BroadcastAddress: o.address}},
		Persistence: s.persistence,
		Services:    services,
		ClusterMetadata: &cluster.Config{
			FailoverVersionIncrement: 10,
			MasterClusterName:        clusterName,
			CurrentClusterName:       clusterName,
			ClusterInformation: map[string]cluster.ClusterInformation{
				clusterName: {Enabled: true, InitialFailoverVersion: 1, RPCAddress: address},
			},
		},
		DCRedirectionPolicy: config.DCRedirectionPolicy{Policy: "noop"},
		PublicClient:        config.PublicClient{HostPort: address},
		Archival: config.Archival{
			History:    config.HistoryArchival{State: config.ArchivalDisabled},
			Visibility: config.VisibilityArchival{State: config.ArchivalDisabled},
		},
		NamespaceDefaults: config.NamespaceDefaults{Archival: config.ArchivalNamespaceDefaults{
			History:    config.HistoryArchivalNamespaceDefaults{State: config.ArchivalDisabled},
			Visibility: config.VisibilityArchivalNamespaceDefaults{State: config.ArchivalDisabled},
		}},
	}
	return cfg, hosts
}

// watch has connections between members fail soon when one's machine is gone, which TCP alone finds after minutes:
// until then tasks are handed to workers that only the gone member reached.
func watch(r *config.RPC) {
	every, limit, least, idle := 10*time.Second, 3*time.Second, time.Second, true
	r.KeepAliveServerConfig = config.KeepAliveServerConfig{
		KeepAliveServerParameters:  &config.KeepAliveServerParameters{Time: &limit, Timeout: &limit},
		KeepAliveEnforcementPolicy: &config.KeepAliveServerEnforcementPolicy{MinTime: &least, PermitWithoutStream: &idle},
	}
	r.ClientConnectionConfig.KeepAliveClientConfig = &config.KeepAliveClientParameters{Time: &every, Timeout: &limit, PermitWithoutStream: &idle}
}

// servicePorts are those of the history, matching and worker services: a flag.
type servicePorts [3]int

func (p *servicePorts) String() string { return fmt.Sprintf("%d,%d,%d", p[0], p[1], p[2]) }

// Set reads three ports, separated by commas.
func (p *servicePorts) Set(text string) error {
	_, err := fmt.Sscanf(text, "%d,%d,%d", &p[0], &p[1], &p[2])
	return err
}

// settings make one small host quick and keep it small. The queue processors'
// default poll rate lets every task wait 50 ms; the caches' default sizes are
// for a machine of its own. Whether a version of workers is drained is known in seconds,
// not minutes.
func settings() dynamicconfig.Client {
	const pollsPerSecond, drainage = 2000, 5 * time.Second
	return dynamicconfig.StaticClient{
		dynamicconfig.TransferProcessorMaxPollRPS.Key():         pollsPerSecond,
		dynamicconfig.TimerProcessorMaxPollRPS.Key():            pollsPerSecond,
		dynamicconfig.VisibilityProcessorMaxPollRPS.Key():       pollsPerSecond,
		dynamicconfig.OutboundProcessorMaxPollRPS.Key():         pollsPerSecond,
		dynamicconfig.HistoryCacheHostLevelMaxSize.Key():        2000,
		dynamicconfig.EventsHostLevelCacheMaxSizeBytes.Key():    32 << 20,
		dynamicconfig.EnableActivityEagerExecution.Key():        true,
		dynamicconfig.EnableEagerWorkflowStart.Key():            true,
		dynamicconfig.EnableInternodeServerKeepAlive.Key():      true,
		dynamicconfig.EnableInternodeClientKeepAlive.Key():      true,
		dynamicconfig.MatchingNumTaskqueueReadPartitions.Key():  1,
		dynamicconfig.MatchingNumTaskqueueWritePartitions.Key(): 1,

		dynamicconfig.VersionDrainageStatusVisibilityGracePeriod.Key(): drainage,
		dynamicconfig.VersionDrainageStatusRefreshInterval.Key():       drainage,
	}
}

// completeAttributes registers the search attributes that the namespace lacks: all exist
// after its creation, but a later release may need more.
func (s *server) completeAttributes(ctx context.Context, o options) error {
	c, err := client.DialContext(ctx, client.Options{HostPort: s.address, Namespace: o.namespace, Logger: silent{}})
	if err != nil {
		return err
	}
	defer c.Close()
	operator := c.OperatorService()
	have, err := operator.ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: o.namespace})
	if err != nil {
		return fmt.Errorf("reading the search attributes: %w", err)
	}
	missing := map[string]enumspb.IndexedValueType{}
	for _, name := range o.attributeNames() {
		kind, ok := have.GetCustomAttributes()[name]
		if !ok {
			missing[name] = enumspb.INDEXED_VALUE_TYPE_KEYWORD
		} else if kind != enumspb.INDEXED_VALUE_TYPE_KEYWORD {
			return errors.New("search attribute " + name + " exists with another type")
		}
	}
	if len(missing) == 0 {
		return nil
	}
	_, err = operator.AddSearchAttributes(ctx, &operatorservice.AddSearchAttributesRequest{
		Namespace: o.namespace, SearchAttributes: missing,
	})
	return err
}

// silent is the SDK client's logger here: the server logs enough.
type silent struct{}

func (silent) Debug(string, ...any) {}
func (silent) Info(string, ...any)  {}
func (silent) Warn(string, ...any)  {}
func (silent) Error(string, ...any) {}
