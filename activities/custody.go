package activities

import (
	"context"
	"errors"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models"
)

// Custody are the steps that send coin. They keep their own guard: what is sent
// was paid for in the ledger, and is within the caps of this process.
type Custody struct {
	DB     *models.DB
	BitGo  provider.Custody
	Timing Timing
	Caps   models.Caps
}

// Send sends the coin of a filled order (PROVIDERS §3.5). Only one send per
// sequence id is ever carried out, so sending again under the same one is safe;
// what became of it is always looked up, never read from an error.
func (a *Custody) Send(ctx context.Context, orderID string) (models.OrderState, error) {
	readAt, err := a.DB.Now(ctx)
	if err != nil {
		return models.OrderState{}, err
	}
	job, err := a.DB.StartTransfer(ctx, orderID, a.Caps)
	if err != nil || job.Done {
		return after(ctx, a.DB, orderID, err)
	}
	w := job.Withdrawal
	var found provider.Transfer
	missing := true
	if job.SentBefore {
		found, err = a.lookUp(ctx, w)
		if missing = errors.Is(err, provider.ErrNotFound); err != nil && !missing {
			return models.OrderState{}, unsure(err)
		}
	}
	if missing && job.SentBefore {
		if may, err := a.DB.MaySend(ctx, orderID); err != nil || !may {
			return after(ctx, a.DB, orderID, err)
		}
	}
	if missing {
		if found, err = a.send(ctx, job); err != nil {
			return models.OrderState{}, err
		}
	}
	_, err = a.DB.RecordTransfer(ctx, orderID, w.Generation, transferReading(found), readAt)
	return after(ctx, a.DB, orderID, err)
}

// send asks for the transfer. A definite refusal of the first send ends this
// sequence id, so that a person can ask for another transfer; after an earlier
// send whose answer was lost, a refusal proves nothing.
func (a *Custody) send(ctx context.Context, job models.TransferJob) (provider.Transfer, error) {
	w := job.Withdrawal
	fine, err := a.BitGo.VerifyAddress(ctx, wallet(w), w.Address)
	if err == nil && !fine {
		err = &provider.Error{Class: provider.Refused, Provider: "bitgo", Operation: "verifyaddress", Code: "invalid_address"}
	}
	var sent provider.Transfer
	if err == nil {
		sent, err = a.BitGo.Send(ctx, provider.SendInput{Wallet: wallet(w), SequenceID: w.SequenceID, Address: w.Address, Amount: w.Amount})
	}
	if err == nil {
		return sent, nil
	}
	if provider.ClassOf(err) == provider.Refused && job.SentBefore {
		return sent, unsure(err)
	}
	if provider.ClassOf(err) == provider.Refused {
		if noted := a.DB.TransferRefused(ctx, w.OrderID, w.Generation); noted != nil {
			return sent, noted
		}
	}
	if provider.ClassOf(err) == provider.Unknown {
		if found, lookup := a.BitGo.FindTransfer(ctx, wallet(w), w.SequenceID); lookup == nil {
			return found, nil
		}
	}
	return sent, err
}

// lookUp looks for a transfer for as long as it may take to appear.
func (a *Custody) lookUp(ctx context.Context, w models.Withdrawal) (provider.Transfer, error) {
	const looks = 4
	for i := 0; ; i++ {
		found, err := a.BitGo.FindTransfer(ctx, wallet(w), w.SequenceID)
		if err == nil || !errors.Is(err, provider.ErrNotFound) || i == looks {
			return found, err
		}
		now, err := a.DB.Now(ctx)
		if err != nil {
			return provider.Transfer{}, err
		}
		left := a.Timing.SendLookup - now.Sub(*w.SendStartedAt)
		if left <= 0 {
			return provider.Transfer{}, provider.ErrNotFound
		}
		if err := wait(ctx, min(left, a.Timing.SendLookup/looks)); err != nil {
			return provider.Transfer{}, err
		}
	}
}

// Follow looks at the transfer that is under way until there is news.
func (a *Custody) Follow(ctx context.Context, orderID string) (models.OrderState, error) {
	job, err := a.DB.CurrentTransfer(ctx, orderID)
	if err != nil || job.Done {
		return after(ctx, a.DB, orderID, err)
	}
	readAt, err := a.DB.Now(ctx)
	if err != nil {
		return models.OrderState{}, err
	}
	found, err := a.read(ctx, job.Withdrawal)
	if err != nil {
		return models.OrderState{}, err
	}
	news, err := a.DB.RecordTransfer(ctx, orderID, job.Withdrawal.Generation, transferReading(found), readAt)
	if err == nil && !news {
		err = notYet(string(found.Status))
	}
	return after(ctx, a.DB, orderID, err)
}

func (a *Custody) read(ctx context.Context, w models.Withdrawal) (provider.Transfer, error) {
	if w.TransferID != nil {
		return a.BitGo.ReadTransfer(ctx, wallet(w), *w.TransferID)
	}
	found, err := a.BitGo.FindTransfer(ctx, wallet(w), w.SequenceID)
	if errors.Is(err, provider.ErrNotFound) && w.ApprovalID != nil {
		return a.BitGo.ReadTransfer(ctx, wallet(w), *w.ApprovalID)
	}
	return found, err
}

func wallet(w models.Withdrawal) provider.Wallet {
	return provider.Wallet{Asset: w.Asset, Network: w.Network}
}

func transferReading(t provider.Transfer) models.TransferReading {
	return models.TransferReading{ID: t.ID, ApprovalID: t.ApprovalID, TxID: t.TxID, Status: string(t.Status), Fee: t.Fee,
		FeeCurrency: t.FeeCurrency, ReplacedBy: t.ReplacedBy}
}
