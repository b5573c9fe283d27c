package main

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/compose-spec/compose-go/v2/types"
	"github.com/stretchr/testify/require"
)

// Every condition that does not hold is named at once, not the first one alone.
func TestEachMissingConditionIsNamed(t *testing.T) {
	var config net.ListenConfig
	taken, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = taken.Close() }()
	packets, err := config.ListenPacket(t.Context(), "udp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = packets.Close() }()
	published := func(port int, protocol string) types.ServicePortConfig {
		return types.ServicePortConfig{HostIP: "127.0.0.1", Published: strconv.Itoa(port), Protocol: protocol}
	}
	tcp, udp := taken.Addr().(*net.TCPAddr).Port, packets.LocalAddr().(*net.UDPAddr).Port
	var caddy, left types.ServiceConfig
	caddy.Ports = []types.ServicePortConfig{published(tcp, "tcp"), published(udp, "udp"), published(0, "tcp")}
	left.Ports = []types.ServicePortConfig{published(tcp, "tcp")}
	project := &types.Project{Services: types.Services{"caddy": caddy, "temporal-ui": left}}
	root := repository(t)
	require.NoError(t, os.WriteFile(filepath.Join(root, "file"), []byte("changed"), 0o600))
	err = workshop{root: root}.conditions(t.Context(), project, "")
	for _, part := range []string{
		"port " + strconv.Itoa(tcp) + "/tcp for caddy", "port " + strconv.Itoa(udp) + "/udp for caddy",
		"a clean checkout", " M file", "npm ci",
	} {
		require.ErrorContains(t, err, part)
	}
	require.NotContains(t, err.Error(), "temporal-ui", "the drill does not start it")

	err = workshop{root: root}.conditions(t.Context(), &types.Project{}, "release.tar")
	require.NotContains(t, err.Error(), "a clean checkout", "a release is built already")
}

// A commit is a clean checkout, in any folder; a folder without git is named.
func TestCleanCheckoutIsRequired(t *testing.T) {
	root := repository(t)
	require.NoError(t, committed(t.Context(), root))
	require.NoError(t, os.WriteFile(filepath.Join(root, "new"), nil, 0o600))
	require.ErrorContains(t, committed(t.Context(), root), "?? new")
	require.ErrorContains(t, committed(t.Context(), t.TempDir()), "a checkout of git")
}

// repository is a checkout of one commit with one file.
func repository(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "file"), []byte("as it was"), 0o600))
	for _, args := range [][]string{{"init", "-q"}, {"add", "file"},
		{"-c", "user.name=test", "-c", "user.email=test@example.com", "commit", "-q", "-m", "first"}} {
		command := exec.CommandContext(t.Context(), "git", args...)
		command.Dir = root
		out, err := command.CombinedOutput()
		require.NoError(t, err, string(out))
	}
	return root
}

// An image has the machine's libraries where programs look for them, and no folder of the checkout: below /tmp that
// would be in the way of a tmpfs.
func TestImagesHaveNoFolderOfTheCheckout(t *testing.T) {
	const said = `	linux-vdso.so.1 (0x00007ffd)
	libssl.so.1.1 => /tmp/checkout/native/bin/../lib/libssl.so.1.1 (0x00007f01)
	libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f02)
	/lib64/ld-linux-x86-64.so.2 (0x00007f03)`
	machines := []string{"/lib/x86_64-linux-gnu/libc.so.6", "/lib64/ld-linux-x86-64.so.2"}
	require.Equal(t, machines, librariesOf(said, "/tmp/checkout"))
	require.Len(t, librariesOf(said, "/tmp/check"), 3, "another folder's name begins alike")
}

// The drill knows every command of the page for a restore, and the page turns deliveries off before a worker starts.
func TestDrillFollowsRestorePage(t *testing.T) {
	commands, err := pageCommands("../..", restorePage, "From the archive of `backup`")
	require.NoError(t, err)
	var order []string
	for _, command := range commands {
		s, err := stepOf(command)
		require.NoError(t, err)
		name := s.name
		if s.name == "operator" {
			require.Equal(t, "/app/api", s.args[0], command)
			name = s.args[1] + " " + s.args[2]
		}
		order = append(order, s.kind+" "+name)
	}
	require.Equal(t, []string{
		"down ", "volume postgres", "run restore", "up postgres", "run switches off", "run audit verify", "up ",
		"run switches show", "run switches on",
	}, order)
	require.Contains(t, commands[3], " --wait ", "the next command needs a Postgres that answers")
	off, err := stepOf(commands[4])
	require.NoError(t, err)
	words := []string{"/app/api", "switches", "off", "deliveries", "--by", exampleAdmin, "--reason",
		"a backup was restored"}
	require.Equal(t, words, off.args)
	_, err = stepOf("docker compose restart api")
	require.ErrorContains(t, err, "does not know")
	require.ErrorContains(t, expected(commands[4], "nothing"), "deliveries: off")
	require.NoError(t, expected(commands[0], ""))
}
