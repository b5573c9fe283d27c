package models_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/correction"
	"github.com/tradepost/tradepost/models/customer"
	"github.com/tradepost/tradepost/models/execution"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/pricing"
	"github.com/tradepost/tradepost/models/reconciliation"
	"github.com/tradepost/tradepost/models/store"
)

// steps does the model's events as the activities, people and providers do them.
func (w *walker) steps() map[string]func() error {
	all := w.stepsOfCoin()
	maps.Copy(all, w.stepsOfMoney())
	maps.Copy(all, w.stepsOfPeople())
	maps.Copy(all, w.stepsOfReceipts())
	maps.Copy(all, w.stepsOfMarket())
	maps.Copy(all, w.stepsOfLess())
	for _, name := range []string{"no page", "captured after all", "custody asks", "custody approves", "reinstate", "moved here", "refund stuck",
		"lose", "unconfirmed", "buy unknown", "send unknown", "stuck", "address refused", "resend transfer", "list address", "time to pay passes", "choice lapses",
		"propose refund", "propose address", "propose sent", "propose dead", "propose less", "release"} {
		do := all[name]
		all[name] = func() error { // a workflow, or the model, does this only where it changes something
			if after, ok := w.at.apply(name); ok && after == w.at {
				return nil
			}
			return do()
		}
	}
	return all
}

func (w *walker) stepsOfCoin() map[string]func() error {
	ctx, id := w.Context(), w.order.ID
	known := w.actions(func(int) int { return 9 })
	steps := map[string]func() error{"reject transfer": known["reject"], "capture unknown": w.captures(func(ctx context.Context, orderID string, decisionID string) error {
		return order.CaptureUnknown(ctx, w.db, orderID, decisionID)
	}),
		"capture refused": w.captures(func(ctx context.Context, o, decision string) error {
			return order.CaptureRefused(ctx, w.db, o, decision, "card_declined")
		})}
	for _, name := range []string{"authorise", "process", "cancel", "lapse", "fulfill", "hold", "resume", "fail buy", "fail send", "start transfer", "cap", "broadcast", "confirm", "die", "retry", "mark this sent"} {
		steps[name] = known[name]
	}
	for name, reason := range map[string]string{"unconfirmed": casework.AttentionUnconfirmed, "buy unknown": casework.AttentionBuyUnknown, "send unknown": casework.AttentionSendUnknown, "stuck": casework.AttentionInternal} {
		steps[name] = func() error { return order.NeedPerson(ctx, w.db, id, reason, "", "") }
	}
	maps.Copy(steps, map[string]func() error{
		"start buy": func() error { _, err := order.StartBuy(ctx, w.db, id, 100, 20*time.Second); return err },
		"fill": func() error {
			return w.buying(func(n int) error {
				return w.fills(n, w.missingCoin())
			})
		},
		"resend buy": func() error {
			return w.buying(func(n int) error {
				if w.at.Status != "fulfilling" { // no purchase for it then
					return nil
				}
				_, err := order.ResendBuy(ctx, w.db, id, n, 20*time.Second)
				return err
			})
		},
		"no page":            func() error { return order.NeedPerson(ctx, w.db, id, order.AttentionCheckout, "", "") },
		"captured after all": func() error { return order.Captured(ctx, w.db, id, "", w.reading(true)) },
		"custody asks":       func() error { return w.transferIs(execution.TransferAwaiting) },
		"custody approves":   func() error { return w.transferIs(execution.TransferSigned) },
		"resend transfer":    func() error { _, err := order.MaySend(ctx, w.db, id); return err },
		"lose":               func() error { return w.transferIs(execution.TransferRemoved) },
		"address refused": func() error {
			job, err := order.CurrentTransfer(ctx, w.db, id)
			return errors.Join(err, order.TransferRefused(ctx, w.db, id, job.Withdrawal.Generation), order.NeedPerson(ctx, w.db, id, casework.AttentionAddress, "", ""))
		},
		"mark sent": func() error {
			return w.decided(order.DecisionMarkSent, order.SentEvidence{TxID: "by-hand-" + id}, func(decision string) error { return order.MarkSent(ctx, w.db, id, decision) })
		},
	})
	return steps
}

// buying does something to the exchange order that is open, if one is.
func (w *walker) buying(do func(generation int) error) error {
	var generation int
	err := w.db.Pool().QueryRow(w.Context(), "SELECT coalesce(max(generation), 0) FROM exchange_orders WHERE order_id = $1 AND done_at IS NULL", w.order.ID).Scan(&generation)
	if err != nil || generation == 0 {
		return err
	}
	return do(generation)
}

func (w *walker) transferIs(status string) error {
	job, err := order.CurrentTransfer(w.Context(), w.db, w.order.ID)
	if err != nil || job.Done {
		return err
	}
	_, err = order.RecordTransfer(w.Context(), w.db, w.order.ID, job.Withdrawal.Generation, execution.TransferReading{ID: "t" + job.Withdrawal.SequenceID, Status: status}, time.Now())
	return err
}

func (w *walker) stepsOfMoney() map[string]func() error {
	answer := func(kind string) func() error {
		return func() error {
			_, err := order.OpenAnswer(w.Context(), w.db, order.NewAnswer{OrderID: w.order.ID, Kind: kind, ActorID: w.staff, ActorRole: "admin", Reason: "as they wrote"})
			return err
		}
	}
	return map[string]func() error{
		"refund":          func() error { _, err := w.decide(order.DecisionRefund, nil); return err },
		"carry refund":    w.runRefund,
		"budget over":     w.budgetOver,
		"refund part":     w.partRefundWaits,
		"refund succeeds": func() error { return w.refundEnds(order.RefundSucceeded) },
		"refund fails":    func() error { return w.refundEnds(order.RefundFailed) },
		"refund bounces":  w.bounces,
		"refund stuck": func() error {
			return w.pendingRefund(func(r order.Refund) error { return order.RefundStuck(w.Context(), w.db, w.order.ID, r.Sequence) })
		},
		"refunded there": func() error { return w.refundedThere(func(int) int { return 10 }) },
		"dispute":        func() error { return w.disputes(func(left money.Units) money.Units { return left }) },
		"dispute part": func() error {
			return w.disputes(func(money.Units) money.Units { return money.FromInt(w.total() / int64(price)) })
		},
		"dispute whole":    w.disputesWhole,
		"funds reinstated": w.fundsReinstated,
		"contest":          answer(order.DecisionContest),
		"accept":           answer(order.DecisionAccept),
		"the bank looks": func() error {
			if w.at.Dispute != "open" {
				return nil
			}
			return w.dispute(order.DisputeUnderReview)
		},
		"dispute won":  func() error { return w.disputeEnds(order.DisputeWon) },
		"dispute lost": func() error { return w.disputeEnds(order.DisputeLost) },
	}
}

func (w *walker) stepsOfPeople() map[string]func() error {
	ctx, id := w.Context(), w.order.ID
	declined := func(kind string) func() error {
		return func() error {
			return w.decided(kind, nil, func(decision string) error {
				return order.EndUnpaid(ctx, w.db, id, order.Unpaid{How: order.ResolutionDeclined, DecisionID: decision})
			})
		}
	}
	return map[string]func() error{
		"decline":           declined(order.DecisionDecline),
		"reject order":      declined(order.DecisionReject),
		"pause":             func() error { return w.turnSwitch(true) },
		"take back pause":   func() error { return w.turnSwitch(false) },
		"withdraw identity": func() error { return w.identify("clock_now()") }, "verify again": func() error { return w.identify("NULL") },
		"freeze": w.freeze, "unfreeze": w.unfreeze,
		"go on": func() error { return order.GoOn(ctx, w.db, id, 100, surplusTerms) },
		"list address": func() error {
			w.exec(`INSERT INTO blocked_addresses (network, address_key, kind, source) VALUES ('bitcoin', $1, 'blocked', 'a walk')`, w.now().DestAddress)
			return nil
		},
		"release":  w.release,
		"price up": func() error { w.price(dear); return nil }, "price down": func() error { w.price(cheap); return nil },
		"keep trying": func() error {
			return w.decidedBy(w.user, order.DecisionKeepTrying, nil, func(decision string) error { return order.KeepTrying(ctx, w.db, id, decision, 100, patience) })
		},
		"try again": func() error {
			w.exec(`UPDATE orders SET try_next_at = clock_now() WHERE id = $1 AND kept_until IS NOT NULL`, id)
			return order.Expire(ctx, w.db, id, 100, patience)
		},
		"refund now":      func() error { _, err := w.decideAs(w.user, order.DecisionRefundNow, nil); return err },
		"choice lapses":   w.choiceLapses,
		"propose refund":  func() error { return w.proposes(order.DecisionRefund, nil) },
		"propose address": func() error { return w.proposes(order.DecisionAmendAddress, w.elsewhere()) },
		"propose sent":    func() error { return w.proposes(order.DecisionMarkSent, order.SentEvidence{TxID: "by-hand-" + id}) },
		"propose dead": func() error {
			return w.proposes(order.DecisionTransferDead, order.DeathEvidence{Seen: "its inputs were spent otherwise"})
		},
		"revive":  w.revives,
		"approve": w.approve,
		"reject proposal": func() error {
			return w.proposed(func(in order.ProposalAnswer) error { return order.RejectProposal(ctx, w.db, in) })
		},
	}
}

func (w *walker) stepsOfReceipts() map[string]func() error {
	ctx, id := w.Context(), w.order.ID
	return map[string]func() error{
		"time to pay passes": func() error {
			w.exec(`UPDATE orders SET payment_due_at = clock_now() WHERE id = $1`, id)
			return order.EndUnpaid(ctx, w.db, id, order.Unpaid{How: order.ResolutionExpired})
		},
		"receipt":             func() error { return w.comes(w.at.missing(), today()) },
		"receipt short":       func() error { return w.comes(1, today()) },
		"receipt over":        func() error { return w.comes(w.at.missing()+1, today()) },
		"receipt late":        func() error { return w.comes(w.at.missing(), "2026-11-20") },
		"requote":             w.requotesAsAgreed,
		"propose return":      func() error { return w.questions("return", false) },
		"propose part return": func() error { return w.questions("return", true) },
		"propose reversal":    func() error { return w.questions("reversal", false) },
		"propose move":        func() error { return w.questions("move", false) },
		"reinstate":           w.reinstates,
		"moved here":          w.movedHere,
		"money recalled":      w.recalls,
		"debt paid": func() error {
			_, owed := w.holds()
			_, err := Credit(ctx, w.db, w.user, store.NewID(), cents(owed))
			return err
		},
		"drop question": func() error {
			return w.questioned(func(proposal string) (correction.MoneyDone, error) {
				return correction.RejectMoney(ctx, w.db, proposal, as(w.staff))
			})
		},
		"approve question": func() error {
			return errors.Join(w.questioned(func(proposal string) (correction.MoneyDone, error) {
				return correction.ApproveMoney(ctx, w.db, proposal, as(w.second))
			}), w.fits())
		},
	}
}

// decideAs makes a decision as a given actor.
func (w *walker) decideAs(actor, kind string, data any) (string, error) {
	decision, err := order.OpenDecision(w.Context(), w.db, order.NewDecision{OrderID: w.order.ID, Kind: kind, ActorID: actor, ActorRole: "admin", Reason: "why not", Data: data})
	if err != nil {
		return "", err
	}
	return decision.ID, nil
}

// decided makes a decision and has it executed, as the order's workflow does.
func (w *walker) decided(kind string, data any, execute func(decision string) error) error {
	return w.decidedBy(w.staff, kind, data, execute)
}

func (w *walker) decidedBy(actor, kind string, data any, execute func(decision string) error) error {
	decision, err := w.decideAs(actor, kind, data)
	if err != nil {
		return err
	}
	return w.executed(decision, execute)
}

// executed has a decision executed; one that cannot be is resolved so.
func (w *walker) executed(decision string, execute func(decision string) error) error {
	err := execute(decision)
	if err != nil {
		err = errors.Join(err, order.RefuseDecision(w.Context(), w.db, decision, "refused"))
	}
	return err
}

// open is the decision that is open, if one is.
func (w *walker) open() (id string, err error) {
	err = w.db.Pool().QueryRow(w.Context(), "SELECT coalesce((SELECT id::text FROM decisions WHERE order_id = $1 AND settled_at IS NULL), '')", w.order.ID).Scan(&id)
	return id, err
}

// runRefund executes a decision to refund, until Stripe accepts it.
func (w *walker) runRefund() error {
	decision, err := w.open()
	if err != nil || !w.at.decided() {
		return err
	}
	return w.executed(decision, func(decision string) error {
		job, err := order.StartRefund(w.Context(), w.db, w.order.ID, decision)
		if err != nil || job.Done {
			return err
		}
		return order.RecordRefund(w.Context(), w.db, w.order.ID, job.Refund.Sequence, fmt.Sprintf("re_%s_%d", w.order.ID, job.Refund.Sequence), order.RefundPending, decision)
	})
}

// budgetOver is that a refund is still in progress at Stripe when its budget is over.
func (w *walker) budgetOver() error {
	decision, err := w.open()
	if err != nil || w.at.Deciding != "carried" {
		return err
	}
	return order.NeedPerson(w.Context(), w.db, w.order.ID, order.AttentionRefundFailed, decision, "")
}

// partRefundWaits is a refund of a quarter, still in progress at Stripe.
func (w *walker) partRefundWaits() error {
	quarter, err := w.aQuarter()
	if err != nil {
		return err
	}
	row, err := w.part(quarter)
	if err != nil {
		return err
	}
	return w.requests(row)
}

// requests requests a refund at Stripe, which keeps it in progress.
func (w *walker) requests(row *order.Refund) error {
	if row.DoneAt != nil {
		return nil
	}
	if _, err := order.StartGiveBack(w.Context(), w.db, row.OrderID, row.Sequence); err != nil {
		return err
	}
	id := fmt.Sprintf("re_%s_%d", row.OrderID, row.Sequence)
	return order.RecordRefund(w.Context(), w.db, row.OrderID, row.Sequence, id, order.RefundPending, "")
}

// refundEnds is Stripe's final state of the refund in progress, for any reader.
func (w *walker) refundEnds(status string) error {
	return w.pendingRefund(func(r order.Refund) (err error) {
		decision := ""
		if w.at.Deciding == "carried" {
			decision, err = w.open()
		}
		if err == nil && (r.Carrier == "own" || decision != "") {
			return order.RecordRefund(w.Context(), w.db, w.order.ID, r.Sequence, *r.ProviderID, status, decision)
		}
		if err == nil {
			_, err = order.LearnRefund(w.Context(), w.db, w.order.ID, r.Sequence, *r.ProviderID, status)
		}
		return err
	})
}

// pendingRefund does something to the refund that is in progress, if one is.
func (w *walker) pendingRefund(do func(r order.Refund) error) error {
	rows, err := order.OrderRefunds(w.Context(), w.db, w.order.ID)
	if i := slices.IndexFunc(rows, func(r order.Refund) bool { return r.DoneAt == nil }); err == nil && i >= 0 {
		return do(rows[i])
	}
	return err
}

// bounces has the card's bank send the last refund back.
func (w *walker) bounces() error {
	if w.at.Last == 0 {
		return nil
	}
	rows, err := order.OrderRefunds(w.Context(), w.db, w.order.ID)
	if err != nil {
		return err
	}
	rows = slices.DeleteFunc(rows, func(r order.Refund) bool {
		return r.Origin != "ours" || r.Status != order.RefundSucceeded || r.ProviderID == nil
	})
	last := rows[len(rows)-1]
	_, err = order.LearnRefund(w.Context(), w.db, w.order.ID, last.Sequence, *last.ProviderID, order.RefundFailed)
	return err
}

func (w *walker) disputeEnds(status string) error {
	disputes, err := order.Disputes(w.Context(), w.db, w.order.ID)
	if err != nil || len(disputes) == 0 || disputes[len(disputes)-1].ClosedAt != nil {
		return err
	}
	return w.dispute(status)
}

// turnSwitch pauses all deliveries or resumes them; where they stand so, nothing changes.
func (w *walker) turnSwitch(paused bool) error {
	if err := w.turned(paused); store.CodeOf(err) != store.CodeConflict {
		return err
	}
	return nil
}

func (w *walker) freeze() error {
	if w.at.Frozen {
		return nil
	}
	return customer.FreezeCustomer(w.Context(), w.db, account.StaffAction{CustomerID: w.user, ActorID: w.staff, ActorRole: "admin", Reason: "a letter"})
}

// unfreeze lifts the freeze, and continues what it blocked.
func (w *walker) unfreeze() error {
	if !w.at.Frozen {
		return nil
	}
	parked, err := customer.UnfreezeCustomer(w.Context(), w.db, account.StaffAction{CustomerID: w.user, ActorID: w.staff, ActorRole: "admin", Reason: "a mistake"})
	if err != nil || len(parked) == 0 {
		return err
	}
	return w.executed(parked[0].DecisionID, w.retries)
}

func (w *walker) retries(decision string) error {
	if w.now().Status == order.StatusPaymentApproved {
		return order.Reserve(w.Context(), w.db, w.order.ID, decision, 100)
	}
	return order.RetryStep(w.Context(), w.db, w.order.ID, decision)
}

// release has compliance release the order, and continues what the review blocked.
func (w *walker) release() error {
	var review string
	err := w.db.Pool().QueryRow(w.Context(), "SELECT id::text FROM risk_reviews WHERE order_id = $1 AND closed_at IS NULL", w.order.ID).Scan(&review)
	if err != nil {
		return err
	}
	out, err := customer.ReleaseReview(w.Context(), w.db, review, store.Actor{ActorID: w.staff, ActorRole: "compliance", Reason: "a namesake"}, plenty)
	if err != nil || out.Parked == nil {
		return err
	}
	return w.executed(out.Parked.DecisionID, w.retries)
}

// choiceLapses is that the customer has a choice, and does not answer in time.
func (w *walker) choiceLapses() error {
	w.exec(`UPDATE orders SET kept_until = clock_now(), try_next_at = NULL WHERE id = $1 AND kept_until IS NOT NULL`, w.order.ID)
	if err := order.OfferChoice(w.Context(), w.db, w.order.ID, patience); err != nil {
		return err
	}
	w.exec(`UPDATE orders SET choice_due_at = clock_now() WHERE id = $1 AND choice_due_at IS NOT NULL`, w.order.ID)
	return order.Expire(w.Context(), w.db, w.order.ID, 100, patience)
}

// elsewhere is another address.
func (w *walker) elsewhere() order.AmendedAddress {
	to := "bc1q" + store.NewID()
	return order.AmendedAddress{Address: to, AddressKey: to}
}

func (w *walker) proposes(kind string, data any) error {
	_, err := order.Propose(w.Context(), w.db, order.NewProposal{OrderID: w.order.ID, Kind: kind, Data: data, ActorID: w.staff, ActorRole: "admin", Reason: "they ask for it"})
	return err
}

// proposed answers the open proposal, if there is one, as a second person.
func (w *walker) proposed(answer func(in order.ProposalAnswer) error) error {
	rows, err := order.OrderProposals(w.Context(), w.db, w.order.ID)
	i := slices.IndexFunc(rows, func(p order.KnownProposal) bool { return p.Status == casework.ProposalOpen })
	if err != nil || i < 0 {
		return err
	}
	return answer(order.ProposalAnswer{OrderID: w.order.ID, ID: rows[i].ID, Kinds: []string{rows[i].Kind}, ActorID: w.second, ActorRole: "admin", Reason: "seen"})
}

// approve approves the proposal, and has it executed. A refund is a decision from then on.
func (w *walker) approve() error {
	return w.proposed(func(in order.ProposalAnswer) error {
		made, err := order.ApproveProposal(w.Context(), w.db, in)
		if err != nil || in.Kinds[0] == order.DecisionRefund {
			return err
		}
		execute := map[string]func(ctx context.Context, order, decision string) error{order.DecisionMarkSent: func(ctx context.Context, orderID string, decisionID string) error {
			return order.MarkSent(ctx, w.db, orderID, decisionID)
		}, order.DecisionAmendAddress: func(ctx context.Context, orderID string, decisionID string) error {
			return order.AmendAddress(ctx, w.db, orderID, decisionID)
		},
			order.DecisionTransferDead: func(ctx context.Context, o, decision string) error {
				return order.DeclareDead(ctx, w.db, o, decision, execution.TransferReading{Status: execution.TransferRemoved})
			}}[in.Kinds[0]]
		return w.executed(made.Decision.ID, func(decision string) error { return execute(w.Context(), w.order.ID, decision) })
	})
}

// revives has custody's statement show that the transfer which was declared dead has
// confirmed.
func (w *walker) revives() error {
	transfers, err := execution.OrderWithdrawals(w.Context(), w.db, w.order.ID)
	i := slices.IndexFunc(transfers, func(t execution.Withdrawal) bool { return t.Status == execution.TransferDead })
	if err != nil || i < 0 {
		return err
	}
	return errors.Join(w.confirmedLate(&transfers[i], "late-"+transfers[i].SequenceID), correction.BookRevived(w.Context(), w.db))
}

// confirmedLate stores a statement by which a transfer has confirmed.
func (d *cashFixture) confirmedLate(t *execution.Withdrawal, txid string) error {
	now := time.Now()
	_, err := reconciliation.TakeStatement(d.Context(), d.db, ledger.ProviderBitGo, reconciliation.Window{From: now, To: now}, []reconciliation.StatementLine{{ID: "t" + t.SequenceID, Kind: "transfer",
		Key: "transfer:" + t.SequenceID, At: now, State: "confirmed", Settled: true, Network: t.Network, Ours: t.SequenceID, TxID: txid, Moved: map[money.Currency]money.Units{t.Asset: t.Amount.Neg()}}})
	return err
}

// comes confirms that so many quarters came.
func (w *walker) comes(n quarters, day string) error {
	if w.at.Receipts[1].Amount > 0 || w.at.came()+n > most { // more, the model does not have
		return nil
	}
	amount, err := w.amountOf(n)
	if err != nil {
		return err
	}
	receipt := order.Receipt{Amount: amount, ReceivedOn: day, BankReference: w.reference()}
	decision, err := order.OpenDecision(w.Context(), w.db, order.NewDecision{OrderID: w.order.ID, Kind: order.DecisionConfirmReceipt, ActorID: w.cashier, ActorRole: "finance", Data: receipt})
	if err != nil {
		return err
	}
	return w.executed(decision.ID, func(decision string) error {
		return order.ConfirmReceipt(w.Context(), w.db, w.order.ID, decision, surplusTerms)
	})
}

// amountOf is so many quarters that come. What completes the price is exactly what is
// missing, to the cent.
func (w *walker) amountOf(n quarters) (money.Units, error) {
	waiting, err := order.Unallocated(w.Context(), w.db, w.order.ID)
	if w.at.Waiting+n == w.at.Price {
		return w.now().Total.Sub(waiting), err
	}
	return money.FromInt(w.total() * int64(w.at.Waiting+n) / int64(price)).Sub(waiting), err
}

// requotesAsAgreed accepts what came at the price of the first day.
func (w *walker) requotesAsAgreed() error {
	w.price(cheap)
	quote, err := order.QuoteAgain(w.Context(), pricing.NewQuoter(w.db, []byte("a key of at least thirty-two bytes")), w.now())
	if err == nil {
		err = w.decidedBy(w.user, order.DecisionRequote, order.Requoted{Quote: quote}, func(decision string) error {
			return order.Requote(w.Context(), w.db, w.order.ID, decision, surplusTerms)
		})
	}
	if err != nil && w.at.Dear {
		w.price(dear)
	}
	return err
}
