package worker

import (
	"flag"
	"os"
	"testing"
)

// Tests here wait more than they work: many run side by side.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
