package main

import (
	"fmt"
	"os"

	"github.com/tradepost/tradepost/api"
)

func main() {
	doc, err := api.OpenAPI()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Stdout.Write(doc)
}
