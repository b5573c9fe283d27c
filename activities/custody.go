package activities

import (
	"context"
	"errors"
	"time"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models/correction"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/voucher"
)

// Custody are the steps that send coin. They keep their own guard: what is sent
// was paid for in the ledger, and is within the caps of this process.
type Custody struct {
	DB       *store.DB
	Name     ledger.Provider // of the custodian
	Provider provider.Custody
	Timing   Timing
	Caps     execution.Caps
}

// sending is what coin is sent for: an order, or the redemption of a voucher.
type sending interface {
	// Start checks the order at custody before a send, and commits that the transfer is
	// about to be sent.
	Start(ctx context.Context) (execution.TransferJob, error)
	// MaySend reports whether a transfer that left no trace may be sent again.
	MaySend(ctx context.Context) (bool, error)
	// Refused records that the custodian definitely refused it.
	Refused(ctx context.Context, generation int) error
	// Current reads the transfer that is under way.
	Current(ctx context.Context) (execution.TransferJob, error)
	// Record records the outcome; news reports whether anything changed.
	Record(ctx context.Context, generation int, r execution.TransferReading, readAt time.Time) (news bool, err error)
}

// doubted is a transfer that two members of staff declared dead.
type doubted interface {
	// InDoubt reads a transfer that is to be looked up once more.
	InDoubt(ctx context.Context, decisionID string) (execution.TransferJob, error)
	// Dead records that the transfer is dead, where custody says the same.
	Dead(ctx context.Context, decisionID string, r execution.TransferReading) error
}

// orderTransfer is a transfer for an order.
type orderTransfer struct {
	a  *Custody
	id string
}

// Start implements sending.
func (o orderTransfer) Start(ctx context.Context) (execution.TransferJob, error) {
	return order.StartTransfer(ctx, o.a.DB, o.id, o.a.Caps)
}

// MaySend implements sending.
func (o orderTransfer) MaySend(ctx context.Context) (bool, error) {
	return order.MaySend(ctx, o.a.DB, o.id)
}

// Refused implements sending.
func (o orderTransfer) Refused(ctx context.Context, generation int) error {
	return order.TransferRefused(ctx, o.a.DB, o.id, generation)
}

// Current implements sending.
func (o orderTransfer) Current(ctx context.Context) (execution.TransferJob, error) {
	return order.CurrentTransfer(ctx, o.a.DB, o.id)
}

// Record implements sending.
func (o orderTransfer) Record(ctx context.Context, generation int, r execution.TransferReading, readAt time.Time) (bool, error) {
	return order.RecordTransfer(ctx, o.a.DB, o.id, generation, r, readAt)
}

// InDoubt implements doubted.
func (o orderTransfer) InDoubt(ctx context.Context, decisionID string) (execution.TransferJob, error) {
	return order.TransferInDoubt(ctx, o.a.DB, o.id, decisionID)
}

// Dead implements doubted.
func (o orderTransfer) Dead(ctx context.Context, decisionID string, r execution.TransferReading) error {
	return order.DeclareDead(ctx, o.a.DB, o.id, decisionID, r)
}

// voucherTransfer is a transfer for a redemption. Its money cannot go meanwhile:
// what was redeemed is owed until it is sent.
type voucherTransfer struct {
	a  *Custody
	id string
}

// Start implements sending.
func (v voucherTransfer) Start(ctx context.Context) (execution.TransferJob, error) {
	return voucher.StartVoucherTransfer(ctx, v.a.DB, v.id, v.a.Caps)
}

// MaySend implements sending.
func (v voucherTransfer) MaySend(ctx context.Context) (bool, error) {
	return voucher.MaySendVoucher(ctx, v.a.DB, v.id)
}

// Refused implements sending.
func (v voucherTransfer) Refused(ctx context.Context, generation int) error {
	return voucher.VoucherTransferRefused(ctx, v.a.DB, v.id, generation)
}

// Current implements sending.
func (v voucherTransfer) Current(ctx context.Context) (execution.TransferJob, error) {
	return voucher.CurrentVoucherTransfer(ctx, v.a.DB, v.id)
}

// Record implements sending.
func (v voucherTransfer) Record(ctx context.Context, generation int, r execution.TransferReading, readAt time.Time) (bool, error) {
	return voucher.RecordVoucherTransfer(ctx, v.a.DB, v.id, generation, r, readAt)
}

// InDoubt implements doubted.
func (v voucherTransfer) InDoubt(ctx context.Context, decisionID string) (execution.TransferJob, error) {
	return correction.VoucherTransferInDoubt(ctx, v.a.DB, v.id, decisionID)
}

// Dead implements doubted.
func (v voucherTransfer) Dead(ctx context.Context, decisionID string, r execution.TransferReading) error {
	return correction.DeclareVoucherDead(ctx, v.a.DB, v.id, decisionID, r)
}

// Send sends the coin of a filled order.
func (a *Custody) Send(ctx context.Context, orderID string) (order.OrderState, error) {
	return afterOrder(ctx, a.DB, orderID, a.deliver(ctx, orderTransfer{a, orderID}))
}

// SendForVoucher sends the coin of a redemption.
func (a *Custody) SendForVoucher(ctx context.Context, redemptionID string) (voucher.VoucherState, error) {
	return afterVoucher(ctx, a.DB, redemptionID, a.deliver(ctx, voucherTransfer{a, redemptionID}))
}

// deliver sends the transfer, or finds the one that was sent (providers §3.5). The custodian
// executes one send per sequence id, so that a repeated send is safe; its outcome is always
// looked up, never read from an error.
func (a *Custody) deliver(ctx context.Context, what sending) error {
	job, err := what.Start(ctx)
	if err != nil || job.Done {
		return err
	}
	w := job.Withdrawal
	if err := a.sentHere(ctx, w); err != nil {
		return err
	}
	var found provider.Transfer
	missing := true
	if job.SentBefore {
		found, err = a.lookUp(ctx, w)
		if missing = errors.Is(err, provider.ErrNotFound); err != nil && !missing {
			return unsure(err)
		}
	}
	if missing && job.SentBefore {
		if may, err := what.MaySend(ctx); err != nil || !may {
			return err
		}
	}
	if missing {
		if found, err = a.send(ctx, what, job); err != nil {
			return err
		}
	}
	_, err = what.Record(ctx, w.Generation, transferReading(found), job.At)
	return err
}

// sentHere refuses a transfer of another custodian: this one would not find it, and would
// send it again. The row, committed before the send, names the custodian.
func (a *Custody) sentHere(ctx context.Context, w execution.Withdrawal) (err error) {
	if w.Provider == "" { // written just now
		if w.Provider, err = execution.SentBy(ctx, a.DB, w.ID); err != nil {
			return err
		}
	}
	if w.Provider != a.Name {
		return Failure{Class: Unknown, Code: "other_custodian"}.Error()
	}
	return nil
}

// send requests the transfer. A definite refusal of the first send ends this sequence id,
// so that staff can request another transfer; after an earlier send whose answer was lost,
// no answer to this one proves anything.
func (a *Custody) send(ctx context.Context, what sending, job execution.TransferJob) (provider.Transfer, error) {
	w := job.Withdrawal
	fine, err := a.Provider.VerifyAddress(ctx, wallet(w), w.Address)
	if err == nil && !fine {
		err = &provider.Error{Class: provider.Refused, Provider: string(a.Name), Operation: "verifyaddress", Code: "invalid_address"}
	}
	var sent provider.Transfer
	if err == nil {
		sent, err = a.Provider.Send(ctx, provider.SendInput{Wallet: wallet(w), SequenceID: w.SequenceID, Address: w.Address, Amount: w.Amount})
	}
	if err == nil {
		return sent, nil
	}
	switch class := provider.ClassOf(err); {
	case class == provider.Unknown:
		if found, lookup := a.Provider.FindTransfer(ctx, wallet(w), w.SequenceID); lookup == nil {
			return found, nil
		}
	case job.SentBefore:
		return sent, unsure(err)
	case class == provider.Refused:
		if noted := what.Refused(ctx, w.Generation); noted != nil {
			return sent, noted
		}
	}
	return sent, err
}

// lookUp looks a transfer up for as long as it may need to appear.
func (a *Custody) lookUp(ctx context.Context, w execution.Withdrawal) (provider.Transfer, error) {
	const polls = 4
	for i := 0; ; i++ {
		found, err := a.Provider.FindTransfer(ctx, wallet(w), w.SequenceID)
		if err == nil || !errors.Is(err, provider.ErrNotFound) || i == polls {
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
		if err := wait(ctx, min(left, a.Timing.SendLookup/polls)); err != nil {
			return provider.Transfer{}, err
		}
	}
}

// Follow polls an order's transfer that is under way until its state changes; it reads once
// where the custodian sends webhooks, since it sends another at the next change.
func (a *Custody) Follow(ctx context.Context, orderID string, notified bool) (order.OrderState, error) {
	return afterOrder(ctx, a.DB, orderID, a.follow(ctx, orderTransfer{a, orderID}, notified))
}

// FollowForVoucher is Follow for a redemption.
func (a *Custody) FollowForVoucher(ctx context.Context, redemptionID string, notified bool) (voucher.VoucherState, error) {
	return afterVoucher(ctx, a.DB, redemptionID, a.follow(ctx, voucherTransfer{a, redemptionID}, notified))
}

func (a *Custody) follow(ctx context.Context, what sending, notified bool) error {
	job, err := what.Current(ctx)
	if err != nil || job.Done {
		return err
	}
	if err := a.sentHere(ctx, job.Withdrawal); err != nil {
		return err
	}
	readAt, err := a.DB.Now(ctx)
	if err != nil {
		return err
	}
	found, err := a.read(ctx, job.Withdrawal)
	if err != nil {
		return unsure(err) // whatever this read failed with, the coin is on its way
	}
	news, err := what.Record(ctx, job.Withdrawal.Generation, transferReading(found), readAt)
	if err == nil && !news && !notified {
		err = notYet(string(found.Status))
	}
	return err
}

// DeclareDead ends the transfer of an order that two members of staff declared dead, after
// one more lookup at custody.
func (a *Custody) DeclareDead(ctx context.Context, in Decided) (order.OrderState, error) {
	return afterOrder(ctx, a.DB, in.OrderID, a.declareDead(ctx, orderTransfer{a, in.OrderID}, in.DecisionID))
}

// DeclareVoucherDead is DeclareDead for a redemption.
func (a *Custody) DeclareVoucherDead(ctx context.Context, in VoucherStopped) (voucher.VoucherState, error) {
	return afterVoucher(ctx, a.DB, in.RedemptionID, a.declareDead(ctx, voucherTransfer{a, in.RedemptionID}, in.DecisionID))
}

func (a *Custody) declareDead(ctx context.Context, what doubted, decisionID string) error {
	job, err := what.InDoubt(ctx, decisionID)
	if err != nil || job.Done {
		return err
	}
	if err := a.sentHere(ctx, job.Withdrawal); err != nil {
		return err
	}
	found, err := a.read(ctx, job.Withdrawal)
	if err != nil {
		return unsure(err)
	}
	return what.Dead(ctx, decisionID, transferReading(found))
}

func (a *Custody) read(ctx context.Context, w execution.Withdrawal) (provider.Transfer, error) {
	if w.TransferID != nil {
		return a.Provider.ReadTransfer(ctx, wallet(w), *w.TransferID)
	}
	found, err := a.Provider.FindTransfer(ctx, wallet(w), w.SequenceID)
	if errors.Is(err, provider.ErrNotFound) && w.ApprovalID != nil {
		return a.Provider.ReadTransfer(ctx, wallet(w), *w.ApprovalID)
	}
	return found, err
}

func wallet(w execution.Withdrawal) provider.Wallet {
	return provider.Wallet{Asset: w.Asset, Network: w.Network}
}

func transferReading(t provider.Transfer) execution.TransferReading {
	return execution.TransferReading{ID: t.ID, ApprovalID: t.ApprovalID, TxID: t.TxID, Status: string(t.Status), Amount: t.Amount, Fee: t.Fee,
		FeeCurrency: t.FeeCurrency, ReplacedBy: t.ReplacedBy}
}
