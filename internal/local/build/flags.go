package build

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Tags are the build tags of every build, test and check: nomsgpack leaves
// gin's MessagePack codec out. With other tags somewhere, what depends on gin
// would be compiled twice.
const Tags = "nomsgpack"

// Environment is the caller's, in which every go command builds as a release is built: with
// Tags, without cgo, and without the checkout's path. The toolchain's cache then serves all
// checkouts of a machine, and a release.
func Environment() []string {
	return append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS="+goFlags())
}

// goFlags adds ours to what the machine's owner has set.
var goFlags = sync.OnceValue(func() string {
	theirs, _ := exec.Command("go", "env", "GOFLAGS").Output() // without a toolchain the next command reports it
	flags := strings.Fields(string(theirs))
	for _, ours := range []string{"-trimpath", "-tags=" + Tags} {
		if !slices.Contains(flags, ours) {
			flags = append(flags, ours)
		}
	}
	return strings.Join(flags, " ")
})

// tagged adds Tags to flags that name tags of their own: those would replace those of
// GOFLAGS.
func tagged(flags []string) []string {
	out := slices.Clone(flags)
	for i, flag := range out {
		if strings.HasPrefix(flag, "-tags=") {
			out[i] = flag + "," + Tags
		}
	}
	return out
}

// toolchain is a go command in a folder.
func toolchain(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = dir, append(Environment(), "PWD="+filepath.Clean(dir))
	return cmd
}
