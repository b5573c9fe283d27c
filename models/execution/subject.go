package execution

// Steps of an order that can fail, as orders.failed_step names them.
const (
	StepReserve = "reserve"
	StepBuy     = "buy"
	StepSend    = "send"
)
