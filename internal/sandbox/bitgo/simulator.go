package bitgo

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/internal/sandbox"
)

// The documents of the store, by bucket.
const (
	bucketSettings = "bitgo.settings" // "all" → settings
	bucketFunds    = "bitgo.funds"    // coin/wallet → funds
	bucketTransfer = "bitgo.transfer" // transfer id → transfer
	bucketListed   = "bitgo.listed"   // coin/wallet/time, newest first/id → id
	bucketSequence = "bitgo.sequence" // coin/wallet/sequenceId → transfer id
	bucketTx       = "bitgo.tx"       // transaction id → transfer id
	bucketMoving   = "bitgo.moving"   // transfer id, of those not final
	bucketApproval = "bitgo.approval" // approval id → approval
	bucketWebhook  = "bitgo.webhook"  // coin/wallet/id → webhook
)

// settings are what the control page changes.
type settings struct {
	Pace     transitions
	Limit    map[string]decimal.Decimal // per coin: a larger send needs an approval
	Requests int                        // a user may make, a minute
	Scope    []string                   // of the tokens; none: all that the product needs
}

// transitions is how long after its signature a send reaches a state, and the interval between
// blocks.
type transitions struct {
	Unconfirmed, Confirmed, Block time.Duration
}

var firstSettings = settings{Pace: transitions{Unconfirmed: 250 * time.Millisecond, Confirmed: 3 * time.Second, Block: 2 * time.Second}, Requests: 360}

// Simulator is BitGo with the configured wallets and one or two users.
type Simulator struct {
	world   *sandbox.World
	wallets map[string]wallet // by coin
	test    bool              // it is app.bitgo-test.com, as its wallets say
	users   []user

	mu    sync.Mutex
	spent map[string]minute // by user id; guarded by mu
}

// minute counts a user's requests.
type minute struct {
	began time.Time
	count int
}

// New opens the wallets of BITGO_WALLETS with their opening balances.
func New(w *sandbox.World) (*Simulator, error) {
	wallets, err := parseWallets(w.Config.BitGoWallets)
	if err != nil {
		return nil, err
	}
	s := &Simulator{world: w, wallets: wallets, spent: map[string]minute{}}
	for _, own := range wallets {
		s.test = own.Coin.Chain.Test
	}
	s.users = []user{{ID: newID("user main"), Token: w.Config.BitGoToken}}
	if token := w.Config.BitGoTokenUnlimited; token != "" {
		if token == w.Config.BitGoToken {
			return nil, fmt.Errorf("BITGO_TOKEN_UNLIMITED is the same as BITGO_TOKEN")
		}
		s.users = append(s.users, user{ID: newID("user unlimited"), Token: token, Unlimited: true})
	}
	w.Chain.OnDelivery(s.receive)
	return s, w.Store.Update(s.open)
}

func (s *Simulator) open(tx *sandbox.Tx) error {
	for _, w := range s.wallets {
		var f funds
		found, err := tx.Get(bucketFunds, w.key(), &f)
		if err != nil {
			return err
		}
		if found {
			continue
		}
		if err := tx.Put(bucketFunds, w.key(), funds{Confirmed: decimal.RequireFromString(w.Coin.Opening)}); err != nil {
			return err
		}
	}
	return s.register(tx)
}

func (s *Simulator) settings(tx *sandbox.Tx) (settings, error) {
	now := firstSettings
	_, err := tx.Get(bucketSettings, "all", &now)
	return now, err
}

// Name is "bitgo".
func (s *Simulator) Name() string { return "bitgo" }

// Routes registers /api/v1/…, /api/v2/…, /express/… and /control/bitgo/….
func (s *Simulator) Routes(mux *http.ServeMux, w *sandbox.World) {
	w.Hooks.SignWith("bitgo", func(body []byte, _ time.Time) http.Header {
		return http.Header{"X-Signature-Sha256": {WebhookSignature(w.Config.BitGoWebhookSecret, body)}}
	})
	for pattern, e := range s.endpoints() {
		mux.HandleFunc(pattern, s.serve(e))
	}
	s.openRoutes(mux)
	s.controlRoutes(mux)
}

// endpoints is the table of the calls that need a token.
func (s *Simulator) endpoints() map[string]endpoint {
	return map[string]endpoint{
		"POST /api/v2/{coin}/wallet/{wallet}/sendcoins":                  {"sendcoins", s.sendCoins},
		"POST /api/v2/{coin}/wallet/{wallet}/sendmany":                   {"sendmany", s.sendMany},
		"GET /api/v2/{coin}/wallet/{wallet}":                             {"wallet", s.getWallet},
		"GET /api/v2/{coin}/wallet":                                      {"wallets", s.listWallets},
		"GET /api/v2/{coin}/wallet/{wallet}/maximumSpendable":            {"maximumSpendable", s.maximumSpendable},
		"GET /api/v2/{coin}/wallet/{wallet}/transfer":                    {"transfers", s.listTransfers},
		"GET /api/v2/{coin}/wallet/{wallet}/transfer/{id}":               {"transfer", s.getTransfer},
		"GET /api/v2/{coin}/wallet/{wallet}/transfer/sequenceId/{seqid}": {"transfer", s.getBySequence},
		"POST /api/v2/{coin}/wallet/{wallet}/transfer/{id}/comment":      {"transfer", s.commentTransfer},
		"GET /api/v2/{coin}/wallet/{wallet}/addresses":                   {"addresses", s.listAddresses},
		"GET /api/v2/{coin}/wallet/{wallet}/address/{id}":                {"addresses", s.getAddress},
		"GET /api/v2/{coin}/tx/fee":                                      {"fee", s.estimateFee},
		"POST /api/v2/{coin}/verifyaddress":                              {"verifyaddress", s.verifyAddress},
		"GET /api/v2/{coin}/pendingapprovals":                            {"pendingapprovals", s.listApprovals},
		"GET /api/v2/{coin}/pendingapprovals/{id}":                       {"pendingapprovals", s.getApproval},
		"PUT /api/v2/{coin}/pendingapprovals/{id}":                       {"pendingapprovals", s.putApproval},
		"POST /api/v2/{coin}/wallet/{wallet}/webhooks":                   {"webhooks", s.addWebhook},
		"GET /api/v2/{coin}/wallet/{wallet}/webhooks":                    {"webhooks", s.listWebhooks},
		"DELETE /api/v2/{coin}/wallet/{wallet}/webhooks":                 {"webhooks", s.removeWebhook},
		"POST /api/v2/{coin}/wallet/{wallet}/webhooks/{id}/simulate":     {"webhooks", s.simulateWebhook},
		"POST /api/v2/webhook/{id}/verify":                               {"webhooks", s.verifyNotification},
		"GET /api/v2/user/session":                                       {"session", s.session},
		"GET /api/v1/user/session":                                       {"session", s.session},
		"GET /api/v2/user/me":                                            {"user", s.me},
		"GET /api/v1/user/me":                                            {"user", s.me},
	}
}

// Operations are the calls, and ping for those without a token.
func (s *Simulator) Operations() []sandbox.Operation {
	list := []sandbox.Operation{{Name: "ping"}}
	for pattern, e := range s.endpoints() {
		o := sandbox.Operation{Name: e.operation, Changes: !strings.HasPrefix(pattern, "GET ") && e.operation != "verifyaddress", Codes: []string{"decline:400:InvalidAddress"}}
		if sends(e.operation) {
			o.Codes = append(o.Codes, "insufficient", "approval", "failed", "replaced", "removed", "removed:failed", "removed:final", "unmined:60", "lag:5")
		}
		list = append(list, o)
	}
	return list
}

// openRoutes are the calls without a token.
func (s *Simulator) openRoutes(mux *http.ServeMux) {
	for path, body := range map[string]any{
		"GET /api/v1/client/constants": map[string]any{"constants": map[string]any{}, "ttl": 3600},
		"GET /api/v2/pingexpress":      map[string]string{"status": "express server is ok!"},
		"GET /express/api/v2/ping":     map[string]string{"status": "service is ok!", "environment": "sandbox"},
		"GET /api/v1/ping":             map[string]string{"status": "service is ok!", "environment": "sandbox"},
		"GET /api/v2/ping":             map[string]string{"status": "service is ok!", "environment": "sandbox"},
	} {
		mux.HandleFunc(path, func(rw http.ResponseWriter, r *http.Request) {
			// BitGo's client signs these as well once it has a token, and then expects the
			// answer signed.
			who, _ := s.authenticate(r, nil)
			write := func(status int, body any, injected string) { s.write(rw, r, who, status, body, injected) }
			s.world.Guard(rw, r, "bitgo", "ping", nil, write, func() (int, any) { return http.StatusOK, body })
		})
	}
	notThere := func(rw http.ResponseWriter, r *http.Request) {
		s.write(rw, r, user{}, http.StatusNotFound, errNoRoute.body(requestID()), "")
	}
	mux.HandleFunc("/api/", notThere)
	mux.HandleFunc("/express/", notThere)
}

// Tick walks transfers on to the state their age gives them.
func (s *Simulator) Tick(now time.Time) {
	if !s.anythingMoving() {
		return
	}
	err := s.world.Store.Update(func(tx *sandbox.Tx) error { return s.walkAll(tx, now) })
	if err != nil {
		s.world.Log.Error("bitgo tick", "error", err)
	}
}

func (s *Simulator) anythingMoving() (moving bool) {
	_ = s.world.Store.View(func(tx *sandbox.Tx) error {
		return tx.Each(bucketMoving, "", func(string, []byte) error { moving = true; return nil })
	})
	return moving
}

// each decodes the documents under a prefix.
func each[T any](tx *sandbox.Tx, bucket, prefix string, fn func(key string, v T) error) error {
	return tx.Each(bucket, prefix, func(key string, raw []byte) error {
		var v T
		if err := json.Unmarshal(raw, &v); err != nil {
			return err
		}
		return fn(key, v)
	})
}
