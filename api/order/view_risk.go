package order

import (
	"github.com/danielgtaylor/huma/v2"

	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/risk"
)

// Schema implements huma.SchemaProvider.
func (RiskReason) Schema(huma.Registry) *huma.Schema { return rest.Listed(risk.RiskReasons) }
