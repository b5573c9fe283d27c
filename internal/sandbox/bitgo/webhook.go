package bitgo

import (
	"crypto/hmac"
	"encoding/json"
	"net/http"
	"time"

	"github.com/tradepost/tradepost/internal/sandbox"
)

const webhooksPerType = 10

// The states of a webhook. One whose deliveries failed is suspended, and is replaced by a
// new one.
const (
	webhookActive    = "active"
	webhookSuspended = "suspended"
)

// webhook is an address that was added over the API.
type webhook struct {
	ID               string `json:"id"`
	Label            string `json:"label"`
	Coin             string `json:"coin"`
	WalletID         string `json:"walletId"`
	Type             string `json:"type"`
	URL              string `json:"url"`
	NumConfirmations int64  `json:"numConfirmations"`
	AllToken         bool   `json:"allToken"`
	ListenToFailures bool   `json:"listenToFailureStates"`
	State            string `json:"state"`
}

var webhookTypes = map[string]bool{
	"transfer": true, "pendingapproval": true, "txRequest": true, "transaction": true, "transactionRemoved": true,
	"stuckTx": true, "lowFeeAddressBalance": true, "address_confirmation": true,
}

// notice is the body of a transfer webhook. Receivers fetch the transfer: it may have
// changed since.
type notice struct {
	Hash         string    `json:"hash"`
	Transfer     string    `json:"transfer"`
	Coin         string    `json:"coin"`
	Type         string    `json:"type"`
	State        string    `json:"state"`
	Wallet       string    `json:"wallet"`
	WalletType   string    `json:"walletType"`
	TransferType string    `json:"transferType"`
	ValueString  string    `json:"valueString"`
	UpdatedAt    time.Time `json:"updatedAt"`
}

// enqueueWebhook queues the webhooks for a transfer's new state.
func (s *Simulator) enqueueWebhook(tx *sandbox.Tx, t *transfer, at time.Time) error {
	return s.notify(tx, t, "transfer", notice{
		Hash: t.TxID, Transfer: t.ID, Coin: t.Coin, Type: "transfer", State: t.State, Wallet: t.Wallet, WalletType: "hot",
		TransferType: t.Type, ValueString: t.value().String(), UpdatedAt: at,
	})
}

// notifyApproval queues the webhooks of an approval's new state.
func (s *Simulator) notifyApproval(tx *sandbox.Tx, a approval, t *transfer, at time.Time) error {
	return s.notify(tx, t, "pendingapproval", map[string]any{
		"type": "pendingapproval", "pendingApprovalId": a.ID, "pendingApprovalType": "transactionRequest", "walletId": a.Wallet,
		"wallet": a.Wallet, "coin": a.Coin, "state": a.State, "transfer": t.ID, "updatedAt": at,
	})
}

// register adds the address of HOOK_URL to every wallet, where it is not yet.
func (s *Simulator) register(tx *sandbox.Tx) error {
	for _, w := range s.wallets {
		for _, kind := range []string{"transfer", "pendingapproval"} {
			hook := webhook{ID: newID("webhook " + w.key() + " " + kind), Label: "HOOK_URL", Coin: w.Coin.Ticker, WalletID: w.ID, Type: kind,
				URL: s.world.Config.HookURL + "/bitgo", ListenToFailures: true, State: webhookActive}
			if err := tx.Put(bucketWebhook, w.key()+"/"+hook.ID, hook); err != nil {
				return err
			}
		}
	}
	return nil
}

// notify queues a body for the addresses added for the wallet and type; one
// address gets it once.
func (s *Simulator) notify(tx *sandbox.Tx, t *transfer, kind string, body any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	urls := map[string]bool{}
	err = each(tx, bucketWebhook, t.Coin+"/"+t.Wallet+"/", func(_ string, w webhook) error {
		if w.Type == kind && w.State == webhookActive && (w.NumConfirmations == 0 || t.State == stateConfirmed) {
			urls[w.URL] = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	for url := range urls {
		if err := s.world.Hooks.Send(tx, sandbox.Hook{URL: url, Body: raw, Provider: "bitgo", Status: http.StatusOK, Type: kind, Subject: t.subject()}, nil); err != nil {
			return err
		}
	}
	return nil
}

func (s *Simulator) webhooksOf(c *call) ([]webhook, error) {
	list := []webhook{}
	err := each(c.tx, bucketWebhook, c.wallet.key()+"/", func(_ string, w webhook) error {
		list = append(list, w)
		return nil
	})
	return list, err
}

func (s *Simulator) addWebhook(c *call) (int, any, error) {
	if err := s.findWallet(c); err != nil {
		return 0, nil, err
	}
	w := webhook{
		ID: randomHex(16), Label: c.fields.text("label"), Coin: c.coin.Ticker, WalletID: c.wallet.ID, State: webhookActive,
		Type: c.fields.text("type"), URL: c.fields.text("url"), NumConfirmations: c.fields.whole("numConfirmations", 0).IntPart(),
		AllToken: c.fields["allToken"] == true, ListenToFailures: c.fields["listenToFailureStates"] == true,
	}
	if !webhookTypes[w.Type] || w.URL == "" {
		return 0, nil, invalid("InvalidRequest", "a webhook needs a type and a url")
	}
	others, err := s.webhooksOf(c)
	if err != nil {
		return 0, nil, err
	}
	same := 0
	for _, other := range others {
		if other.Type == w.Type {
			same++
		}
	}
	if same >= webhooksPerType {
		return 0, nil, invalid("TooManyWebhooks", "at most 10 webhooks of a type for a wallet")
	}
	return http.StatusOK, w, c.tx.Put(bucketWebhook, c.wallet.key()+"/"+w.ID, w)
}

func (s *Simulator) listWebhooks(c *call) (int, any, error) {
	if err := s.findWallet(c); err != nil {
		return 0, nil, err
	}
	list, err := s.webhooksOf(c)
	return http.StatusOK, map[string]any{"webhooks": list}, err
}

// removeWebhook removes by id, or by type and url.
func (s *Simulator) removeWebhook(c *call) (int, any, error) {
	if err := s.findWallet(c); err != nil {
		return 0, nil, err
	}
	list, err := s.webhooksOf(c)
	if err != nil {
		return 0, nil, err
	}
	removed := 0
	for _, w := range list {
		if w.ID == c.fields.text("id") || (w.Type == c.fields.text("type") && w.URL == c.fields.text("url")) {
			removed++
			if err := c.tx.Delete(bucketWebhook, c.wallet.key()+"/"+w.ID); err != nil {
				return 0, nil, err
			}
		}
	}
	return http.StatusOK, map[string]int{"removed": removed}, nil
}

// verifyNotification reports whether a signature matches a webhook's body.
func (s *Simulator) verifyNotification(c *call) (int, any, error) {
	known := false
	err := each(c.tx, bucketWebhook, "", func(_ string, w webhook) error {
		known = known || w.ID == c.r.PathValue("id")
		return nil
	})
	if err != nil {
		return 0, nil, err
	}
	if !known {
		return 0, nil, missing("webhook")
	}
	expected := WebhookSignature(s.world.Config.BitGoWebhookSecret, []byte(c.fields.text("notificationPayload")))
	return http.StatusOK, map[string]any{"webhookId": c.r.PathValue("id"), "isValid": hmac.Equal([]byte(expected), []byte(c.fields.text("signature")))}, nil
}

// simulateWebhook sends a webhook as if a transfer had changed: the named one, or one that
// does not exist.
func (s *Simulator) simulateWebhook(c *call) (int, any, error) {
	if err := s.findWallet(c); err != nil {
		return 0, nil, err
	}
	var hook webhook
	found, err := c.tx.Get(bucketWebhook, c.wallet.key()+"/"+c.r.PathValue("id"), &hook)
	switch {
	case err != nil:
		return 0, nil, err
	case !found:
		return 0, nil, missing("webhook")
	}
	sample := notice{Hash: randomHex(32), Transfer: randomHex(16), Coin: c.coin.Ticker, Type: hook.Type, State: "new",
		Wallet: c.wallet.ID, WalletType: "hot", TransferType: "receive", ValueString: "1", UpdatedAt: c.now}
	if id := c.fields.text("transferId"); id != "" {
		sample.Transfer = id
	}
	raw, err := json.Marshal(sample)
	if err != nil {
		return 0, nil, err
	}
	err = s.world.Hooks.Send(c.tx, sandbox.Hook{URL: hook.URL, Body: raw, Provider: "bitgo", Status: http.StatusOK, Type: hook.Type, Subject: sample.Transfer}, nil)
	sent := map[string]any{"id": randomHex(16), "type": hook.Type, "wallet": c.wallet.ID, "url": hook.URL, "hash": sample.Hash, "coin": c.coin.Ticker,
		"transfer": sample.Transfer, "webhook": hook.ID, "state": "new", "simulation": true, "retries": 0, "updatedAt": c.now}
	return http.StatusOK, map[string]any{"webhookNotifications": []any{sent}}, err
}
