package api

import (
	"fmt"
	"slices"
	"strings"
)

// brokenRules lists the cells that break the rules of separation of duties, whatever table is committed.
func brokenRules(cells sequenceCells) (broken []string) {
	for _, from := range names(sources) {
		if wanted := map[bool]string{true: "waits", false: "done"}[sources[from].two]; cells[from][stated][byOne] != wanted {
			broken = append(broken, fmt.Sprintf("%s, %s: %q, not %q", from, stated, cells[from][stated][byOne], wanted))
		}
		for _, to := range exitsOf(sources[from], false) {
			if cells[from][to][byOne] == "" || cells[from][to][byTwo] == "" {
				broken = append(broken, fmt.Sprintf("%s > %s: not played", from, to))
			}
			for _, column := range sequenceColumns {
				outcome, played := cells[from][to][column]
				if wanted := sequenceRule(sources[from], to, column); played && wanted != outcome {
					broken = append(broken, fmt.Sprintf("%s > %s, %s: %q, not %q", from, to, column, outcome, wanted))
				}
			}
		}
	}
	return broken
}

// sequenceRule is the outcome that the rules require of an exit with the value of a source.
func sequenceRule(from source, to, column string) string {
	alone := "done" // of who is not barred
	large := exits[to].large || from.large && from.into == onOrder && slices.Contains([]string{"markOrderSent", "releaseRisk"}, to)
	if strings.HasPrefix(to, "amendOrderAddress") || large {
		alone = "waits"
	}
	barred := "rejected " + from.bars
	if to == "unfreezeCustomer" {
		barred = "waits" // the account is unfrozen, and its orders wait for another person
	}
	switch column {
	case byOne, byAccounts:
		return either(from.bars != "", barred, alone)
	case byApproval, byApprovals:
		return either(from.bars != "", barred, "done")
	case byTwo:
		return alone
	case byThree, demotedOther, frozenOther:
		return "done"
	case bySecond: // who agreed to a receipt attested it too
		return either(from.into == onOrder, barred, alone)
	case demotedSelf, frozenSelf:
		return "rejected forbidden"
	case demotedAlias:
		return barred
	case afterRelease:
		return either(from.into == byIdentity, "done", barred)
	}
	return either(from.into == onOrder, barred, "done") // seconded, or a month later
}

func either(first bool, yes, no string) string {
	if first {
		return yes
	}
	return no
}
