package doctor

import (
	"context"

	"github.com/tradepost/tradepost/internal/config"
)

func (e *examination) legalChecks() []Check {
	return []Check{{"legal", "LEGAL_DIR: the texts that customers agree to", e.needs(e.Common != nil && e.public != "", "PUBLIC_URL", e.legal)}}
}

func (e *examination) legal(context.Context) []Finding {
	const do = "Have a lawyer write yours, and name their folder (docs/operations.md, Legal texts)."
	own := func(name string) string { return e.options.Getenv("LEGAL_" + name) }
	said := config.Legal{Dir: own("DIR"), Address: own("ADDRESS"), Contact: own("CONTACT"), Complaints: own("COMPLAINTS"),
		Company: config.Company{Entity: own("ENTITY"), Jurisdiction: own("JURISDICTION"), Licence: own("LICENCE")}}
	texts, err := said.Library("the brand", "support", "coins")
	if err != nil {
		return []Finding{wrong("legal_unreadable", "Correct the file, or the setting that it names.", "%v", err)}
	}
	samples := config.Samples(texts)
	switch {
	case !e.strict() || samples == nil:
		return nil
	case e.Common.Mode == config.Production:
		return []Finding{wrong("legal_samples", do, "%v", samples)}
	}
	return []Finding{doubtful("legal_samples", do, "%v", samples)}
}
