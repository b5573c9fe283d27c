package deploy

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tradepost/tradepost/internal/local/asvs"
)

// instruction is one line of the Dockerfile, continuations joined.
type instruction struct {
	stage string // name of the stage it is in
	verb  string
	args  []string
}

// dockerfile reads the instructions; a stage is identified by its name.
func dockerfile(t *testing.T) []instruction {
	t.Helper()
	var found []instruction
	stage := ""
	for line := range strings.Lines(strings.ReplaceAll(read(t, "Dockerfile"), "\\\n", " ")) {
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if fields[0] == "FROM" {
			require.Len(t, fields, 4, "a stage has a name")
			stage = fields[3]
		}
		found = append(found, instruction{stage: stage, verb: fields[0], args: fields[1:]})
	}
	return found
}

// ignored reports whether .dockerignore keeps a path out of the build.
func ignored(t *testing.T, name string) bool {
	t.Helper()
	for pattern := range strings.Lines(read(t, ".dockerignore")) {
		pattern = strings.TrimSpace(pattern)
		if pattern == "" || strings.HasPrefix(pattern, "#") {
			continue
		}
		for at := name; at != "."; at = path.Dir(at) {
			within, anywhere := strings.CutPrefix(pattern, "**/")
			subject := at
			if anywhere {
				subject = path.Base(at)
			}
			if match, err := path.Match(within, subject); err == nil && match {
				return true
			}
		}
	}
	return false
}

// Stages are of named releases and lead to the one that compose builds; the Go release is the one the module requires.
func TestDockerfileStages(t *testing.T) {
	stages := map[string]string{}
	last := ""
	for _, line := range dockerfile(t) {
		if line.verb == "FROM" {
			stages[line.stage], last = line.args[0], line.stage
		}
	}
	require.Equal(t, "product", last)
	require.Equal(t, "scratch", stages["product"], "nothing but our programs")
	require.Regexp(t, pinned, stages["web"])
	require.Regexp(t, pinned, stages["programs"])
	asked := names(`(?m)^go (\d+\.\d+)`, read(t, "go.mod"))[0]
	require.True(t, strings.HasPrefix(stages["programs"], "golang:"+asked+"."), "go.mod asks for Go %s", asked)
}

// What is copied is there, and reaches the build.
func TestDockerfileCopiesWhatExists(t *testing.T) {
	seen := []string{}
	for _, line := range dockerfile(t) {
		if line.verb == "FROM" {
			seen = append(seen, line.stage)
		}
		if line.verb != "COPY" {
			continue
		}
		if from, ok := strings.CutPrefix(line.args[0], "--from="); ok {
			require.Contains(t, seen, from)
			continue
		}
		for _, source := range line.args[:len(line.args)-1] {
			_, err := os.Stat(filepath.Join("..", source))
			require.NoError(t, err)
			require.False(t, ignored(t, path.Clean(source)), source)
		}
	}
}

// Each service's program is built, from a package that no .dockerignore line
// takes a part of; none of them links a simulator or the launcher.
func TestImageHoldsEveryProgram(t *testing.T) {
	built := map[string]string{} // program → package
	for _, line := range dockerfile(t) {
		if line.verb != "RUN" || !slices.Contains(line.args, "build") {
			continue
		}
		output := ""
		for i, arg := range line.args {
			if arg == "-o" {
				output = line.args[i+1]
			}
			if strings.HasPrefix(arg, "./") {
				program := output
				if strings.HasSuffix(output, "/") {
					program += path.Base(arg)
				}
				built[program] = arg
			}
		}
	}
	project := composed(t)
	for name, command := range processes {
		require.Equal(t, append([]string{"/app/" + command[0]}, command[1:]...), []string(project.Services[name].Command), name)
		require.Contains(t, built, "/app/"+command[0])
	}
	require.Contains(t, built, "/app/probe")
	for program, pkg := range built {
		list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f",
			`{{if not .Standard}}{{with .Module}}{{if .Main}}{{$.Name}} {{$.ImportPath}}{{range $.EmbedFiles}} {{$.ImportPath}}/{{.}}{{end}}{{end}}{{end}}{{end}}`, pkg)
		list.Dir = ".."
		out, err := list.Output()
		require.NoError(t, err, program)
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		require.True(t, strings.HasPrefix(lines[len(lines)-1], "main "), "%s is no program", pkg)
		for _, file := range strings.Fields(string(out)) {
			if file, ours := strings.CutPrefix(file, "github.com/tradepost/tradepost/"); ours {
				require.False(t, ignored(t, file), "%s needs %s: %s", program, file, asvs.Claim(t, "15.2.3"))
			}
		}
	}
}

// Every program of every image that compose builds has the release linked in, and says it.
func TestImagesKnowTheirRelease(t *testing.T) {
	for _, file := range []string{"Dockerfile", "deploy/staging/Dockerfile"} {
		text := read(t, file)
		require.Equal(t, strings.Count(text, "go build "), strings.Count(text, `go build -ldflags="$LDFLAGS" `), file)
		flags := names(`\nARG TRADEPOST_VERSION\nENV LDFLAGS="([^"]+)"\n`, text)
		require.Len(t, flags, 1, file)
		program := filepath.Join(t.TempDir(), "probe")
		linked := strings.ReplaceAll(flags[0], "${TRADEPOST_VERSION}", "v9.8.7")
		build := exec.CommandContext(t.Context(), "go", "build", "-ldflags="+linked, "-o", program, "./deploy/probe")
		build.Dir = ".."
		out, err := build.CombinedOutput()
		require.NoError(t, err, string(out))
		out, err = exec.CommandContext(t.Context(), program).CombinedOutput()
		require.Error(t, err)
		require.Contains(t, string(out), "version: v9.8.7, revision ")
	}
	for name, service := range rehearsed(t).AllServices() {
		if service.Build != nil {
			require.Equal(t, "0a1b2c3", *service.Build.Args["TRADEPOST_VERSION"], name)
			require.True(t, strings.HasSuffix(service.Image, ":0a1b2c3"), name)
		}
	}
	require.Contains(t, read(t, "Makefile"), "-X github.com/prometheus/common/version.Version=")
}

// The image runs as an unprivileged user, in production mode, and contains no secret; files with secrets never reach a
// build.
func TestImageIsSafeToPublish(t *testing.T) {
	var user, mode bool
	for _, line := range dockerfile(t) {
		if line.stage == "product" {
			user = user || line.verb == "USER" && line.args[0] == "65532:65532"
			mode = mode || line.verb == "ENV" && slices.Contains(line.args, "MODE=production")
		}
		require.NotEqual(t, "ADD", line.verb)
		if line.verb == "ARG" {
			require.Equal(t, []string{"TRADEPOST_VERSION"}, line.args, "an argument stays in the history of what was built")
		}
		for secret := range secretHolders {
			require.NotContains(t, strings.Join(line.args, " "), secret)
		}
	}
	require.True(t, user)
	require.True(t, mode, asvs.Claim(t, "13.4.2"))
	for _, file := range []string{".env", ".env.production", "recipients.json", "certificates/tls.key", ".data/secrets/api", ".git/config", "web/node_modules/x", "internal/sandbox/doc.go"} {
		require.True(t, ignored(t, file), file+" "+asvs.Claim(t, "13.4.1"))
	}
}
