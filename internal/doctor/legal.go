package doctor

import (
	"context"
	"time"

	"github.com/tradepost/tradepost/internal/config"
	"github.com/tradepost/tradepost/internal/legal"
)

func (e *examination) legalChecks() []Check {
	return []Check{{"legal", "LEGAL_DIR: the texts that customers agree to", e.needs(e.Common != nil && e.public != "", "PUBLIC_URL", e.legal)}}
}

func (e *examination) legal(context.Context) []Finding {
	const do = "Have a lawyer write yours, and name their folder (docs/operations.md, Legal texts)."
	texts, err := legal.Load(e.options.Getenv("LEGAL_DIR"), nil)
	switch {
	case err != nil:
		return []Finding{wrong("legal_unreadable", "Correct the file.", "%v", err)}
	case !e.strict() || !texts.Samples(time.Now()):
		return nil
	case e.Common.Mode == config.Production:
		return []Finding{wrong("legal_samples", do, "%v", config.ErrSampleTexts)}
	}
	return []Finding{doubtful("legal_samples", do, "%v", config.ErrSampleTexts)}
}
