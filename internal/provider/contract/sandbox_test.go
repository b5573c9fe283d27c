package contract

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tradepost/tradepost/internal/local/ports"
	"github.com/tradepost/tradepost/internal/provider"
)

// Keys both ends are given.
const (
	stripeKey, stripeHook     = "sk_test_contract0123456789", "whsec_contract"
	krakenKey                 = "contract"
	bitgoToken, bitgoHook     = "v2xcontract", "bitgo-contract"
	bitgoPassphrase           = "contract passphrase"
	sumsubToken, sumsubSecret = "sbx:contract", "sumsub-contract"
	sumsubHook, sumsubLevel   = "sumsub-hook-contract", "basic-kyc-level"
	bitgoWallets              = "btc=b7c0000000000000000000000000000a,eth=b7c0000000000000000000000000000b,usdt=b7c0000000000000000000000000000c,usdc=b7c0000000000000000000000000000d,trx:usdt=b7c0000000000000000000000000000e,trx:usdc=b7c0000000000000000000000000000f"
	longEnough                = time.Minute // for anything that is waited for
)

var krakenSecret = base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", 64)))

// binary is the sandbox as it is shipped, built once.
var binary string

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "contract")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(folder, "sandbox")
	if out, err := exec.Command("go", "build", "-o", binary, "../../sandbox/server").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "the sandbox does not build: %v\n%s", err, out)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(folder)
	os.Exit(code)
}

// box is a sandbox process of one test, and what its webhooks brought.
type box struct {
	t   *testing.T
	url string

	mu      sync.Mutex
	notices []notice
}

type notice struct {
	provider string
	header   http.Header
	body     []byte
}

func start(t *testing.T) *box {
	t.Helper()
	b := &box{t: t}
	receiver := httptest.NewServer(http.HandlerFunc(b.receive))
	t.Cleanup(receiver.Close)
	address := freeAddress(t)
	b.url = "http://" + address
	var log bytes.Buffer
	process := exec.Command(binary)
	process.Stderr = &log
	process.Env = append(os.Environ(), "MODE=local", "SANDBOX_LISTEN="+address, "SANDBOX_URL="+b.url,
		"SANDBOX_SMTP_LISTEN="+freeAddress(t), "SANDBOX_DATA="+t.TempDir(), "HOOK_URL="+receiver.URL,
		"STRIPE_KEY="+stripeKey, "STRIPE_WEBHOOK_SECRET="+stripeHook, "KRAKEN_KEY="+krakenKey, "KRAKEN_SECRET="+krakenSecret,
		"BITGO_TOKEN="+bitgoToken, "BITGO_PASSPHRASE="+bitgoPassphrase, "BITGO_WALLETS="+bitgoWallets, "BITGO_WEBHOOK_SECRET="+bitgoHook,
		"SUMSUB_APP_TOKEN="+sumsubToken, "SUMSUB_SECRET="+sumsubSecret, "SUMSUB_WEBHOOK_SECRET="+sumsubHook, "SUMSUB_LEVEL="+sumsubLevel)
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = process.Process.Kill(); _ = process.Wait() })
	b.until("the sandbox to answer", func() bool {
		answer, err := http.Get(b.url + "/healthz")
		if err != nil {
			return false
		}
		_ = answer.Body.Close()
		return answer.StatusCode == http.StatusOK
	})
	return b
}

func freeAddress(t *testing.T) string {
	t.Helper()
	port, err := ports.One()
	if err != nil {
		t.Fatal(err)
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
}

// until waits for a condition, asking again every few milliseconds.
func (b *box) until(what string, holds func() bool) {
	b.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(longEnough); !holds(); <-tick.C {
		if time.Now().After(deadline) {
			b.t.Fatalf("waited too long for %s", what)
		}
	}
}

// control posts an action of the control API.
func (b *box) control(path string, fields map[string]any) {
	b.t.Helper()
	body, err := json.Marshal(fields)
	if err != nil {
		b.t.Fatal(err)
	}
	answer, err := http.Post(b.url+"/control/"+path, "application/json", bytes.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	if text, _ := io.ReadAll(answer.Body); answer.StatusCode >= 300 {
		b.t.Fatalf("%s: %d %s", path, answer.StatusCode, text)
	}
}

// fault arms one fault for one use.
func (b *box) fault(name, operation, code string) {
	b.t.Helper()
	b.control("faults", map[string]any{"provider": name, "operation": operation, "code": code})
}

// effects counts what really happened for a subject.
func (b *box) effects(name, operation, subject string) int {
	b.t.Helper()
	answer, err := http.Get(b.url + "/control/effects?subject=" + subject)
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	var list []struct {
		Provider, Operation string
		Count               int
	}
	if err := json.NewDecoder(answer.Body).Decode(&list); err != nil {
		b.t.Fatal(err)
	}
	total := 0
	for _, e := range list {
		if e.Provider == name && e.Operation == operation {
			total += e.Count
		}
	}
	return total
}

// now is the sandbox's clock.
func (b *box) now() time.Time {
	b.t.Helper()
	answer, err := http.Get(b.url + "/control/clock")
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	var clock struct{ Now time.Time }
	if err := json.NewDecoder(answer.Body).Decode(&clock); err != nil {
		b.t.Fatal(err)
	}
	return clock.Now
}

func (b *box) receive(_ http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		b.t.Error(err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.notices = append(b.notices, notice{strings.TrimPrefix(r.URL.Path, "/"), r.Header, body})
}

// awaitWebhook waits for a verified webhook about a subject; every webhook of the provider must
// verify, and none once it is altered.
func (b *box) awaitWebhook(name string, verifier provider.WebhookVerifier, subject string) provider.WebhookEvent {
	b.t.Helper()
	var found provider.WebhookEvent
	b.until("a notice about "+subject, func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, n := range b.notices {
			if n.provider != name {
				continue
			}
			event, err := verifier.Verify(n.header, n.body, b.now())
			if err != nil {
				b.t.Fatalf("%s %v: %v", n.body, n.header, err)
			}
			if _, err := verifier.Verify(n.header, append(n.body, ' '), b.now()); err == nil {
				b.t.Fatalf("an altered notice is accepted: %s", n.body)
			}
			if event.Subject == subject {
				found = event
			}
		}
		return found.ID != ""
	})
	return found
}
