package bitgo

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models/money"
)

// sendRequest is the body of sendcoins.
type sendRequest struct {
	Address    string `json:"address"`
	Amount     string `json:"amount"` // base units
	Passphrase string `json:"walletPassphrase,omitempty"`
	SequenceID string `json:"sequenceId"`
}

// sendAnswer is the answer of sendcoins. Every field is optional: a multisig
// wallet answers with the transfer, an MPC wallet with a request around it,
// and a send that needs approval with the approval, nested or on top.
type sendAnswer struct {
	Transfer        *transfer `json:"transfer"`
	TxID            string    `json:"txid"`
	PendingApproval *approval `json:"pendingApproval"`
	approval
}

// Send requests one transfer to one address.
func (c *Client) Send(ctx context.Context, in provider.SendInput) (provider.Transfer, error) {
	const operation = "sendcoins"
	path, err := c.walletPath(operation, in.Wallet)
	if err != nil {
		return provider.Transfer{}, err
	}
	request := sendRequest{
		Address:    in.Address,
		Amount:     in.Amount.String(),
		Passphrase: c.config.Passphrase,
		SequenceID: in.SequenceID,
	}
	var answer sendAnswer
	if err := c.post(ctx, operation, path+"/sendcoins", request, &answer); err != nil {
		return provider.Transfer{}, err
	}
	return c.sent(operation, in, answer)
}

// sent reads what a send's answer contains.
func (c *Client) sent(operation string, in provider.SendInput, answer sendAnswer) (provider.Transfer, error) {
	pending := answer.PendingApproval
	if pending == nil && answer.Info != nil && answer.ID != "" {
		pending = &answer.approval
	}
	if t := answer.Transfer; t != nil && t.ID != "" {
		if t.TxID == "" {
			t.TxID = answer.TxID
		}
		out, err := c.transfer(operation, in.Wallet, *t)
		if err == nil && pending != nil && pending.ID != "" {
			out.ApprovalID = pending.ID
		}
		return out, err
	}
	if pending != nil && pending.ID != "" {
		return provider.Transfer{
			ApprovalID: pending.ID, Status: provider.TransferAwaiting, Amount: in.Amount,
		}, nil
	}
	return provider.Transfer{}, c.unreadable(operation, "neither a transfer nor an approval")
}

// FindTransfer looks a send up by our sequence id: among transfers, then among
// the approvals that wait, since a send under approval need not have a
// transfer yet.
func (c *Client) FindTransfer(ctx context.Context, w provider.Wallet, sequenceID string) (provider.Transfer, error) {
	const operation = "find_transfer"
	path, err := c.walletPath(operation, w)
	if err != nil {
		return provider.Transfer{}, err
	}
	var found transfer
	err = c.get(ctx, operation, path+"/transfer/sequenceId/"+url.PathEscape(sequenceID), &found)
	if isNotFound(err) {
		return c.findApproval(ctx, w, sequenceID)
	}
	if err != nil {
		return provider.Transfer{}, err
	}
	if found.SequenceID != "" && found.SequenceID != sequenceID {
		return provider.Transfer{}, c.unreadable(operation, "a transfer with another sequence id")
	}
	out, err := c.transfer(operation, w, found)
	if err == nil && out.Status == provider.TransferAwaiting && out.ApprovalID == "" {
		if waiting, missing := c.findApproval(ctx, w, sequenceID); missing == nil {
			out.ApprovalID = waiting.ApprovalID // optional; it is approved without it too
		}
	}
	return out, err
}

// ReadTransfer reads a transfer by its id; the id of an approval is understood
// too, as long as there is no transfer of that id.
func (c *Client) ReadTransfer(ctx context.Context, w provider.Wallet, transferID string) (provider.Transfer, error) {
	const operation = "read_transfer"
	path, err := c.walletPath(operation, w)
	if err != nil {
		return provider.Transfer{}, err
	}
	var found transfer
	err = c.get(ctx, operation, path+"/transfer/"+url.PathEscape(transferID), &found)
	if isNotFound(err) {
		return c.readApproval(ctx, w, transferID)
	}
	if err != nil {
		return provider.Transfer{}, err
	}
	return c.transfer(operation, w, found)
}

func isNotFound(err error) bool {
	var e *provider.Error
	return errors.As(err, &e) && e.Code == "not_found"
}

// transfer holds the fields of a transfer that we read.
type transfer struct {
	ID         string   `json:"id"`
	TxID       string   `json:"txid"`
	State      string   `json:"state"`
	SequenceID string   `json:"sequenceId"`
	Value      string   `json:"valueString"`     // negative for sends, may hold the fee
	BaseValue  string   `json:"baseValueString"` // without fees
	Fee        string   `json:"feeString"`
	PayGoFee   string   `json:"payGoFeeString"`
	ReplacedBy []string `json:"replacedBy"`
	// Approval is what it waits for: the approval's id, or the approval itself
	// (providers §3.4; its form is unverified). What we do not understand is nothing.
	Approval json.RawMessage `json:"pendingApproval"`
}

// states maps BitGo's states to ours. A transfer on the network without a known transaction
// id is not broadcast yet: see transfer.status.
var states = map[string]provider.TransferStatus{
	"initialized":     provider.TransferSigned,
	"pendingApproval": provider.TransferAwaiting,
	"rejected":        provider.TransferRejected,
	"signed":          provider.TransferSigned,
	"unconfirmed":     provider.TransferBroadcast,
	"confirmed":       provider.TransferConfirmed,
	"failed":          provider.TransferFailed,
	"removed":         provider.TransferRemoved,
	"replaced":        provider.TransferReplaced,
}

func (t transfer) status() (provider.TransferStatus, bool) {
	status, known := states[t.State]
	if t.TxID == "" && (status == provider.TransferBroadcast || status == provider.TransferConfirmed) {
		return provider.TransferSigned, true
	}
	return status, known
}

// transfer converts BitGo's transfer.
func (c *Client) transfer(operation string, w provider.Wallet, t transfer) (provider.Transfer, error) {
	status, known := t.status()
	if !known || t.ID == "" {
		return provider.Transfer{}, c.unreadable(operation, "a transfer without an id or in an unknown state")
	}
	amount, err := t.amount()
	if err != nil {
		return provider.Transfer{}, c.unreadable(operation, "a transfer whose amount is not a number")
	}
	fee, err := t.fee()
	if err != nil {
		return provider.Transfer{}, c.unreadable(operation, "a transfer whose fee is not a number")
	}
	out := provider.Transfer{
		ID: t.ID, ApprovalID: t.approvalID(), TxID: t.TxID, Status: status,
		Amount: amount, Fee: fee, FeeCurrency: money.NetworkOf(w.Network).Pays,
	}
	if len(t.ReplacedBy) > 0 {
		out.ReplacedBy = t.ReplacedBy[len(t.ReplacedBy)-1]
	}
	return out, nil
}

func (t transfer) approvalID() (id string) {
	if json.Unmarshal(t.Approval, &id) == nil {
		return id
	}
	var nested approval
	_ = json.Unmarshal(t.Approval, &nested) // none, or in an unknown form: without its id
	return nested.ID
}

// amount is what the recipient gets, as a positive number.
func (t transfer) amount() (money.Units, error) {
	text := t.BaseValue
	if text == "" {
		text = t.Value
	}
	units, err := unitsOrZero(text)
	return units.Abs(), err
}

// fee is everything that left the wallet beside the amount: the network's fee
// and BitGo's own.
func (t transfer) fee() (money.Units, error) {
	network, err := unitsOrZero(t.Fee)
	if err != nil {
		return money.Units{}, err
	}
	own, err := unitsOrZero(t.PayGoFee)
	return network.Add(own), err
}

func unitsOrZero(text string) (money.Units, error) {
	if text == "" {
		return money.Units{}, nil
	}
	return money.ParseUnits(text)
}
