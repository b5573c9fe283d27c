package bitgo

import (
	"encoding/hex"
	"net/http"
	"time"

	"github.com/shopspring/decimal"

	"github.com/tradepost/tradepost/internal/sandbox"
)

const maxRecipients = 200

// sendCoins sends to one recipient.
func (s *Simulator) sendCoins(c *call) (int, any, error) {
	return s.send(c, []recipient{{Address: c.fields.text("address"), Amount: c.fields.whole("amount", 0)}})
}

// sendMany sends to several.
func (s *Simulator) sendMany(c *call) (int, any, error) {
	list, _ := c.fields["recipients"].([]any)
	recipients := make([]recipient, 0, len(list))
	for _, entry := range list {
		one, ok := entry.(map[string]any)
		if !ok {
			return 0, nil, invalid("InvalidRecipients", "recipients must be objects with address and amount")
		}
		f := fields(one)
		if name := f.text("tokenName"); name != "" && c.fields.text("tokenName") == "" {
			c.fields["tokenName"] = name
		}
		recipients = append(recipients, recipient{Address: f.text("address"), Amount: f.whole("amount", 0)})
	}
	return s.send(c, recipients)
}

// send checks, in the order an error is most useful, then debits the coin and signs, or
// requests an approval.
func (s *Simulator) send(c *call, recipients []recipient) (int, any, error) {
	if err := s.findWallet(c); err != nil {
		return 0, nil, err
	}
	if want := s.world.Config.BitGoPassphrase; want != "" && c.fields.text("prv") == "" && c.fields.text("xprv") == "" && c.fields.text("walletPassphrase") != want {
		return 0, nil, errPassphrase
	}
	if err := checkRecipients(c.coin, recipients); err != nil {
		return 0, nil, err
	}
	t := &transfer{
		ID: randomHex(16), Coin: c.coin.Ticker, Wallet: c.wallet.ID, SequenceID: c.fields.text("sequenceId"),
		Type: "send", Comment: c.fields.text("comment"), Recipients: recipients, Fee: c.coin.fee(c.fields, len(recipients)),
		Creator: c.user.ID, Created: c.now, Visible: c.now.Add(c.trick.lag), Fate: c.trick.fate, Final: c.trick.final, Dies: c.trick.dies, Unmined: c.trick.unmined,
	}
	if err := s.claimSequence(c, t); err != nil {
		return 0, nil, err
	}
	if err := s.checkFunds(c.tx, t); err != nil {
		return 0, nil, err
	}
	set, err := s.settings(c.tx)
	if err != nil {
		return 0, nil, err
	}
	limit, limited := set.Limit[t.Coin]
	if c.trick.approval || (limited && t.amount().GreaterThan(limit)) {
		return s.askApproval(c, t, set)
	}
	if err := s.sign(c.tx, t, c.now); err != nil {
		return 0, nil, err
	}
	if err := s.walk(c.tx, t, set.Pace, c.now); err != nil {
		return 0, nil, err
	}
	return http.StatusOK, map[string]any{
		"transfer": t.view(c.now, set.Pace), "txid": t.TxID, "tx": rawTransaction(t), "status": stateSigned,
	}, nil
}

func checkRecipients(c coin, recipients []recipient) error {
	if len(recipients) == 0 || len(recipients) > maxRecipients {
		return invalid("InvalidRecipients", "give between 1 and 200 recipients")
	}
	for _, r := range recipients {
		if !r.Amount.IsPositive() {
			return invalid("InvalidAmount", "invalid amount: a positive whole number of base units is needed")
		}
		if !validAddress(c, r.Address) {
			return invalid("InvalidAddress", "invalid address: "+r.Address)
		}
	}
	return nil
}

// claimSequence reserves the sequenceId for the transfer, for ever.
func (s *Simulator) claimSequence(c *call, t *transfer) error {
	if t.SequenceID == "" {
		return nil
	}
	key := c.wallet.key() + "/" + t.SequenceID
	var other string
	exists, err := c.tx.Get(bucketSequence, key, &other)
	switch {
	case err != nil:
		return err
	case exists:
		return errDuplicate
	}
	return c.tx.Put(bucketSequence, key, t.ID)
}

// checkFunds sees that the wallet has the coin, and the one who pays the fee
// has the fee.
func (s *Simulator) checkFunds(tx *sandbox.Tx, t *transfer) error {
	for _, part := range s.parts(t) {
		f, err := fundsOf(tx, part.wallet)
		if err != nil {
			return err
		}
		if part.amount.GreaterThan(f.spendable()) {
			return insufficient(part.wallet.Coin.Ticker)
		}
	}
	return nil
}

// part is a transfer's debit of one wallet.
type part struct {
	wallet wallet
	amount decimal.Decimal
}

// parts are the amount and, where a wallet pays it, the fee: both from the same
// wallet for a native coin, the gas of a token from the wallet of eth.
func (s *Simulator) parts(t *transfer) []part {
	own := s.wallets[t.Coin]
	payer := s.wallets[own.Coin.Parent]
	switch {
	case payer.ID == "":
		return []part{{own, t.amount()}}
	case payer.Coin.Ticker == own.Coin.Ticker:
		return []part{{own, t.amount().Add(t.Fee)}}
	}
	return []part{{own, t.amount()}, {payer, t.Fee}}
}

// adjustParts changes the funds of every wallet that the transfer debits.
func (s *Simulator) adjustParts(tx *sandbox.Tx, t *transfer, change func(*funds, decimal.Decimal)) error {
	for _, part := range s.parts(t) {
		if err := adjust(tx, part.wallet, func(f *funds) { change(f, part.amount) }); err != nil {
			return err
		}
	}
	return nil
}

// sign gives the transfer its transaction: from here on it counts as sent.
func (s *Simulator) sign(tx *sandbox.Tx, t *transfer, now time.Time) error {
	t.TxID, t.Signed = newTxID(coins[t.Coin]), now
	t.become(stateSigned, now)
	if err := s.adjustParts(tx, t, func(f *funds, amount decimal.Decimal) { f.Out = f.Out.Add(amount) }); err != nil {
		return err
	}
	if err := s.world.Effects.Count(tx, "bitgo", "send", t.subject()); err != nil {
		return err
	}
	return t.save(tx)
}

// subject is the identity of effects and webhooks.
func (t *transfer) subject() string {
	if t.SequenceID != "" {
		return t.SequenceID
	}
	return t.ID
}

// rawTransaction simulates the signed bytes.
func rawTransaction(t *transfer) string { return hex.EncodeToString([]byte("simulated " + t.TxID)) }
