package execution

// Places are addresses of pages at the providers, each up to the id of what is
// looked at. One that is empty gives staff no link.
type Places struct {
	Stripe, Kraken, Custody string
	Explorers               map[string]string // by network
}
