package activities

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/tradepost/tradepost/internal/provider"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
)

// PartRef names a refund or a dispute: the order, and its number there.
type PartRef struct {
	OrderID  string `json:"orderId"`
	Sequence int    `json:"sequence"`
}

// GiveBack refunds a part of a captured payment, or any of it after the coin was sent, and
// waits for its completion: it is found by its sequence before it is requested again.
func (a *Payments) GiveBack(ctx context.Context, in PartRef) error {
	job, err := order.StartGiveBack(ctx, a.DB, in.OrderID, in.Sequence)
	if err != nil || job.Done {
		return err
	}
	giveBack := a.findOrRefund
	if job.Superseded {
		giveBack = a.findSuperseded
	}
	refund, err := giveBack(ctx, in.OrderID, job)
	if err != nil || refund.ID == "" {
		return err
	}
	err = order.RecordRefund(ctx, a.DB, in.OrderID, in.Sequence, refund.ID, string(refund.Status), "")
	if err == nil && refund.Status == provider.RefundPending {
		err = notYet("refund_pending")
	}
	return err
}

// findSuperseded looks up a refund whose money went back otherwise. Where Stripe does not know it, it ends as never
// made, and the refund returned is empty.
func (a *Payments) findSuperseded(ctx context.Context, orderID string, job order.RefundJob) (provider.Refund, error) {
	found, err := a.Cards.FindRefund(ctx, job.PaymentID, orderID, job.Refund.Sequence)
	switch {
	case err == nil:
		return a.sameRefund(ctx, orderID, job, found)
	case errors.Is(err, provider.ErrNotFound):
		return provider.Refund{}, order.NotMade(ctx, a.DB, orderID, job.Refund.Sequence)
	}
	return found, unsure(err)
}

// refused records a refund that Stripe definitely refused, so that the next one is a new
// one. A failure that Stripe keeps under the key is no refusal, and neither is an answer
// that requires a lookup first.
func (a *Payments) refused(ctx context.Context, orderID string, job order.RefundJob, failed error) error {
	var said *provider.Error
	if errors.As(failed, &said) && said.Class == provider.Refused && said.Code != "unauthorised" {
		return firstOf(order.RefundRefused(ctx, a.DB, orderID, job.Refund.Sequence, said.Code), failed)
	}
	return failed
}

// Money are the steps that read the later course of a captured payment: refunds, also those
// made at Stripe, and disputes.
type Money struct {
	DB       *store.DB
	Refunds  provider.Givebacks
	Disputes provider.Disputes
}

// pollOverlap is how much of a list is read again, for what appears there late.
const pollOverlap = time.Hour

// MoneyPoll is the name under which the lists' reading is recorded.
const MoneyPoll = "stripe_money"

// Stripe lists refunds by when they were made, and a bank can send one back weeks
// after that: so each that is younger than bounceWindow is read again now and then.
const (
	bounceEvery  = 3 * 24 * time.Hour
	bounceWindow = 60 * 24 * time.Hour
	bounceBatch  = 20
)

// MoneyReading is one reading of the refunds and disputes of an order's payment.
type MoneyReading struct {
	Open []int `json:"open"` // the order's open disputes, by sequence
	// Unread reports that an entry could not be read. The webhooks stay unhandled, so that the sweep reads it again.
	Unread bool `json:"unread"`
}

// MarshalJSON writes a complete reading as its open disputes alone: workflows of earlier releases read only those.
func (r MoneyReading) MarshalJSON() ([]byte, error) {
	if !r.Unread {
		return json.Marshal(r.Open)
	}
	type whole MoneyReading
	return json.Marshal(whole(r))
}

// UnmarshalJSON reads both forms.
func (r *MoneyReading) UnmarshalJSON(text []byte) error {
	*r = MoneyReading{}
	if err := json.Unmarshal(text, &r.Open); err == nil {
		return nil
	}
	type whole MoneyReading
	return json.Unmarshal(text, (*whole)(r))
}

// ReadMoney reads the refunds and disputes of an order's payment and writes what is new. It returns the order's open
// disputes, for their workflows. An entry that cannot be read does not keep the others from being written and
// followed.
func (a *Money) ReadMoney(ctx context.Context, orderID string) (MoneyReading, error) {
	var reading MoneyReading
	readAt, err := a.DB.Now(ctx)
	if err != nil {
		return reading, err
	}
	payment, err := order.CardOf(ctx, a.DB, orderID)
	if err != nil {
		return reading, err
	}
	if payment == "" {
		return reading, order.MarkMoneyWebhooksHandled(ctx, a.DB, orderID, readAt)
	}
	refunds, err := a.Refunds.PaymentRefunds(ctx, payment)
	if err != nil {
		return reading, err
	}
	for _, r := range refunds {
		if r.Unread != "" {
			reading.Unread = true
			continue
		}
		if err := a.recordRefund(ctx, orderID, r); err != nil {
			return reading, err
		}
	}
	if err := a.readDisputes(ctx, orderID, payment, &reading); err != nil || reading.Unread {
		return reading, err
	}
	return reading, order.MarkMoneyWebhooksHandled(ctx, a.DB, orderID, readAt)
}

// readDisputes is the part of ReadMoney that reads the disputes of a payment.
func (a *Money) readDisputes(ctx context.Context, orderID, payment string, reading *MoneyReading) error {
	disputes, err := a.Disputes.PaymentDisputes(ctx, payment)
	if err != nil {
		return err
	}
	for _, d := range disputes {
		if d.Unread != "" {
			reading.Unread = true
			continue
		}
		sequence, err := order.RecordDispute(ctx, a.DB, orderID, disputeReading(d))
		if err != nil {
			return err
		}
		if d.Status == provider.DisputeOpen || d.Status == provider.DisputeUnderReview {
			reading.Open = append(reading.Open, sequence)
		}
	}
	return nil
}

// recordRefund writes a refund: one of ours is identified by its sequence, any other by
// Stripe's own id; so is one of ours that is missing after a restore.
func (a *Money) recordRefund(ctx context.Context, orderID string, r provider.CardRefund) error {
	if r.OrderID == orderID && r.Sequence > 0 {
		known, err := order.LearnRefund(ctx, a.DB, orderID, r.Sequence, r.ID, string(r.Status))
		if known || err != nil {
			return err
		}
	}
	return order.RecordElsewhere(ctx, a.DB, orderID, order.CardRefundReading{ID: r.ID, Status: string(r.Status), Amount: r.Amount})
}

func disputeReading(d provider.Dispute) order.DisputeReading {
	return order.DisputeReading{ID: d.ID, Status: string(d.Status), Reason: d.Reason, Amount: d.Amount, Withdrawn: d.Withdrawn,
		Reinstated: d.Reinstated, Fee: d.Fee, DueBy: d.DueBy}
}

// FindMoney reads the newest refunds and disputes of the whole account, and
// gives the orders whose payment has one that is not booked yet because its webhook
// was lost, and the orders whose older refund may have bounced. What belongs to no
// payment of ours is left out, whatever it says; of ours, an entry that cannot be
// read is news.
func (a *Money) FindMoney(ctx context.Context) ([]string, error) {
	from, now, err := a.DB.ReadFrom(ctx, MoneyPoll, pollOverlap)
	if err != nil {
		return nil, err
	}
	refunds, err := a.Refunds.RecentRefunds(ctx, from)
	if err != nil {
		return nil, err
	}
	disputes, err := a.Disputes.RecentDisputes(ctx, from)
	if err != nil {
		return nil, err
	}
	news := newsFinder{db: a.DB, seen: map[string]bool{}}
	for _, r := range refunds {
		err = errors.Join(err, news.compare(ctx, r.PaymentID, r.ID, string(r.Status), r.Unread))
	}
	for _, d := range disputes {
		err = errors.Join(err, news.compare(ctx, d.PaymentID, d.ID, string(d.Status), d.Unread))
	}
	if err != nil {
		return nil, err
	}
	older, err := order.SettledRefunds(ctx, a.DB, bounceEvery, bounceWindow, bounceBatch)
	if err != nil {
		return nil, err
	}
	for _, orderID := range older {
		news.add(orderID)
	}
	if news.unread { // read again from the same moment: an alert tells that the reading does not advance
		return news.orders, nil
	}
	return news.orders, a.DB.ReadTo(ctx, MoneyPoll, now)
}

// newsFinder gathers the orders with news, each once.
type newsFinder struct {
	db     *store.DB
	seen   map[string]bool
	orders []string
	unread bool // an entry of a payment of ours cannot be read
}

// compare adds the order of a payment that an entry of the provider changes, or may change because it cannot be read.
func (n *newsFinder) compare(ctx context.Context, payment, id, status, unread string) error {
	known, err := order.MoneyNews(ctx, n.db, payment, id)
	if err != nil || known == nil || unread == "" && known.Status == status {
		return err
	}
	n.unread = n.unread || unread != ""
	n.add(known.OrderID)
	return nil
}

func (n *newsFinder) add(orderID string) {
	if !n.seen[orderID] {
		n.seen[orderID] = true
		n.orders = append(n.orders, orderID)
	}
}

// FollowDispute reads one dispute again and records its state.
func (a *Money) FollowDispute(ctx context.Context, in PartRef) (order.DisputeState, error) {
	disputes, err := order.Disputes(ctx, a.DB, in.OrderID)
	if err != nil {
		return order.DisputeState{}, err
	}
	for i := range disputes {
		if disputes[i].Sequence != in.Sequence {
			continue
		}
		read, err := a.Disputes.ReadDispute(ctx, disputes[i].ProviderID)
		if err != nil {
			return order.DisputeState{}, err
		}
		if _, err := order.RecordDispute(ctx, a.DB, in.OrderID, disputeReading(read)); err != nil {
			return order.DisputeState{}, err
		}
	}
	return order.ReadDisputeState(ctx, a.DB, in.OrderID, in.Sequence)
}

// AnswerDispute sends the bank what staff decided: evidence, or acceptance. The dispute's
// own state says whether it was answered before.
func (a *Money) AnswerDispute(ctx context.Context, in PartRef) (order.DisputeState, error) {
	job, err := order.StartAnswer(ctx, a.DB, in.OrderID, in.Sequence)
	if err != nil {
		return order.DisputeState{}, err
	}
	if !job.Done {
		if err := a.answer(ctx, in, job); err != nil {
			return order.DisputeState{}, err
		}
	}
	return a.FollowDispute(ctx, in)
}

func (a *Money) answer(ctx context.Context, in PartRef, job order.AnswerJob) error {
	id := job.Dispute.ProviderID
	if job.SentBefore {
		found, err := a.Disputes.ReadDispute(ctx, id)
		if err != nil || found.Status != provider.DisputeOpen {
			return err
		}
	}
	var err error
	if *job.Dispute.Answer == order.AnswerAccept {
		_, err = a.Disputes.Accept(ctx, id, job.Key)
	} else {
		e := job.Evidence
		_, err = a.Disputes.Contest(ctx, id, job.Key, provider.Evidence{Product: e.Product, CustomerEmail: e.Email, ServiceDate: e.SentOn, Story: e.Story})
	}
	if err == nil || !stored(err) {
		return err
	}
	if found, lookup := a.Disputes.ReadDispute(ctx, id); lookup == nil && found.Status == provider.DisputeOpen {
		return firstOf(order.NextAnswer(ctx, a.DB, in.OrderID, in.Sequence), err)
	}
	return err
}
