package api

import (
	"context"
	"io"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"

	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/casework"
	"github.com/tradepost/tradepost/models/correction"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/order"
	"github.com/tradepost/tradepost/models/store"
	"github.com/tradepost/tradepost/models/voucher"
	"github.com/tradepost/tradepost/workflows"
)

type listUnplacedInput struct {
	Paging
	Status string `query:"status" enum:"all,open,placed,credited,sent_back" default:"open"`
}

// listUnplaced lists unplaced money: what is open oldest first.
func (s *Server) listUnplaced(ctx context.Context, in *listUnplacedInput) (*page[UnplacedMoney], error) {
	wanted, err := in.page()
	if err != nil {
		return nil, err
	}
	status := order.UnplacedStatus(unlessAll(in.Status))
	wanted.OldestFirst = status == order.UnplacedOpen
	rows, next, err := correction.UnplacedList(ctx, s.DB, status, wanted)
	if err != nil {
		return nil, err
	}
	total, err := correction.CountUnplaced(ctx, s.DB, status)
	if err != nil {
		return nil, err
	}
	who := principalOf(ctx)
	return &page[UnplacedMoney]{Link: linkTo(ctx, next, wanted.Limit), Total: total,
		Body: mapped(rows, func(u *correction.KnownUnplaced) UnplacedMoney { return s.unplacedView(u, who) })}, nil
}

func (s *Server) getUnplaced(ctx context.Context, in *ObjectID) (*body[UnplacedMoney], error) {
	row, err := correction.Unplaced(ctx, s.DB, in.ID)
	if err != nil {
		return nil, err
	}
	return &body[UnplacedMoney]{s.unplacedView(row, principalOf(ctx))}, nil
}

func (s *Server) unplacedView(u *correction.KnownUnplaced, who *account.Principal) UnplacedMoney {
	view := UnplacedMoney{ID: u.ID, Amount: money.USD.Format(u.Amount), BankReference: u.BankReference, ReceivedOn: u.ReceivedOn.Format("2006-01-02"), Rail: u.Rail, Sender: u.Sender,
		Note: u.Note, Status: string(u.Status), BeingPlaced: u.BeingPlaced, OpenedBy: u.Opener, FromOrderID: u.FromOrderID, FromReference: u.FromReference, OrderID: u.OrderID,
		OrderReference: u.OrderReference, CustomerID: u.UserID, CustomerEmail: u.CustomerEmail, SentReference: u.SentReference, CreatedAt: u.CreatedAt, ClosedAt: u.ClosedAt,
		Actions: []string{}}
	if u.ProposalID != nil {
		view.Proposal = &OpenMoneyProposal{ID: *u.ProposalID, Kind: u.ProposalKind, Reason: u.ProposalReason, By: u.Proposer}
	}
	switch {
	case u.Status != order.UnplacedOpen || u.BeingPlaced || !s.policy.allows(who.Roles, decidePayments):
	case u.ProposalID != nil:
		view.Actions = s.moneyActions(u.ProposalBy, who)
	default:
		view.Actions = []string{"place", "credit", "send_back"}
	}
	return view
}

// moneyActions lists what the principal may do with an open proposal.
func (s *Server) moneyActions(proposedBy string, who *account.Principal) []string {
	switch {
	case !s.policy.allows(who.Roles, decidePayments):
		return []string{}
	case proposedBy == who.UserID:
		return []string{"withdraw"}
	}
	return []string{"approve", "reject"}
}

type newUnplacedInput struct{ Body NewUnplacedMoney }

func (s *Server) openUnplaced(ctx context.Context, in *newUnplacedInput) (*body[UnplacedMoney], error) {
	amount, err := dollarsOf(in.Body.Amount)
	if err != nil {
		return nil, err
	}
	row, err := correction.OpenUnplaced(ctx, s.DB, correction.NewUnplaced{Amount: amount, BankReference: in.Body.BankReference, ReceivedOn: in.Body.ReceivedOn, Rail: in.Body.Rail,
		Sender: in.Body.Sender, Note: in.Body.Note}, by(ctx, in.Body.Note))
	if err != nil {
		return nil, err
	}
	return s.getUnplaced(ctx, &ObjectID{ID: row.ID})
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
	ObjectID
	Body MoneyPlacement
}

func (s *Server) placeMoney(ctx context.Context, in *placementInput) (*body[MoneyProposed], error) {
	order, err := correction.OrderNamed(ctx, s.DB, "order", in.Body.Order)
	if err != nil {
		return nil, err
	}
	return s.proposeMoney(ctx, &correction.PlaceMoney{MoneyID: in.ID, OrderID: order}, "", in.Body.Reason)
}

type creditInput struct {
	ObjectID
	Body MoneyCredit
}

func (s *Server) creditMoney(ctx context.Context, in *creditInput) (*body[MoneyProposed], error) {
	customer, err := correction.CustomerNamed(ctx, s.DB, "customer", in.Body.Customer)
	if err != nil {
		return nil, err
	}
	return s.proposeMoney(ctx, &correction.CreditMoney{MoneyID: in.ID, UserID: customer}, "", in.Body.Reason)
}

type sentBackInput struct {
	ObjectID
	Body MoneySentBack
}

func (s *Server) sendBackMoney(ctx context.Context, in *sentBackInput) (*body[MoneyProposed], error) {
	return s.proposeMoney(ctx, &correction.SendBackMoney{MoneyID: in.ID, BankReference: in.Body.BankReference, SentOn: in.Body.SentOn}, "", in.Body.Reason)
}

type reversalInput struct {
	ObjectID
	Body ReceiptReversal
}

func (s *Server) reverseReceipt(ctx context.Context, in *reversalInput) (*body[MoneyProposed], error) {
	act := &correction.ReverseReceipt{ReceiptID: in.ID, Kept: in.Body.Kept}
	if in.Body.Order != "" {
		var err error
		if act.OrderID, err = correction.OrderNamed(ctx, s.DB, "order", in.Body.Order); err != nil {
			return nil, err
		}
	}
	return s.proposeMoney(ctx, act, "", in.Body.Reason)
}

type returnedInput struct {
	ObjectID
	Body ReturnedMoney
}

func (s *Server) returnReceipt(ctx context.Context, in *returnedInput) (*body[MoneyProposed], error) {
	amount, err := dollarsOf(in.Body.Amount)
	if err != nil {
		return nil, err
	}
	return s.proposeMoney(ctx, &correction.BankReturn{ReceiptID: in.ID, Amount: amount, BankReference: in.Body.BankReference, ReturnedOn: in.Body.ReturnedOn, Code: in.Body.Code}, "", in.Body.Reason)
}

type reinstatedInput struct {
	ObjectID
	Body ReinstatedMoney
}

func (s *Server) reinstateReturn(ctx context.Context, in *reinstatedInput) (*body[MoneyProposed], error) {
	return s.proposeMoney(ctx, &correction.ReinstateReturn{ReturnID: in.ID, BankReference: in.Body.BankReference, ReinstatedOn: in.Body.ReinstatedOn}, "", in.Body.Reason)
}

type journalInput struct{ Body JournalEntry }

func (s *Server) proposeJournal(ctx context.Context, in *journalInput) (*body[MoneyProposed], error) {
	act := &correction.Journal{}
	for _, line := range in.Body.Lines {
		currency := money.Currency(line.Currency)
		amount, err := currency.Parse(line.Amount)
		if err != nil || amount.Sign() <= 0 {
			return nil, store.Invalid("lines", "invalid_amount", "Enter an amount above zero in each line")
		}
		act.Lines = append(act.Lines, correction.JournalLine{From: line.From, To: line.To, Currency: currency, Amount: amount})
	}
	return s.proposeMoney(ctx, act, in.Body.DocumentID, in.Body.Reason)
}

// proposeMoney writes down what a second person has to approve; nothing moves.
func (s *Server) proposeMoney(ctx context.Context, act correction.MoneyAct, documentID, reason string) (*body[MoneyProposed], error) {
	row, err := correction.ProposeMoney(ctx, s.DB, act, documentID, by(ctx, reason))
	if err != nil {
		return nil, err
	}
	if row.OrderID != nil {
		s.tellOrders(ctx, []string{*row.OrderID})
	}
	return &body[MoneyProposed]{MoneyProposed{ID: row.ID}}, nil
}

type moneyDecisionInput struct {
	ObjectID
	Body Reasoned
}

// approveMoney does what another person has proposed.
func (s *Server) approveMoney(ctx context.Context, in *moneyDecisionInput) (*body[MoneyDecided], error) {
	if err := s.requireFreshCode(ctx); err != nil {
		return nil, err
	}
	made, err := correction.ApproveMoney(ctx, s.DB, in.ID, by(ctx, in.Body.Reason))
	if err != nil {
		return nil, err
	}
	s.tellOrders(ctx, made.Orders)
	answer := &decided{Status: http.StatusOK}
	switch {
	case made.Decision != nil:
		answer, err = s.carryDecision(ctx, made.Decision, "")
	case made.Matter != nil && made.Matter.Matter == voucher.KindVoucher:
		answer, err = s.carryOut(ctx, made.Matter, voucherOutcomes, "")
	case made.Matter != nil:
		answer, err = s.carryOut(ctx, made.Matter, payoutOutcomes, "")
	}
	if err != nil {
		return nil, err
	}
	return &body[MoneyDecided]{MoneyDecided{Done: answer.Status == http.StatusOK}}, nil
}

// tellOrders has the workflows of orders read their rows again. What fails here the
// sweep repeats.
func (s *Server) tellOrders(ctx context.Context, ids []string) {
	for _, id := range ids {
		if err := s.Workflows.Signal(ctx, id, workflows.OrderChanged, "money"); err != nil {
			s.Log.WarnContext(ctx, "an order is not told yet that its money changed; the sweep will", "order", id, "error", err)
		}
	}
}

type moneyRejectionInput struct {
	ObjectID
	Body Rejection
}

// rejectMoney ends a proposal; who made it takes it back so.
func (s *Server) rejectMoney(ctx context.Context, in *moneyRejectionInput) (*body[MoneyDecided], error) {
	if _, err := correction.RejectMoney(ctx, s.DB, in.ID, by(ctx, in.Body.Reason)); err != nil {
		return nil, err
	}
	return &body[MoneyDecided]{MoneyDecided{Done: true}}, nil
}

type listMoneyProposalsInput struct {
	Paging
	Status string `query:"status" enum:"all,open" default:"open"`
	Kind   string `query:"kind" enum:"all,journal" default:"all"`
	Order  string `query:"order" maxLength:"36" doc:"of one order, by its id"`
}

func (s *Server) listMoneyProposals(ctx context.Context, in *listMoneyProposalsInput) (*page[MoneyProposal], error) {
	wanted, err := in.page()
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
	rows, next, err := correction.MoneyProposals(ctx, s.DB, filter, wanted)
	if err != nil {
		return nil, err
	}
	total, err := correction.CountMoneyProposals(ctx, s.DB, filter)
	if err != nil {
		return nil, err
	}
	who := principalOf(ctx)
	return &page[MoneyProposal]{Link: linkTo(ctx, next, wanted.Limit), Total: total,
		Body: mapped(rows, func(p *correction.KnownMoneyProposal) MoneyProposal { return s.moneyProposalView(p, who) })}, nil
}

func (s *Server) moneyProposalView(p *correction.KnownMoneyProposal, who *account.Principal) MoneyProposal {
	view := MoneyProposal{ID: p.ID, Kind: MoneyProposalKind(p.Kind), OrderID: p.OrderID, Reference: p.Reference, DocumentID: p.DocumentID, Reason: p.Reason, Proposer: p.Proposer,
		CreatedAt: p.CreatedAt, Status: string(p.Status), Decider: p.Decider, DecidedAt: p.DecidedAt, Answer: p.Answer, Actions: []string{}}
	if p.Status == casework.ProposalOpen {
		view.Actions = s.moneyActions(p.ProposedBy, who)
	}
	act, err := p.Act()
	if err != nil {
		return view
	}
	switch a := act.(type) {
	case *correction.ReverseReceipt:
		view.Act = MoneyAct{ReceiptID: a.ReceiptID, Kept: a.Kept || a.OrderID != "", OrderID: a.OrderID}
	case *correction.BankReturn:
		view.Act = MoneyAct{ReceiptID: a.ReceiptID, Amount: money.USD.Format(a.Amount), BankReference: a.BankReference, On: a.ReturnedOn, Code: a.Code}
	case *correction.ReinstateReturn:
		view.Act = MoneyAct{ReturnID: a.ReturnID, BankReference: a.BankReference, On: a.ReinstatedOn}
	case *correction.PlaceMoney:
		view.Act = MoneyAct{MoneyID: a.MoneyID, OrderID: a.OrderID}
	case *correction.CreditMoney:
		view.Act = MoneyAct{MoneyID: a.MoneyID, CustomerID: a.UserID}
	case *correction.SendBackMoney:
		view.Act = MoneyAct{MoneyID: a.MoneyID, BankReference: a.BankReference, On: a.SentOn}
	case *correction.ReturnPayout:
		view.Act = MoneyAct{PayoutID: a.PayoutID}
		if a.Returned != nil {
			view.Act.Amount = money.USD.Format(*a.Returned)
		}
	case *correction.VoucherTransfer:
		view.Act = MoneyAct{RedemptionID: a.RedemptionID, Evidence: a.Seen}
	case *correction.Journal:
		view.Act.Lines = mapped(a.Lines, func(l *correction.JournalLine) JournalEntryLine {
			return JournalEntryLine{From: l.From, To: l.To, Currency: string(l.Currency), Amount: l.Currency.Format(l.Amount)}
		})
	}
	return view
}

func (s *Server) getMoneySummary(ctx context.Context, _ *nothing) (*body[MoneySummary], error) {
	n, err := correction.CountMoneyWaiting(ctx, s.DB)
	if err != nil {
		return nil, err
	}
	return &body[MoneySummary]{MoneySummary{Unplaced: n.Unplaced, Proposals: n.Proposals}}, nil
}

type documentForm struct {
	File huma.FormFile `form:"file" contentType:"image/jpeg,image/png" required:"true"`
}

type documentInput struct {
	RawBody huma.MultipartFormFiles[documentForm]
}

// addMoneyDocument keeps a picture of a document, drawn anew.
func (s *Server) addMoneyDocument(ctx context.Context, in *documentInput) (*body[MoneyDocument], error) {
	raw, err := io.ReadAll(io.LimitReader(in.RawBody.Data().File, maxUpload+1))
	if err != nil {
		return nil, fieldProblem("file", "unreadable", "We can't read this file. Choose another one.")
	}
	clean, contentType, err := redraw(ctx, raw)
	if err != nil {
		return nil, err
	}
	key := newToken()
	if err := s.Files.WriteAll(ctx, key, clean, &blob.WriterOptions{ContentType: contentType}); err != nil {
		return nil, err
	}
	row, err := correction.AddMoneyDocument(ctx, s.DB, correction.MoneyDocument{FileKey: key, ContentType: contentType, Size: len(clean), AddedBy: principalOf(ctx).UserID})
	if err != nil {
		return nil, err
	}
	return &body[MoneyDocument]{MoneyDocument{ID: row.ID}}, nil
}

func (s *Server) getMoneyDocument(ctx context.Context, in *ObjectID) (*fileAnswer, error) {
	row, err := correction.ReadMoneyDocument(ctx, s.DB, in.ID)
	if err != nil {
		return nil, err
	}
	content, err := s.Files.ReadAll(ctx, row.FileKey)
	if gcerrors.Code(err) == gcerrors.NotFound {
		return nil, notFound()
	}
	if err != nil {
		return nil, err
	}
	return &fileAnswer{ContentType: row.ContentType, Disposition: "inline", Policy: "sandbox; default-src 'none'; frame-ancestors 'none'", Body: content}, nil
}

func adminReturn(r *order.ReceiptReturn) AdminReturn {
	view := AdminReturn{ID: r.ID, ReceiptID: r.ReceiptID, Kind: r.Kind, Amount: money.USD.Format(r.Amount), BankReference: r.BankReference, Code: r.Code,
		Clawed: money.USD.Format(r.Clawed()), Owed: money.USD.Format(r.Owed), At: r.CreatedAt, ReinstatedAt: r.ReinstatedAt}
	if r.ReturnedOn != nil {
		day := r.ReturnedOn.Format("2006-01-02")
		view.ReturnedOn = &day
	}
	return view
}
