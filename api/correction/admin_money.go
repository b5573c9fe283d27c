package correction

import (
	"context"
	"io"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	caseworkapi "github.com/tradepost/tradepost/api/casework"
	payoutapi "github.com/tradepost/tradepost/api/payout"
	"github.com/tradepost/tradepost/api/policy"
	"github.com/tradepost/tradepost/api/rest"
	voucherapi "github.com/tradepost/tradepost/api/voucher"
	"github.com/tradepost/tradepost/internal/bucket"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/correction"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/voucher"
)

type listUnplacedInput struct {
	rest.Paging
	Status string `query:"status" enum:"all,open,placed,credited,sent_back" default:"open"`
}

// ListUnplaced lists unplaced money: what is open oldest first.
func (h *Handlers) ListUnplaced(ctx context.Context, in *listUnplacedInput) (*rest.Page[UnplacedMoney], error) {
	wanted, err := in.Page()
	if err != nil {
		return nil, err
	}
	status := order.UnplacedStatus(rest.UnlessAll(in.Status))
	wanted.OldestFirst = status == order.UnplacedOpen
	rows, next, err := correction.UnplacedList(ctx, h.DB, status, wanted)
	if err != nil {
		return nil, err
	}
	total, err := correction.CountUnplaced(ctx, h.DB, status)
	if err != nil {
		return nil, err
	}
	who := rest.PrincipalOf(ctx)
	return &rest.Page[UnplacedMoney]{Link: rest.LinkTo(ctx, next, wanted.Limit), Total: total,
		Body: rest.Mapped(rows, func(u *correction.KnownUnplaced) UnplacedMoney { return h.unplacedView(u, who) })}, nil
}

// GetUnplaced answers GET /api/admin/money/unplaced/{id}.
func (h *Handlers) GetUnplaced(ctx context.Context, in *rest.ObjectID) (*rest.Body[UnplacedMoney], error) {
	row, err := correction.Unplaced(ctx, h.DB, in.ID)
	if err != nil {
		return nil, err
	}
	return &rest.Body[UnplacedMoney]{Body: h.unplacedView(row, rest.PrincipalOf(ctx))}, nil
}

func (h *Handlers) unplacedView(u *correction.KnownUnplaced, who *account.Principal) UnplacedMoney {
	view := UnplacedMoney{ID: u.ID, Amount: money.USD.Format(u.Amount), BankReference: u.BankReference, ReceivedOn: u.ReceivedOn.Format("2006-01-02"), Rail: u.Rail, Sender: u.Sender,
		Note: u.Note, Status: string(u.Status), BeingPlaced: u.BeingPlaced, OpenedBy: u.Opener, FromOrderID: u.FromOrderID, FromReference: u.FromReference, OrderID: u.OrderID,
		OrderReference: u.OrderReference, CustomerID: u.UserID, CustomerEmail: u.CustomerEmail, SentReference: u.SentReference, CreatedAt: u.CreatedAt, ClosedAt: u.ClosedAt,
		Returnable: money.USD.Format(u.Returnable()), Returns: rest.Mapped(u.Recalls, recallView),
		Restored: u.RestoredAt != nil, Actions: []string{}}
	if u.ProposalID != nil {
		view.Proposal = &payoutapi.OpenMoneyProposal{ID: *u.ProposalID, Kind: u.ProposalKind, Reason: u.ProposalReason, By: u.Proposer}
	}
	switch {
	case u.BeingPlaced || !h.Policy.Allows(who.Roles, policy.DecidePayments):
	case u.ProposalID != nil:
		view.Actions = h.moneyActions(u.ProposalBy, who)
	case !u.Returnable().IsZero():
		view.Actions = []string{"recall"}
	case u.Status != order.UnplacedOpen:
	case u.Surplus:
		view.Actions = []string{"send_back"}
	default:
		view.Actions = []string{"place", "credit", "send_back"}
	}
	return view
}

func recallView(r *order.Recall) MoneyRecall {
	return MoneyRecall{ID: r.ID, Reference: r.Reference, Amount: money.USD.Format(r.Amount), Owed: money.USD.Format(r.Owed),
		BankReference: r.BankReference, ReturnedOn: r.ReturnedOn.Format("2006-01-02"), Code: r.Code, At: r.CreatedAt, ReinstatedAt: r.ReinstatedAt}
}

// moneyActions lists what the principal may do with an open proposal.
func (h *Handlers) moneyActions(proposedBy string, who *account.Principal) []string {
	switch {
	case !h.Policy.Allows(who.Roles, policy.DecidePayments):
		return []string{}
	case proposedBy == who.UserID:
		return []string{"withdraw"}
	}
	return []string{"approve", "reject"}
}

type newUnplacedInput struct{ Body NewUnplacedMoney }

// OpenUnplaced answers POST /api/admin/money/unplaced.
func (h *Handlers) OpenUnplaced(ctx context.Context, in *newUnplacedInput) (*rest.Body[UnplacedMoney], error) {
	amount, err := dollarsOf(in.Body.Amount)
	if err != nil {
		return nil, err
	}
	row, err := correction.OpenUnplaced(ctx, h.DB, correction.NewUnplaced{Amount: amount, BankReference: in.Body.BankReference, ReceivedOn: in.Body.ReceivedOn, Rail: in.Body.Rail,
		Sender: in.Body.Sender, Note: in.Body.Note}, rest.By(ctx, in.Body.Note))
	if err != nil {
		return nil, err
	}
	return h.GetUnplaced(ctx, &rest.ObjectID{ID: row.ID})
}

// dollarsOf reads an amount above zero.
func dollarsOf(typed string) (money.Units, error) {
	amount, err := money.USD.Parse(typed)
	if err != nil || amount.Sign() <= 0 {
		return money.Units{}, store.Invalid("amount", "invalid_amount", "Enter an amount above zero")
	}
	return amount, nil
}

type placementInput struct {
	rest.ObjectID
	Body MoneyPlacement
}

// PlaceMoney answers POST /api/admin/money/unplaced/{id}/place.
func (h *Handlers) PlaceMoney(ctx context.Context, in *placementInput) (*rest.Body[MoneyProposed], error) {
	order, err := correction.OrderNamed(ctx, h.DB, "order", in.Body.Order)
	if err != nil {
		return nil, err
	}
	act := &correction.PlaceMoney{MoneyID: in.ID, OrderID: order, Statement: in.Body.Statement}
	return h.proposeMoney(ctx, act, "", in.Body.Reason)
}

type creditInput struct {
	rest.ObjectID
	Body MoneyCredit
}

// CreditMoney answers POST /api/admin/money/unplaced/{id}/credit.
func (h *Handlers) CreditMoney(ctx context.Context, in *creditInput) (*rest.Body[MoneyProposed], error) {
	customer, err := correction.CustomerNamed(ctx, h.DB, "customer", in.Body.Customer)
	if err != nil {
		return nil, err
	}
	act := &correction.CreditMoney{MoneyID: in.ID, UserID: customer, Statement: in.Body.Statement}
	return h.proposeMoney(ctx, act, "", in.Body.Reason)
}

type sentBackInput struct {
	rest.ObjectID
	Body MoneySentBack
}

// SendBackMoney answers POST /api/admin/money/unplaced/{id}/send-back.
func (h *Handlers) SendBackMoney(ctx context.Context, in *sentBackInput) (*rest.Body[MoneyProposed], error) {
	return h.proposeMoney(ctx, &correction.SendBackMoney{MoneyID: in.ID, BankReference: in.Body.BankReference, SentOn: in.Body.SentOn}, "", in.Body.Reason)
}

// RecallMoney proposes to book that the bank took back credited money.
func (h *Handlers) RecallMoney(ctx context.Context, in *returnedInput) (*rest.Body[MoneyProposed], error) {
	amount, err := dollarsOf(in.Body.Amount)
	if err != nil {
		return nil, err
	}
	act := &correction.RecallMoney{MoneyID: in.ID, Amount: amount, BankReference: in.Body.BankReference,
		ReturnedOn: in.Body.ReturnedOn, Code: in.Body.Code}
	return h.proposeMoney(ctx, act, "", in.Body.Reason)
}

type reversalInput struct {
	rest.ObjectID
	Body ReceiptReversal
}

// ReverseReceipt answers POST /api/admin/money/receipts/{id}/reverse.
func (h *Handlers) ReverseReceipt(ctx context.Context, in *reversalInput) (*rest.Body[MoneyProposed], error) {
	act := &correction.ReverseReceipt{ReceiptID: in.ID, Kept: in.Body.Kept}
	if in.Body.Order != "" {
		var err error
		if act.OrderID, err = correction.OrderNamed(ctx, h.DB, "order", in.Body.Order); err != nil {
			return nil, err
		}
	}
	return h.proposeMoney(ctx, act, "", in.Body.Reason)
}

type returnedInput struct {
	rest.ObjectID
	Body ReturnedMoney
}

// ReturnReceipt answers POST /api/admin/money/receipts/{id}/return.
func (h *Handlers) ReturnReceipt(ctx context.Context, in *returnedInput) (*rest.Body[MoneyProposed], error) {
	amount, err := dollarsOf(in.Body.Amount)
	if err != nil {
		return nil, err
	}
	return h.proposeMoney(ctx, &correction.BankReturn{ReceiptID: in.ID, Amount: amount, BankReference: in.Body.BankReference, ReturnedOn: in.Body.ReturnedOn, Code: in.Body.Code}, "", in.Body.Reason)
}

type reinstatedInput struct {
	rest.ObjectID
	Body ReinstatedMoney
}

// ReinstateReturn answers POST /api/admin/money/returns/{id}/reinstate.
func (h *Handlers) ReinstateReturn(ctx context.Context, in *reinstatedInput) (*rest.Body[MoneyProposed], error) {
	return h.proposeMoney(ctx, &correction.ReinstateReturn{ReturnID: in.ID, BankReference: in.Body.BankReference, ReinstatedOn: in.Body.ReinstatedOn}, "", in.Body.Reason)
}

type cardClaimInput struct {
	rest.ObjectID
	Body NewGiftCardClaim
}

// ClaimGiftCard answers POST /api/admin/money/gift-cards/{id}/claim.
func (h *Handlers) ClaimGiftCard(ctx context.Context, in *cardClaimInput) (*rest.Body[MoneyProposed], error) {
	amount, err := dollarsOf(in.Body.Amount)
	if err != nil {
		return nil, err
	}
	taken, err := dollarsIf("takenBack", in.Body.TakenBack)
	if err != nil {
		return nil, err
	}
	act := &correction.ClaimCard{CardID: in.ID, Amount: amount, TakenBack: taken,
		BankReference: in.Body.BankReference, Said: in.Body.Reason}
	return h.proposeMoney(ctx, act, "", in.Body.Reason)
}

type claimReversalInput struct {
	rest.ObjectID
	Body GiftCardClaimReversal
}

// ReverseGiftCardClaim answers POST /api/admin/money/gift-cards/{id}/reverse-claim.
func (h *Handlers) ReverseGiftCardClaim(ctx context.Context, in *claimReversalInput,
) (*rest.Body[MoneyProposed], error) {
	again, err := dollarsIf("paidAgain", in.Body.PaidAgain)
	if err != nil {
		return nil, err
	}
	act := &correction.ReverseCardClaim{CardID: in.ID, Returned: again,
		BankReference: in.Body.BankReference, Said: in.Body.Reason}
	return h.proposeMoney(ctx, act, "", in.Body.Reason)
}

// dollarsIf reads an amount that may be empty, which is zero.
func dollarsIf(field, typed string) (money.Units, error) {
	if typed == "" {
		return money.Units{}, nil
	}
	amount, err := money.USD.Parse(typed)
	if err != nil || amount.Sign() < 0 {
		return money.Units{}, store.Invalid(field, "invalid_amount", "Enter an amount, or leave this empty")
	}
	return amount, nil
}

// dollarsUnlessZero formats an amount in cents; zero is empty.
func dollarsUnlessZero(amount money.Units) string {
	if amount.IsZero() {
		return ""
	}
	return money.USD.Format(amount)
}

type journalInput struct{ Body JournalEntry }

// ProposeJournal answers POST /api/admin/money/journal.
func (h *Handlers) ProposeJournal(ctx context.Context, in *journalInput) (*rest.Body[MoneyProposed], error) {
	act := &correction.Journal{}
	for _, line := range in.Body.Lines {
		currency := money.Currency(line.Currency)
		amount, err := currency.Parse(line.Amount)
		if err != nil || amount.Sign() <= 0 {
			return nil, store.Invalid("lines", "invalid_amount", "Enter an amount above zero in each line")
		}
		act.Lines = append(act.Lines, correction.JournalLine{From: line.From, To: line.To, Currency: currency, Amount: amount})
	}
	return h.proposeMoney(ctx, act, in.Body.DocumentID, in.Body.Reason)
}

// proposeMoney writes a proposal that a second person has to approve; nothing moves.
func (h *Handlers) proposeMoney(ctx context.Context, act correction.MoneyAct, documentID, reason string) (*rest.Body[MoneyProposed], error) {
	row, err := correction.ProposeMoney(ctx, h.DB, act, documentID, rest.By(ctx, reason))
	if err != nil {
		return nil, err
	}
	if row.OrderID != nil {
		h.SignalOrders(ctx, []string{*row.OrderID})
	}
	return &rest.Body[MoneyProposed]{Body: MoneyProposed{ID: row.ID}}, nil
}

type moneyDecisionInput struct {
	rest.ObjectID
	Body MoneyApproval
}

// ApproveMoney executes what another person has proposed.
func (h *Handlers) ApproveMoney(ctx context.Context, in *moneyDecisionInput) (*rest.Body[MoneyDecided], error) {
	if err := h.RequireFreshCode(ctx); err != nil {
		return nil, err
	}
	made, err := correction.ApproveMoney(ctx, h.DB, in.ID, rest.Approver(ctx, in.Body.Reason, in.Body.Version))
	if err != nil {
		return nil, err
	}
	h.SignalOrders(ctx, made.Orders)
	if made.Card != "" { // a workflow that is not told ends with its next timer, since its row is closed
		if err := h.Cards.SignalGiftCard(ctx, made.Card, "claimed"); err != nil {
			h.Log.WarnContext(ctx, "gift card workflow not signaled about its claim", "card", made.Card, "error", err)
		}
	}
	answer := &caseworkapi.Decided{Status: http.StatusOK}
	switch {
	case made.Decision != nil:
		answer, err = h.ExecuteDecision(ctx, made.Decision, "")
	case made.Matter != nil && made.Matter.Matter == voucher.KindVoucher:
		answer, err = h.Execute(ctx, made.Matter, voucherapi.VoucherOutcomes, "")
	case made.Matter != nil:
		answer, err = h.Execute(ctx, made.Matter, payoutapi.PayoutOutcomes, "")
	}
	if err != nil {
		return nil, err
	}
	return &rest.Body[MoneyDecided]{Body: MoneyDecided{Done: answer.Status == http.StatusOK}}, nil
}

type moneyRejectionInput struct {
	rest.ObjectID
	Body caseworkapi.Rejection
}

// RejectMoney ends a proposal; its proposer withdraws it by the same call.
func (h *Handlers) RejectMoney(ctx context.Context, in *moneyRejectionInput) (*rest.Body[MoneyDecided], error) {
	if _, err := correction.RejectMoney(ctx, h.DB, in.ID, rest.By(ctx, in.Body.Reason)); err != nil {
		return nil, err
	}
	return &rest.Body[MoneyDecided]{Body: MoneyDecided{Done: true}}, nil
}

type listMoneyProposalsInput struct {
	rest.Paging
	Status string `query:"status" enum:"all,open" default:"open"`
	Kind   string `query:"kind" enum:"all,journal" default:"all"`
	Order  string `query:"order" maxLength:"36" doc:"of one order, by its id"`
}

// ListMoneyProposals answers GET /api/admin/money/proposals.
func (h *Handlers) ListMoneyProposals(ctx context.Context, in *listMoneyProposalsInput) (*rest.Page[MoneyProposal], error) {
	wanted, err := in.Page()
	if err != nil {
		return nil, err
	}
	filter := correction.MoneyProposalFilter{Open: in.Status == "open"}
	if in.Kind == "journal" {
		filter.Kinds = []string{in.Kind}
	}
	if in.Order != "" {
		if filter.OrderID = in.Order; !store.IsID(in.Order) {
			return nil, store.Invalid("order", "bad_id", "Enter an order ID")
		}
	}
	rows, next, err := correction.MoneyProposals(ctx, h.DB, filter, wanted)
	if err != nil {
		return nil, err
	}
	total, err := correction.CountMoneyProposals(ctx, h.DB, filter)
	if err != nil {
		return nil, err
	}
	who := rest.PrincipalOf(ctx)
	return &rest.Page[MoneyProposal]{Link: rest.LinkTo(ctx, next, wanted.Limit), Total: total,
		Body: rest.Mapped(rows, func(p *correction.KnownMoneyProposal) MoneyProposal { return h.moneyProposalView(p, who) })}, nil
}

func (h *Handlers) moneyProposalView(p *correction.KnownMoneyProposal, who *account.Principal) MoneyProposal {
	view := MoneyProposal{ID: p.ID, Kind: MoneyProposalKind(p.Kind), OrderID: p.OrderID, Reference: p.Reference, DocumentID: p.DocumentID, Reason: p.Reason, Proposer: p.Proposer,
		CreatedAt: p.CreatedAt, Status: string(p.Status), Decider: p.Decider, DecidedAt: p.DecidedAt, Answer: p.Answer, Actions: []string{}}
	if p.Status == casework.ProposalOpen {
		view.Actions = h.moneyActions(p.ProposedBy, who)
	}
	if act, err := p.Act(); err == nil {
		view.Act = moneyActView(act)
	}
	return view
}

// moneyActView shows what a proposal about money would do.
func moneyActView(act correction.MoneyAct) (view MoneyAct) {
	switch a := act.(type) {
	case *correction.ReverseReceipt:
		view = MoneyAct{ReceiptID: a.ReceiptID, Kept: a.Kept || a.OrderID != "", OrderID: a.OrderID}
	case *correction.BankReturn:
		view = MoneyAct{ReceiptID: a.ReceiptID, Amount: money.USD.Format(a.Amount), BankReference: a.BankReference, On: a.ReturnedOn, Code: a.Code}
	case *correction.ReinstateReturn:
		view = MoneyAct{ReturnID: a.ReturnID, BankReference: a.BankReference, On: a.ReinstatedOn}
	case *correction.PlaceMoney:
		view = MoneyAct{MoneyID: a.MoneyID, OrderID: a.OrderID, Statement: a.Statement}
	case *correction.CreditMoney:
		view = MoneyAct{MoneyID: a.MoneyID, CustomerID: a.UserID, Statement: a.Statement}
	case *correction.RecallMoney:
		view = MoneyAct{MoneyID: a.MoneyID, Amount: money.USD.Format(a.Amount), BankReference: a.BankReference,
			On: a.ReturnedOn, Code: a.Code}
	case *correction.SendBackMoney:
		view = MoneyAct{MoneyID: a.MoneyID, BankReference: a.BankReference, On: a.SentOn}
	case *correction.ReturnPayout:
		view = MoneyAct{PayoutID: a.PayoutID}
		if a.Returned != nil {
			view.Amount = money.USD.Format(*a.Returned)
		}
	case *correction.VoucherTransfer:
		view = MoneyAct{RedemptionID: a.RedemptionID, Evidence: a.Seen}
	case *correction.ClaimCard:
		view = MoneyAct{CardID: a.CardID, Amount: money.USD.Format(a.Amount),
			TakenBack: dollarsUnlessZero(a.TakenBack), BankReference: a.BankReference}
	case *correction.ReverseCardClaim:
		view = MoneyAct{CardID: a.CardID, PaidAgain: dollarsUnlessZero(a.Returned), BankReference: a.BankReference}
	case *correction.Journal:
		view.Lines = rest.Mapped(a.Lines, func(l *correction.JournalLine) JournalEntryLine {
			return JournalEntryLine{From: l.From, To: l.To, Currency: rest.Currency(l.Currency), Amount: l.Currency.Format(l.Amount)}
		})
	}
	return view
}

// GetMoneySummary answers GET /api/admin/money.
func (h *Handlers) GetMoneySummary(ctx context.Context, _ *rest.Nothing) (*rest.Body[MoneySummary], error) {
	n, err := correction.CountMoneyWaiting(ctx, h.DB)
	if err != nil {
		return nil, err
	}
	return &rest.Body[MoneySummary]{Body: MoneySummary{Unplaced: n.Unplaced, Proposals: n.Proposals}}, nil
}

type documentForm struct {
	File huma.FormFile `form:"file" contentType:"image/jpeg,image/png" required:"true"`
}

type documentInput struct {
	RawBody huma.MultipartFormFiles[documentForm]
}

// AddMoneyDocument keeps a picture of a document, re-encoded.
func (h *Handlers) AddMoneyDocument(ctx context.Context, in *documentInput) (*rest.Body[MoneyDocument], error) {
	raw, err := io.ReadAll(io.LimitReader(in.RawBody.Data().File, rest.MaxUpload+1))
	if err != nil {
		return nil, rest.FieldProblem("file", "unreadable", "We can't read this file. Choose another one.")
	}
	clean, contentType, err := rest.Redraw(ctx, raw)
	if err != nil {
		return nil, err
	}
	file := correction.MoneyDocument{FileKey: bucket.NewName(), ContentType: contentType, Size: len(clean), AddedBy: rest.PrincipalOf(ctx).UserID}
	if file.SealedWith, err = h.sealed().Write(ctx, file.File(), clean); err != nil {
		return nil, err
	}
	row, err := correction.AddMoneyDocument(ctx, h.DB, file)
	if err != nil {
		return nil, err
	}
	return &rest.Body[MoneyDocument]{Body: MoneyDocument{ID: row.ID}}, nil
}

// GetMoneyDocument answers GET /api/admin/money/documents/{id}.
func (h *Handlers) GetMoneyDocument(ctx context.Context, in *rest.ObjectID) (*rest.FileAnswer, error) {
	row, err := correction.ReadMoneyDocument(ctx, h.DB, in.ID)
	if err != nil {
		return nil, err
	}
	return h.sealed().Answer(ctx, row.File(), row.ContentType)
}

func (h *Handlers) sealed() rest.Sealed {
	return rest.Sealed{Files: h.Files, Vault: h.Vault, Log: h.Log}
}

// SealDocuments seals pictures of documents with the current key.
func (h *Handlers) SealDocuments(ctx context.Context) error {
	return h.sealed().Reseal(ctx, h.DB, correction.MoneyDocumentFiles)
}
