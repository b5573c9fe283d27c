package api

import (
	"context"
	"slices"
	"strings"

	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/reporting"
)

type searchInput struct {
	Query string `query:"q" required:"true" minLength:"3" maxLength:"100" doc:"an id or its beginning, a reference, a name, an e-mail or destination address, a transaction, a payment intent, what a provider calls it, the last four digits of a voucher"`
}

// searchable are the kinds that are searched, in the order they are shown in,
// each with what its list needs: nobody finds what they could not list.
var searchable = []struct {
	kind  string
	needs permission
}{
	{reporting.HitCustomer, readCustomers}, {reporting.HitOrder, readCustomers}, {reporting.HitPayout, readCustomers},
	{reporting.HitGiftCard, readCustomers}, {reporting.HitVoucher, readCustomers}, {reporting.HitTicket, readCustomers},
	{reporting.HitMove, decidePayments}, {reporting.HitBreak, readLedger},
}

// searchableBy are the kinds that one of the staff may search.
func (s *Server) searchableBy(who *account.Principal) (kinds []string) {
	for _, one := range searchable {
		if s.policy.allows(rolesOf(who), one.needs) {
			kinds = append(kinds, one.kind)
		}
	}
	return kinds
}

// searchBackOffice finds things by whatever staff have of them. It answers at
// most reporting.SearchMost of a kind.
func (s *Server) searchBackOffice(ctx context.Context, in *searchInput) (*body[[]SearchHit], error) {
	kinds := s.searchableBy(principalOf(ctx))
	hits, err := reporting.Search(ctx, s.DB, in.Query, kinds)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(hits, func(a, b reporting.Hit) int { return slices.Index(kinds, a.Kind) - slices.Index(kinds, b.Kind) })
	return &body[[]SearchHit]{mapped(hits, searchHit)}, nil
}

func searchHit(h *reporting.Hit) SearchHit {
	out := SearchHit{Kind: h.Kind, ID: h.ID, Title: h.Reference, Status: h.Status, At: h.CreatedAt}
	var details []string
	switch {
	case h.Kind == reporting.HitCustomer:
		out.Title, out.Detail = h.CustomerName(), h.Email
		return out
	case h.Asset != nil && h.Coins != nil:
		details = append(details, h.Asset.Format(*h.Coins)+" "+string(*h.Asset))
	case h.Amount != nil:
		details = append(details, money.USD.Format(*h.Amount)+" USD")
	}
	for _, more := range []string{strings.ReplaceAll(h.Label, "_", " "), h.CustomerName()} {
		if more != "" {
			details = append(details, more)
		}
	}
	out.Detail = strings.Join(details, " · ")
	return out
}
