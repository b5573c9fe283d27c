// Command server is the API binary: it serves HTTP, and contains the commands an operator
// runs beside it (migrations, the first admin, address lists, the opening float, switches, what follows a restored
// backup, the versions of the workers, the settings of a new installation, the examination before a launch). Each command
// requires only the values it uses.
package main

import (
	"os"

	"github.com/alecthomas/kong"

	"github.com/tradepost/tradepost/api"
	"github.com/tradepost/tradepost/internal/config"
)

type commands struct {
	Version kong.VersionFlag `help:"Say which version this is, and end."`
	Serve   serve            `cmd:"" default:"withargs" help:"Serve the site and the API."`
	Migrate migrate          `cmd:"" help:"Bring the database's schema up to date, as its owner."`
	Admin   struct {
		Grant grant `cmd:"" help:"Give a role to the person with an e-mail address, now or at their first sign-in."`
	} `cmd:"" help:"Staff."`
	Audit struct {
		Verify verifyAudit `cmd:"" help:"Hash the audit log again and compare it with its seals."`
	} `cmd:"" help:"The log of who did what."`
	Blocked struct {
		Import importBlocked `cmd:"" help:"Replace a list of addresses we do not send to."`
	} `cmd:"" help:"Addresses we do not send to."`
	Float struct {
		Seed seedFloat `cmd:"" help:"Book the coin and dollars the company brings in at the start."`
	} `cmd:"" help:"The wallet float."`
	Switches struct {
		Show showSwitches `cmd:"" default:"withargs" help:"List the switches that are off, with time, admin and reason."`
		Off  switchOff    `cmd:"" help:"Turn deliveries, sign-ups, an asset or a payment method off, without the site."`
		On   switchOn     `cmd:"" help:"Turn it on again."`
	} `cmd:"" help:"The switches of /admin/switches."`
	Init     initialize `cmd:"" help:"Ask for what an installation needs, make its keys and passwords, write .env, and look at it as doctor does."`
	Doctor   examine    `cmd:"" help:"Look at every credential, webhook, name, store and balance, and say what is wrong and what to do. Exit code 1 on a fault."`
	Webhooks struct {
		Register registerWebhooks `cmd:"" help:"Register the webhooks at Stripe and BitGo, and say how it is done at Sumsub."`
	} `cmd:"" help:"Webhooks at the providers."`
	Workers struct {
		Show     showWorkers   `cmd:"" default:"withargs" help:"Say which versions there are, which is current, and which are drained."`
		Current  setCurrent    `cmd:"" help:"Make a version the current one. Refused without a worker of it on every task queue."`
		Ramp     rampVersion   `cmd:"" help:"Give a version a part of the workflows; 0 ends it."`
		Rollback rollBack      `cmd:"" help:"Make the version current that was so before."`
		Retire   retireVersion `cmd:"" help:"Remove a version that is drained and has no worker."`
	} `cmd:"" help:"Versions of the workers in Temporal."`
	Restored noteRestored `cmd:"" help:"Say that the database was put back from a backup; before any worker starts."`
	Openapi  openapi      `cmd:"" help:"Print the contract."`
}

func main() {
	config.Command("api", "Tradepost's API and site.", &commands{})
}

type openapi struct{}

// Run prints the contract; the committed copy is api/openapi.json.
func (openapi) Run() error {
	doc, err := api.OpenAPI()
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(doc)
	return err
}
