package bitgo

import (
	"net/http"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/internal/sandbox"
)

// How old the tokens are, and how long they still last.
const (
	sessionAge  = 24 * time.Hour
	sessionLife = 365 * 24 * time.Hour
)

// funds is a wallet's coin. Out and In are sends and receipts that are not
// confirmed yet, Held waits for approvals.
type funds struct {
	Confirmed, Out, In, Held decimal.Decimal
}

func (f funds) balance() decimal.Decimal   { return f.Confirmed.Sub(f.Out).Add(f.In) }
func (f funds) spendable() decimal.Decimal { return f.Confirmed.Sub(f.Out).Sub(f.Held) }

func fundsOf(tx *sandbox.Tx, w wallet) (f funds, err error) {
	_, err = tx.Get(bucketFunds, w.key(), &f)
	return f, err
}

// adjust changes a wallet's funds.
func adjust(tx *sandbox.Tx, w wallet, change func(*funds)) error {
	f, err := fundsOf(tx, w)
	if err != nil {
		return err
	}
	change(&f)
	return tx.Put(bucketFunds, w.key(), f)
}

// findWallet sets the call's wallet from its path. A token may be named by
// tokenName with its chain's coin in the path.
func (s *Simulator) findWallet(c *call) error {
	c.wallet = s.wallets[c.coin.Ticker]
	if c.wallet.ID != c.r.PathValue("wallet") {
		return invalid("InvalidWalletId", "invalid wallet id")
	}
	if name := c.fields.text("tokenName"); name != "" && name != c.coin.Ticker {
		token, known := coins[name]
		w, open := s.wallets[name]
		if !known || !open || token.Parent != c.coin.Ticker {
			return invalid("InvalidToken", "token "+name+" is not in this wallet")
		}
		c.coin, c.wallet = token, w
	}
	return nil
}

func (s *Simulator) getWallet(c *call) (int, any, error) {
	if err := s.findWallet(c); err != nil {
		return 0, nil, err
	}
	view, err := s.walletView(c.tx, c.wallet)
	if err != nil {
		return 0, nil, err
	}
	if c.r.FormValue("allTokens") == "true" {
		tokens := map[string]any{}
		for _, w := range s.wallets {
			if w.Coin.Parent != c.coin.Ticker || w.Coin.Ticker == c.coin.Ticker {
				continue
			}
			f, err := fundsOf(c.tx, w)
			if err != nil {
				return 0, nil, err
			}
			tokens[w.Coin.Ticker] = f.strings()
		}
		view["tokens"] = tokens
	}
	return http.StatusOK, view, nil
}

func (f funds) strings() map[string]any {
	return map[string]any{
		"balanceString": f.balance().String(), "confirmedBalanceString": f.Confirmed.String(),
		"spendableBalanceString": f.spendable().String(),
	}
}

func (s *Simulator) walletView(tx *sandbox.Tx, w wallet) (map[string]any, error) {
	f, err := fundsOf(tx, w)
	if err != nil {
		return nil, err
	}
	view := f.strings()
	if w.Coin.exact() { // whose numbers would not be exact
		view["balance"], view["confirmedBalance"], view["spendableBalance"] = f.balance().IntPart(), f.Confirmed.IntPart(), f.spendable().IntPart()
	}
	view["keys"] = []string{newID("user key " + w.key()), newID("backup key " + w.key()), newID("bitgo key " + w.key())}
	view["keySignatures"], view["coinSpecific"], view["pendingApprovals"] = map[string]any{}, map[string]any{}, []any{}
	view["id"], view["coin"], view["label"] = w.ID, w.Coin.Ticker, "Tradepost "+w.Coin.Ticker
	view["enterprise"], view["type"], view["multisigType"] = newID("enterprise"), "hot", "onchain"
	view["users"] = []map[string]any{{"user": s.users[0].ID, "permissions": []string{"admin", "view", "spend"}}}
	view["m"], view["n"], view["approvalsRequired"], view["deleted"] = 2, 3, 1, false
	view["receiveAddress"] = w.addressView()
	return view, nil
}

func (s *Simulator) listWallets(c *call) (int, any, error) {
	list := []map[string]any{}
	if w, open := s.wallets[c.coin.Ticker]; open {
		view, err := s.walletView(c.tx, w)
		if err != nil {
			return 0, nil, err
		}
		list = append(list, view)
	}
	return http.StatusOK, map[string]any{"wallets": list, "coin": c.coin.Ticker}, nil
}

// maximumSpendable is the most one transaction can send, its fee deducted.
func (s *Simulator) maximumSpendable(c *call) (int, any, error) {
	if err := s.findWallet(c); err != nil {
		return 0, nil, err
	}
	f, err := fundsOf(c.tx, c.wallet)
	if err != nil {
		return 0, nil, err
	}
	most := f.spendable()
	if c.coin.Parent == c.coin.Ticker {
		most = most.Sub(c.coin.fee(c.fields, 1))
	}
	most = decimal.Max(most, decimal.Zero)
	return http.StatusOK, map[string]string{"coin": c.coin.Ticker, "maximumSpendable": most.String()}, nil
}

// estimateFee is tx/fee; the field names follow the coin's kind.
func (s *Simulator) estimateFee(c *call) (int, any, error) {
	if c.coin.Chain.Kind == "btc" {
		targets := map[string]int{"1": satPerKB * 2, "2": satPerKB, "3": satPerKB, "6": satPerKB * 3 / 4, "12": satPerKB / 2}
		rate, blocks := satPerKB, 2
		switch c.r.FormValue("numBlocks") {
		case "1":
			rate, blocks = targets["1"], 1
		case "6":
			rate, blocks = targets["6"], 6
		}
		return http.StatusOK, map[string]any{
			"feePerKb": rate, "cpfpFeePerKb": rate, "numBlocks": blocks, "confidence": 80, "multiplier": 1, "feeByBlockTarget": targets,
		}, nil
	}
	gas := decimal.NewFromInt(c.coin.GasUsed)
	return http.StatusOK, map[string]any{
		"feeEstimate": c.coin.fee(c.fields, 1).String(), "gasLimitEstimate": gas.IntPart(),
		"minGasPrice": weiPerGas / 2, "minGasLimit": 21_000, "maxGasLimit": 200_000,
	}, nil
}

func (s *Simulator) me(c *call) (int, any, error) {
	name := "ops@tradepost.example"
	if c.user.Unlimited {
		name = "bench@tradepost.example"
	}
	return http.StatusOK, map[string]any{"user": map[string]any{"id": c.user.ID, "username": name, "isActive": true}}, nil
}

// firstScope is what the product's token may do.
var firstScope = []string{"openid", "profile", "pending_approval_update", "wallet_view_all", "wallet_spend_all", "wallet_edit_all"}

// session returns the token's permissions, and their expiry.
func (s *Simulator) session(c *call) (int, any, error) {
	set, err := s.settings(c.tx)
	if err != nil {
		return 0, nil, err
	}
	scope := set.Scope
	if len(scope) == 0 {
		scope = firstScope
	}
	return http.StatusOK, map[string]any{"session": map[string]any{"id": newID("session " + c.user.ID), "client": "bitgo", "user": c.user.ID,
		"scope": scope, "ipRestrict": []string{}, "isExtensible": false, "origin": "sandbox", "created": c.now.Add(-sessionAge), "expires": c.now.Add(sessionLife)}}, nil
}
