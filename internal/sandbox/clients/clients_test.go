package clients

import (
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local/ports"
)

// wallets are the BitGo wallets of the tests, and testWallets those in its test environment.
const wallets = "btc=b7c0000000000000000000000000000a,eth=b7c0000000000000000000000000000b," +
	"usdt=b7c0000000000000000000000000000c,usdc=b7c0000000000000000000000000000d," +
	"trx:usdt=b7c0000000000000000000000000000e,trx:usdc=b7c0000000000000000000000000000f"

const testWallets = "tbtc4=b7c0000000000000000000000000000a,hteth=b7c0000000000000000000000000000b," +
	"hteth:tusdt=b7c0000000000000000000000000000b,hteth:tusdc=b7c0000000000000000000000000000b," +
	"ttrx:usdt=b7c0000000000000000000000000000e,ttrx:usdc=b7c0000000000000000000000000000e"

// TestPublicClients runs every *.test.mjs of the folder, each against a sandbox
// server of its own on free ports.
func TestPublicClients(t *testing.T) {
	install(t)
	server := build(t)
	files, err := filepath.Glob("*.test.mjs")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(file, ".test.mjs"), func(t *testing.T) {
			run := exec.Command("node", "--test", "--test-reporter=spec", file)
			own := wallets
			if strings.Contains(file, ".rehearsal.") {
				own = testWallets
			}
			run.Env = start(t, server, own)
			out, err := run.CombinedOutput()
			require.NoError(t, err, "%s", out)
		})
	}
}

// install fetches the pinned clients unless they are there.
func install(t *testing.T) {
	t.Helper()
	installed, err := os.ReadFile("node_modules/.lock")
	wanted, lockErr := os.ReadFile("package-lock.json")
	require.NoError(t, lockErr)
	if err == nil && string(installed) == string(wanted) {
		return
	}
	out, err := exec.Command("npm", "ci", "--no-progress").CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.NoError(t, os.WriteFile("node_modules/.lock", wanted, 0o600))
}

// build makes the server as it is shipped.
func build(t *testing.T) (binary string) {
	t.Helper()
	binary = filepath.Join(t.TempDir(), "sandbox")
	out, err := exec.Command("go", "build", "-o", binary, "../server").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return binary
}

// start runs the server and answers the environment the clients find it by.
func start(t *testing.T, binary, wallets string) []string {
	t.Helper()
	folder := t.TempDir()
	address := freeAddress(t)
	origin := "http://" + address
	environment := append(os.Environ(),
		"MODE=local", "SANDBOX_LISTEN="+address, "SANDBOX_URL="+origin, "SANDBOX_SMTP_LISTEN="+freeAddress(t),
		"SANDBOX_DATA="+filepath.Join(folder, "data"), "HOOK_URL=http://"+freeAddress(t)+"/hooks",
		"STRIPE_KEY=sk_test_clients", "STRIPE_WEBHOOK_SECRET=whsec_clients",
		"KRAKEN_KEY=clients", "KRAKEN_SECRET="+base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", 64))),
		"KRAKEN_KEY_UNLIMITED=clients-unlimited", "KRAKEN_SECRET_UNLIMITED="+base64.StdEncoding.EncodeToString([]byte(strings.Repeat("u", 64))),
		"BITGO_TOKEN=v2x"+strings.Repeat("c", 64), "BITGO_WALLETS="+wallets, "BITGO_PASSPHRASE=", "BITGO_WEBHOOK_SECRET=clients",
		"BITGO_TOKEN_UNLIMITED=v2x"+strings.Repeat("d", 64),
		"SUMSUB_APP_TOKEN=sbx:clients", "SUMSUB_SECRET=clients", "SUMSUB_WEBHOOK_SECRET=clients",
	)
	log, err := os.Create(filepath.Join(folder, "sandbox.log"))
	require.NoError(t, err)
	server := exec.Command(binary)
	server.Env, server.Stdout, server.Stderr = environment, log, log
	require.NoError(t, server.Start())
	t.Cleanup(func() {
		_ = server.Process.Signal(syscall.SIGTERM)
		_ = server.Wait()
		if raw, err := os.ReadFile(log.Name()); err == nil && t.Failed() {
			t.Logf("%s", raw)
		}
	})
	require.Eventually(t, func() bool { return answers(origin + "/healthz") }, time.Minute, 50*time.Millisecond)
	return environment
}

func answers(url string) bool {
	res, err := http.Get(url)
	if err != nil {
		return false
	}
	_, _ = io.Copy(io.Discard, res.Body)
	return res.Body.Close() == nil && res.StatusCode == http.StatusOK
}

// freeAddress is a loopback address on which no process listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	port, err := ports.One()
	require.NoError(t, err)
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
}
