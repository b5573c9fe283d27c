package temporalx

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"

	"github.com/tradepost/tradepost/internal/config"
)

// asked is what the server learned of who asked it.
type asked struct {
	key         []string
	certificate bool
}

// frontend says which server it is, as a client asks first.
type frontend struct {
	workflowservice.UnimplementedWorkflowServiceServer
}

func (frontend) GetSystemInfo(context.Context, *workflowservice.GetSystemInfoRequest) (*workflowservice.GetSystemInfoResponse, error) {
	return &workflowservice.GetSystemInfoResponse{}, nil
}

// secured is a server that answers TLS alone, its address, and the file of its certificate
// (which is its own authority, and good for 127.0.0.1 and example.com) with that of the key.
func secured(t *testing.T, demand tls.ClientAuthType) (address, certificate, key string, who *asked) {
	t.Helper()
	web := httptest.NewTLSServer(nil)
	pair := web.TLS.Certificates[0]
	web.Close()
	private, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	require.NoError(t, err)
	write := func(name, kind string, der []byte) string {
		file := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
		return file
	}
	who = &asked{}
	server := grpc.NewServer(grpc.Creds(credentials.NewTLS(&tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: demand, MinVersion: tls.VersionTLS12})),
		grpc.UnaryInterceptor(func(ctx context.Context, request any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
			sent, _ := metadata.FromIncomingContext(ctx)
			from, _ := peer.FromContext(ctx)
			info, _ := from.AuthInfo.(credentials.TLSInfo)
			*who = asked{sent.Get("authorization"), len(info.State.PeerCertificates) > 0}
			return handle(ctx, request)
		}))
	well := health.NewServer()
	well.SetServingStatus("temporal.api.workflowservice.v1.WorkflowService", grpc_health_v1.HealthCheckResponse_SERVING)
	grpc_health_v1.RegisterHealthServer(server, well)
	workflowservice.RegisterWorkflowServiceServer(server, frontend{})
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return listener.Addr().String(), write("tls.crt", "CERTIFICATE", pair.Certificate[0]), write("tls.key", "PRIVATE KEY", private), who
}

func healthy(t *testing.T, c *config.Temporal) error {
	t.Helper()
	client, err := Lazy(c, slog.New(slog.DiscardHandler), nil)
	require.NoError(t, err)
	defer client.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	return client.Healthy(ctx)
}

func TestTemporalIsReachedByTLS(t *testing.T) {
	address, ca, _, _ := secured(t, tls.NoClientCert)
	require.NoError(t, healthy(t, &config.Temporal{Address: address, Namespace: "n", TLS: true, TLSCA: ca}))
	require.NoError(t, healthy(t, &config.Temporal{Address: address, Namespace: "n", TLS: true, TLSCA: ca, ServerName: "example.com"}))
	require.Error(t, healthy(t, &config.Temporal{Address: address, Namespace: "n"}), "in the clear")
	require.Error(t, healthy(t, &config.Temporal{Address: address, Namespace: "n", TLS: true}), "an authority that we do not know")
	require.Error(t, healthy(t, &config.Temporal{Address: address, Namespace: "n", TLS: true, TLSCA: ca, ServerName: "temporal.test"}), "another's certificate")
}

func TestTemporalCloudIsShownACertificateOrAKey(t *testing.T) {
	address, certificate, key, who := secured(t, tls.RequireAnyClientCert)
	require.Error(t, healthy(t, &config.Temporal{Address: address, Namespace: "n", TLS: true, TLSCA: certificate}), "without one")
	require.NoError(t, healthy(t, &config.Temporal{Address: address, Namespace: "n", TLSCA: certificate, TLSCert: certificate, TLSKey: key}))
	require.True(t, who.certificate)

	address, certificate, _, who = secured(t, tls.NoClientCert)
	require.NoError(t, healthy(t, &config.Temporal{Address: address, Namespace: "n", TLSCA: certificate, APIKey: "the-key"}))
	require.Equal(t, []string{"Bearer the-key"}, who.key)
}
