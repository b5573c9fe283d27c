package api

import (
	"encoding/json"

	"github.com/gin-gonic/gin"

	"github.com/tradepost/tradepost/api/rest"
	"github.com/tradepost/tradepost/models/ledger"
	"github.com/tradepost/tradepost/models/pricing"
)

// OpenAPI is the contract as a document, the same on every run.
func OpenAPI() ([]byte, error) {
	gin.SetMode(gin.ReleaseMode)
	api := rest.NewContract(gin.New())
	s := &Server{Dependencies: Dependencies{Settings: Settings{Custodian: ledger.ProviderBitGo}, Quoter: pricing.NewQuoter(nil, nil)}}
	s.share("")
	routes(s, api)
	schemas := api.OpenAPI().Components.Schemas
	for name, schema := range schemas.Map() {
		if t := schemas.TypeFromRef("#/components/schemas/" + name); t != nil {
			rest.SayNull(schema, t)
		}
	}
	doc, err := json.MarshalIndent(api.OpenAPI(), "", "  ")
	if err != nil {
		return nil, err
	}
	return append(doc, '\n'), nil
}
