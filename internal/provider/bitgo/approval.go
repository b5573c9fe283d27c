package bitgo

import (
	"context"
	"net/url"

	"github.com/tradepost/tradepost/internal/provider"
)

// approval holds the fields of a pending approval that we read.
type approval struct {
	ID    string        `json:"id"`
	State string        `json:"state"`
	Info  *approvalInfo `json:"info"`
}

// approvalInfo is what is to be approved. The place of the sequence id depends on the kind
// of wallet.
type approvalInfo struct {
	TransactionRequest struct {
		SequenceID  string `json:"sequenceId"`
		BuildParams struct {
			SequenceID string `json:"sequenceId"`
		} `json:"buildParams"`
	} `json:"transactionRequest"`
}

func (a approval) isFor(sequenceID string) bool {
	if a.Info == nil {
		return false
	}
	request := a.Info.TransactionRequest
	return request.SequenceID == sequenceID || request.BuildParams.SequenceID == sequenceID
}

// findApproval finds a send that waits for approval.
func (c *Client) findApproval(ctx context.Context, w provider.Wallet, sequenceID string) (provider.Transfer, error) {
	const operation = "find_approval"
	coin, err := c.coin(operation, w)
	if err != nil {
		return provider.Transfer{}, err
	}
	query := url.Values{"walletId": {c.config.Wallets[coin]}}
	var list struct {
		PendingApprovals []approval `json:"pendingApprovals"`
	}
	err = c.get(ctx, operation, c.coinPath(coin)+"/pendingapprovals?"+query.Encode(), &list)
	if isNotFound(err) {
		return provider.Transfer{}, provider.ErrNotFound
	}
	if err != nil {
		return provider.Transfer{}, err
	}
	for _, a := range list.PendingApprovals {
		if a.isFor(sequenceID) {
			return c.fromApproval(operation, a)
		}
	}
	return provider.Transfer{}, provider.ErrNotFound
}

// readApproval reads an approval by its id.
func (c *Client) readApproval(ctx context.Context, w provider.Wallet, id string) (provider.Transfer, error) {
	const operation = "read_approval"
	coin, err := c.coin(operation, w)
	if err != nil {
		return provider.Transfer{}, err
	}
	var a approval
	err = c.get(ctx, operation, c.coinPath(coin)+"/pendingapprovals/"+url.PathEscape(id), &a)
	if isNotFound(err) {
		return provider.Transfer{}, provider.ErrNotFound
	}
	if err != nil {
		return provider.Transfer{}, err
	}
	return c.fromApproval(operation, a)
}

// fromApproval returns the state of a send under approval. Once approved it continues as a
// transfer, found by its sequence id.
func (c *Client) fromApproval(operation string, a approval) (provider.Transfer, error) {
	out := provider.Transfer{ApprovalID: a.ID}
	switch a.State {
	case "pending", "awaitingSignature", "processing":
		out.Status = provider.TransferAwaiting
	case "approved":
		out.Status = provider.TransferSigned
	case "rejected":
		out.Status = provider.TransferRejected
	default:
		return provider.Transfer{}, c.unreadable(operation, "an approval in an unknown state")
	}
	return out, nil
}
