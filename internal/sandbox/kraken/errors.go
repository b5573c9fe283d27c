package kraken

// The error strings of providers §2.6 that the simulator returns by itself. errDuplicateID
// is a guess: Kraken's own text for it is not documented.
const (
	errInvalidKey       = "EAPI:Invalid key"
	errInvalidSignature = "EAPI:Invalid signature"
	errInvalidNonce     = "EAPI:Invalid nonce"
	errRateLimit        = "EAPI:Rate limit exceeded"
	errInvalidArguments = "EGeneral:Invalid arguments"
	errUnknownMethod    = "EGeneral:Unknown method"
	errPermission       = "EGeneral:Permission denied"
	errInternal         = "EGeneral:Internal error"
	errUnavailable      = "EService:Unavailable"
	errCancelOnly       = "EService:Market in cancel_only mode"
	errPostOnly         = "EService:Market in post_only mode"
	errDeadline         = "EService:Deadline elapsed"
	errUnknownPair      = "EQuery:Unknown asset pair"
	errUnknownAsset     = "EQuery:Unknown asset"
	errFunds            = "EOrder:Insufficient funds"
	errOrderMinimum     = "EOrder:Order minimum not met"
	errCostMinimum      = "EOrder:Cost minimum not met"
	errInvalidPrice     = "EOrder:Invalid price"
	errTickSize         = "EOrder:Tick size check failed"
	errOrdersLimit      = "EOrder:Orders limit exceeded"
	errOrderRate        = "EOrder:Rate limit exceeded"
	errDuplicateID      = "EOrder:Duplicate client order id"
	errUnknownOrder     = "EOrder:Unknown order"
	errInvalidOrder     = "EOrder:Invalid order"
	errPostOrder        = "EOrder:Post only order"
	errWithdrawKey      = "EFunding:Unknown withdraw key"
	errFundingAsset     = "EFunding:Unknown asset"
	errFundingAmount    = "EFunding:Invalid amount"
	errFundingMaxFee    = "EFunding:Max fee exceeded"
	errFundingMethod    = "EFunding:No funding method"
	errFundingReference = "EFunding:Unknown reference id"
)

// wrong is "EGeneral:Invalid arguments:field".
func wrong(field string) string { return errInvalidArguments + ":" + field }

// refusal is a Kraken error that leaves the state as it was before the call.
type refusal string

// Error is the string as Kraken sends it.
func (r refusal) Error() string { return string(r) }
