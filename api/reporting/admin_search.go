package reporting

import (
	"context"
	"slices"
	"strings"

	"github.com/tradepost/tradepost/api/policy"
	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/account"
	"github.com/tradepost/tradepost/models/money"
	"github.com/tradepost/tradepost/models/reporting"
)

// SearchInput is the search text.
type SearchInput struct {
	Query string `query:"q" required:"true" minLength:"3" maxLength:"100" doc:"an id or its beginning, a reference, a name, an e-mail or destination address, a transaction, a payment intent, what a provider calls it, the last four digits of a voucher"`
}

// Searchable are the kinds that are searched, in the order they are shown in, each with the
// permission of its list: a search finds no object that the caller could not list.
var Searchable = []struct {
	Kind  string
	Needs policy.Permission
}{
	{reporting.HitCustomer, policy.ReadCustomers}, {reporting.HitOrder, policy.ReadCustomers}, {reporting.HitPayout, policy.ReadCustomers},
	{reporting.HitGiftCard, policy.ReadCustomers}, {reporting.HitVoucher, policy.ReadCustomers}, {reporting.HitTicket, policy.ReadCustomers},
	{reporting.HitMove, policy.DecidePayments}, {reporting.HitBreak, policy.ReadLedger},
}

// searchableBy are the kinds that one of the staff may search.
func (h *Handlers) searchableBy(who *account.Principal) (kinds []string) {
	for _, one := range Searchable {
		if h.Policy.Allows(rest.RolesOf(who), one.Needs) {
			kinds = append(kinds, one.Kind)
		}
	}
	return kinds
}

// SearchBackOffice finds objects by any of their ids, references or names. It answers at
// most reporting.SearchMost of a kind.
func (h *Handlers) SearchBackOffice(ctx context.Context, in *SearchInput) (*rest.Body[[]SearchHit], error) {
	kinds := h.searchableBy(rest.PrincipalOf(ctx))
	hits, err := reporting.Search(ctx, h.DB, in.Query, kinds)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(hits, func(a, b reporting.Hit) int { return slices.Index(kinds, a.Kind) - slices.Index(kinds, b.Kind) })
	return &rest.Body[[]SearchHit]{Body: rest.Mapped(hits, searchHit)}, nil
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
