package activities

import (
	"context"
	"errors"
	"slices"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models/treasury"
)

// SendMove requests the withdrawal of a move once, or finds the one that was requested
// (providers §2.7). The exchange accepts no client id, so that a first send, or one that
// staff requested after a check, is made once; one that leaves its outcome open is looked
// up, and goes to staff when the lookup finds nothing.
//
// A worker that dies between the send and its record leaves send_started_at set, and the
// next attempt only looks up.
func (a *TreasuryExchange) SendMove(ctx context.Context, id string) (treasury.MoveState, error) {
	job, err := treasury.ReadMoveJob(ctx, a.DB, id)
	if err == nil && !job.Done {
		err = a.executeMove(ctx, job)
	}
	return afterMove(ctx, a.DB, id, err)
}

func (a *TreasuryExchange) executeMove(ctx context.Context, job treasury.MoveJob) error {
	if job.LookUp {
		reference, err := a.lookUpMove(ctx, job)
		if err == nil {
			return treasury.MarkMoveSent(ctx, a.DB, job.Move.ID, reference, true)
		}
		if !errors.Is(err, provider.ErrNotFound) {
			return unsure(err)
		}
	}
	if !job.Send {
		return treasury.MarkMoveUnknown(ctx, a.DB, job.Move.ID, a.Timing.RetryMost)
	}
	input, refused, err := a.prepareMove(ctx, &job.Move)
	if err != nil {
		return err
	}
	if refused != "" {
		return treasury.FailMove(ctx, a.DB, job.Move.ID, job.Move.Generation, refused)
	}
	if job, err = treasury.StartMove(ctx, a.DB, job.Move.ID, input.Key, input.MostFee); err != nil || job.Done || !job.Send {
		return err // another attempt owns the send; the workflow polls again
	}
	return a.withdraw(ctx, job, input)
}

// prepareMove asks the exchange for the withdrawal's cost, which moves nothing, and returns
// what rules it out.
func (a *TreasuryExchange) prepareMove(ctx context.Context, m *treasury.Move) (in provider.WithdrawalInput, refused string, err error) {
	coin := treasury.CoinOf(m.Wallet())
	in = provider.WithdrawalInput{Asset: m.Asset, Key: a.Keys[coin], Address: a.Addresses[coin], Amount: m.Amount}
	if m.WithdrawKey != nil {
		in.Key = *m.WithdrawKey // by which it is looked up as well
	}
	if in.Key == "" {
		return in, "no_withdraw_key", nil
	}
	quote, err := a.Exchange.WithdrawalFee(ctx, in)
	var said *provider.Error
	switch {
	case errors.As(err, &said) && said.Class == provider.Refused:
		return in, said.Code, nil
	case err != nil:
		return in, "", err
	case quote.Limit.Cmp(m.Amount) < 0:
		return in, "exchange_short", nil
	case quote.Fee.Cmp(m.Amount) >= 0:
		return in, "fee_too_high", nil
	}
	in.MostFee = quote.Fee
	return in, "", nil
}

// withdraw makes the one send. An unknown outcome is looked up at once.
func (a *TreasuryExchange) withdraw(ctx context.Context, job treasury.MoveJob, in provider.WithdrawalInput) error {
	m := job.Move
	reference, err := a.Exchange.Withdraw(ctx, in)
	if err == nil {
		return treasury.MarkMoveSent(ctx, a.DB, m.ID, reference, false)
	}
	switch provider.ClassOf(err) {
	case provider.Refused:
		return treasury.FailMove(ctx, a.DB, m.ID, m.Generation, Failed(err).Code)
	case provider.Retry:
		return errors.Join(err, treasury.MoveNotSent(ctx, a.DB, m.ID, m.Generation, Failed(err).Code))
	}
	job.Send, job.LookUp = false, true
	return a.executeMove(ctx, job)
}

// lookUpMove looks a move's withdrawal up by its key, its exact amount and the time since
// its first send. ErrNotFound means that none appeared for as long as one may need to; of
// several it chooses none, which is left to staff.
func (a *TreasuryExchange) lookUpMove(ctx context.Context, job treasury.MoveJob) (string, error) {
	m := job.Move
	for {
		found, err := a.findMove(ctx, m)
		if !errors.Is(err, provider.ErrNotFound) || m.SendStartedAt == nil || m.Status == treasury.MoveUnknown {
			return found, err
		}
		now, err := a.DB.Now(ctx)
		if err != nil {
			return "", err
		}
		if now.Sub(*m.SendStartedAt) >= a.Timing.SendLookup {
			return "", provider.ErrNotFound
		}
		if err := wait(ctx, a.Timing.LookupGap); err != nil {
			return "", err
		}
	}
}

func (a *TreasuryExchange) findMove(ctx context.Context, m treasury.Move) (string, error) {
	list, err := a.Exchange.FindWithdrawals(ctx, m.Asset, *m.WithdrawKey, *m.FirstSentAt)
	if err != nil {
		return "", err
	}
	var references []string
	for _, w := range list {
		if w.Amount().Cmp(m.Amount) == 0 {
			references = append(references, w.Reference)
		}
	}
	others, err := treasury.ReferencesOfOthers(ctx, a.DB, m.ID, references)
	if err != nil {
		return "", err
	}
	references = slices.DeleteFunc(references, func(r string) bool { return slices.Contains(others, r) })
	if len(references) != 1 {
		return "", provider.ErrNotFound
	}
	return references[0], nil
}
