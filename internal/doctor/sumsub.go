package doctor

import (
	"context"
	"slices"
	"strings"

	"github.com/tradepost/tradepost/internal/provider"
)

func (e *examination) sumsubChecks() []Check {
	return []Check{
		{"sumsub.levels", "SUMSUB_APP_TOKEN is accepted, and the levels are set up", e.needs(e.Sumsub != nil, "SUMSUB_APP_TOKEN", e.sumsubLevels)},
	}
}

const sumsubPage = "Sumsub (Dev space, App tokens)"

func (e *examination) sumsubLevels(ctx context.Context) []Finding {
	levels, err := e.sumsub().Levels(ctx)
	if provider.NotPermitted(err) {
		return []Finding{doubtful("sumsub_levels_unseen", "Compare SUMSUB_LEVEL with the levels in Sumsub's dashboard by hand.", "SUMSUB_APP_TOKEN may not list levels")}
	}
	if err != nil {
		return []Finding{said(err, "sumsub", "SUMSUB_APP_TOKEN or SUMSUB_SECRET", sumsubPage)}
	}
	var found []Finding
	for variable, level := range map[string]string{"SUMSUB_LEVEL": e.Sumsub.Level, "SUMSUB_ENHANCED_LEVEL": e.Sumsub.EnhancedLevel} {
		if level != "" && !slices.Contains(levels, level) {
			found = append(found, wrong("sumsub_level_unknown", "Make the level in Sumsub's dashboard (its name is case-sensitive), or correct "+variable+".",
				"%s is %q, and Sumsub has %s", variable, level, strings.Join(levels, ", ")))
		}
	}
	return found
}
