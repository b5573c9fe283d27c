package deploy

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/dotenv"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// smallest are the answers of the smallest installation: BTC, wires, one machine. The rest is accepted as offered.
var smallest = map[string][]string{
	"SITE_HOST":            {"shop.tradepost.test"},
	"FILES_URL":            {"s3://evidence?region=eu-central-1"},
	"AWS_ACCESS_KEY_ID":    {"access-key-of-tests " + secretValue("AWS_SECRET_ACCESS_KEY")},
	"SMTP_URL":             {secretValue("SMTP_URL")},
	"KRAKEN_KEY":           {secretValue("KRAKEN_KEY") + " " + secretValue("KRAKEN_SECRET")},
	"BITGO_TOKEN":          {secretValue("BITGO_TOKEN")},
	"BITGO_PASSPHRASE":     {"a passphrase of several words, with $ and #"},
	"BITGO_WALLETS":        {"btc=b1"},
	"BITGO_WEBHOOK_SECRET": {secretValue("BITGO_WEBHOOK_SECRET")},
	"SUMSUB_APP_TOKEN":     {secretValue("SUMSUB_APP_TOKEN") + " " + secretValue("SUMSUB_SECRET")},
}

// installation is a folder with the files of a checkout that ./tradepost and compose need, and a docker that runs the
// program without a container.
func installation(t *testing.T) string {
	t.Helper()
	require.NoError(t, compiled())
	dir := t.TempDir()
	for _, name := range []string{"tradepost", "deploy/secrets.sh", "docker-compose.yml", "docker-compose.secrets.yml",
		"docker-compose.staging.yml"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(read(t, name)), 0o700))
	}
	docker := `#!/bin/sh
[ "$1" = build ] && exit 0
[ "$1" = compose ] && echo "$@" && exit 0
echo "docker $*" >&2
while [ "$1" != /app/api ]; do shift; done
shift
exec "$API" "$@"
`
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "bin"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bin", "docker"), []byte(docker), 0o700))
	return dir
}

// filled puts the texts and accounts of a company there.
func filledInstallation(t *testing.T) string {
	t.Helper()
	dir := installation(t)
	require.NoError(t, os.CopyFS(filepath.Join(dir, "legal"), os.DirFS(ownTexts(t))))
	accounts := []byte(read(t, "api/order/recipients_demo.json"))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "recipients.json"), accounts, 0o600))
	return dir
}

// initCommand is ./tradepost init in a folder. Its environment must not count: what is in it was not answered.
func initCommand(ctx context.Context, dir string, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, "sh", append([]string{"tradepost", "init", "--only", "configuration"}, args...)...)
	command.Dir = dir
	command.Env = []string{"PATH=" + filepath.Join(dir, "bin") + ":" + os.Getenv("PATH"), "API=" + filepath.Join(bin, "api"),
		"MODE=local", "BRAND=Of the environment", "STRIPE_KEY=sk_test_of_the_environment", "WEB_DIR=/nowhere"}
	return command
}

// dialog is a person at a terminal who types scripted answers.
type dialog struct {
	answers          map[string][]string
	said             bytes.Buffer
	questions, typed int
}

var (
	question = regexp.MustCompile(`(?m)^ *[0-9]+ ([A-Z_]+)`)
	partner  = regexp.MustCompile(`^ +([A-Z_]+) > $`)
)

// asked is the name of what the last prompt asks for.
func (d *dialog) asked() string {
	text := strings.ReplaceAll(d.said.String(), "\r", "")
	last := text[strings.LastIndex(text, "\n")+1:]
	if strings.Contains(last, "[y/N]") {
		return "CONFIRM"
	}
	if found := partner.FindStringSubmatch(last); found != nil {
		return found[1]
	}
	all := question.FindAllStringSubmatch(text, -1)
	d.questions = len(all)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1][1]
}

// reply is the next answer; what is not scripted is Enter.
func (d *dialog) reply() string {
	name := d.asked()
	rest := d.answers[name]
	if len(rest) == 0 {
		return ""
	}
	d.answers[name] = rest[1:]
	if rest[0] != "" {
		d.typed++
	}
	return rest[0]
}

// converse runs ./tradepost init on a terminal of its own.
func converse(t *testing.T, dir string, answers map[string][]string, args ...string) (*dialog, error) {
	t.Helper()
	d := &dialog{answers: map[string][]string{}}
	for name, list := range answers {
		d.answers[name] = list
	}
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	defer func() { _ = master.Close() }()
	require.NoError(t, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	command := initCommand(ctx, dir, args...)
	command.Stdin, command.Stdout, command.Stderr = slave, slave, slave
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	require.NoError(t, command.Start())
	require.NoError(t, slave.Close())
	piece := make([]byte, 4096)
	for {
		n, err := master.Read(piece)
		d.said.Write(piece[:n])
		if err != nil { // EIO: the other side is closed
			break
		}
		if strings.HasSuffix(d.said.String(), "> ") {
			_, err := master.WriteString(d.reply() + "\n")
			require.NoError(t, err)
		}
	}
	err = command.Wait()
	require.NoError(t, ctx.Err(), d.said.String())
	return d, err
}

// made is what init has written: the values of .env, and beside them the files of its secrets.
func made(t *testing.T, dir string) map[string]string {
	t.Helper()
	info, err := os.Stat(filepath.Join(dir, ".env"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	info, err = os.Stat(filepath.Join(dir, "secrets"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm(), "containers read its files as users of their own, others cannot")
	info, err = os.Stat(filepath.Join(dir, "secrets", "OPERATORS_PASSWORD"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	values, err := dotenv.Read(filepath.Join(dir, ".env"))
	require.NoError(t, err)
	return values
}

// everythingStarts starts every program with what compose makes of .env and the secrets: they accept all of it, and
// connect to their database.
func everythingStarts(t *testing.T, dir string) {
	t.Helper()
	values := made(t, dir)
	for name, value := range values {
		isRequired := len(names(`\$\{(`+name+`):\?`, read(t, "docker-compose.yml"))) > 0
		require.False(t, value == "" && isRequired, "%s is empty", name)
	}
	values["SECRETS_DIR"] = filepath.Join(dir, "secrets")
	project, err := loadFiles(t, values, strings.Split(values["COMPOSE_FILE"], ":")...)
	require.NoError(t, err, "compose has every setting that it requires")
	for service := range processes {
		env := withFiles(t, project, service)
		for name, value := range env {
			env[name] = strings.ReplaceAll(value, "postgres:5432", unreachable)
		}
		if env["LEGAL_DIR"] != "" {
			env["LEGAL_DIR"] = filepath.Join(dir, values["LEGAL_DIR"])
		}
		if env["RECIPIENTS_FILE"] != "" {
			env["RECIPIENTS_FILE"] = filepath.Join(dir, values["RECIPIENTS_FILE"])
			env["WEB_DIR"] = t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(env["WEB_DIR"], "index.html"), nil, 0o600))
		}
		said, _ := start(t, service, env)
		require.Regexp(t, reached, said, service)
	}
}

// state is every file that init has written, with its time.
func state(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, pattern := range []string{".env", "secrets/*", "recipients.json", "legal/*"} {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		require.NoError(t, err)
		for _, file := range files {
			raw, err := os.ReadFile(file)
			require.NoError(t, err)
			found[file] = string(raw)
		}
	}
	return found
}

// shownNowhere requires that no secret was on the screen.
func shownNowhere(t *testing.T, dir, said string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "secrets", "*"))
	require.NoError(t, err)
	require.Greater(t, len(files), 30)
	for _, file := range files {
		raw, err := os.ReadFile(file)
		require.NoError(t, err)
		if value := strings.TrimSpace(string(raw)); value != "" {
			require.False(t, strings.Contains(said, value), "%s was shown", filepath.Base(file))
		}
	}
	require.NotContains(t, said, "$2a$")
}

// The smallest installation takes at most ten answers, and what init writes of them is all that compose and the
// programs require: a new required setting without a question or a generator fails here. A second run changes nothing.
func TestInitSmallestInstallation(t *testing.T) {
	dir := filledInstallation(t)
	first, err := converse(t, dir, smallest)
	require.NoError(t, err, first.said.String())
	require.LessOrEqual(t, first.typed, 10)
	require.GreaterOrEqual(t, first.questions, 20)
	require.LessOrEqual(t, first.questions, 30)
	shownNowhere(t, dir, first.said.String())
	require.NotContains(t, first.said.String(), "a passphrase of several words")
	values := made(t, dir)
	require.Equal(t, "docker-compose.yml:docker-compose.secrets.yml", values["COMPOSE_FILE"])
	require.Equal(t, "Tradepost <no-reply@shop.tradepost.test>", values["MAIL_FROM"])
	require.Equal(t, "s3://evidence-backups?region=eu-central-1", values["BACKUP_URL"])
	everythingStarts(t, dir)

	before := state(t, dir)
	second, err := converse(t, dir, nil)
	require.NoError(t, err, second.said.String())
	require.Zero(t, second.typed)
	require.Contains(t, second.said.String(), "Nothing was written")
	require.Equal(t, before, state(t, dir))
	shownNowhere(t, dir, second.said.String())
}

// An answer that a program would refuse is refused with the program's reason, and asked for again.
func TestInitAsksAgain(t *testing.T) {
	dir := filledInstallation(t)
	answers := map[string][]string{}
	for name, list := range smallest {
		answers[name] = list
	}
	answers["MODE"] = []string{"local", "live", "production"}
	answers["SITE_HOST"] = []string{"", "-", "shop", "127.0.0.1", "localhost", "shop.tradepost.test/admin", "a.test; rm -rf ~",
		"{$SECRET_KEY}.test", "Shop.Tradepost.Test", strings.Repeat("a", 300) + ".test", "shop\x1b[2J.tradepost.test",
		"shop.tradepost.test"}
	answers["IDENTITY_HOST"] = []string{"shop.tradepost.test", ""}
	answers["ASSETS"] = []string{"DOGE", "BTC,BTC", "BTC"}
	answers["SMTP_URL"] = []string{"mail.tradepost.test", "smtp://127.0.0.1:25", secretValue("SMTP_URL")}
	answers["MAIL_FROM"] = []string{"nobody", ""}
	answers["KRAKEN_KEY"] = append([]string{"one two three", "short c2hvcnQ="}, smallest["KRAKEN_KEY"]...)
	answers["BITGO_WALLETS"] = []string{"b1", "eth=e1", "btc=b1,doge=d1", "btc=b1"}
	answers["SUMSUB_APP_TOKEN"] = []string{"sbx:0123456789abcdef", secretValue("SUMSUB_APP_TOKEN")}
	answers["SUMSUB_SECRET"] = []string{"0123456789abcdef-of-the-sandbox", secretValue("SUMSUB_SECRET")}
	answers["CUSTODY_ORDER_CAP"] = []string{"many 5", "500000 100000", "1000 20000"}
	d, err := converse(t, dir, answers)
	require.NoError(t, err, d.said.String())
	for name, left := range d.answers {
		require.Empty(t, left, "%s was not asked for again:\n%s", name, d.said.String())
	}
	for _, reason := range []string{"MODE must be production, or staging", "SITE_HOST needs an answer",
		"SITE_HOST must be a public name", "SITE_HOST has characters that cannot be seen", "IDENTITY_HOST must be another name",
		`"DOGE" is none of`, "ASSETS names BTC twice", "SMTP_URL points at this machine", "MAIL_FROM must be an e-mail address",
		"two values with a blank between", "KRAKEN_KEY is too short", "BITGO_WALLETS names no wallet for btc", `"doge" is none of`,
		"SUMSUB_APP_TOKEN must be a live credential", "CUSTODY_DAILY_CAP at least as high"} {
		require.Contains(t, d.said.String(), reason)
	}
	require.NotContains(t, d.said.String(), "of-the-sandbox")
	everythingStarts(t, dir)
}

// A terminal that is closed, or a person who breaks off, leaves everything as it was.
func TestInitBrokenOffWritesNothing(t *testing.T) {
	dir := installation(t)
	d, err := converse(t, dir, map[string][]string{"SITE_HOST": {"shop.tradepost.test"}, "FILES_URL": {"\x04"}})
	require.Error(t, err)
	require.Contains(t, d.said.String(), "nothing was written")
	d, err = converse(t, dir, map[string][]string{"SITE_HOST": {"\x03"}})
	require.Error(t, err, d.said.String())
	require.Empty(t, state(t, dir))
}

// unattended runs ./tradepost init without a terminal, with a file of answers.
func unattended(t *testing.T, dir, answers string, args ...string) (string, error) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "answers"), []byte(answers), 0o600))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out, err := initCommand(ctx, dir, append([]string{"--answers", "answers"}, args...)...).CombinedOutput()
	require.NoError(t, ctx.Err())
	return string(out), err
}

// rehearsal is a file of answers.
func rehearsal() string {
	return lines(map[string]string{"MODE": "staging", "SITE_HOST": "shop.tradepost.test",
		"FILES_URL": "s3://evidence?region=eu-central-1", "SMTP_URL": secretValue("SMTP_URL"),
		"BITGO_TOKEN": secretValue("BITGO_TOKEN"), "BITGO_PASSPHRASE": secretValue("BITGO_PASSPHRASE"),
		"BITGO_WALLETS": "btc=b1", "BITGO_WEBHOOK_SECRET": secretValue("BITGO_WEBHOOK_SECRET"),
		"SUMSUB_APP_TOKEN": "sbx:0123456789abcdef0123", "SUMSUB_SECRET": secretValue("SUMSUB_SECRET")})
}

// A file of answers needs no terminal. A rehearsal is asked for no key of Kraken; drafts of its texts and accounts are
// written, which production refuses.
func TestInitFromAFileOfAnswers(t *testing.T) {
	dir := installation(t)
	said, err := unattended(t, dir, rehearsal())
	require.NoError(t, err, said)
	require.Equal(t, "docker-compose.yml:docker-compose.secrets.yml:docker-compose.staging.yml", made(t, dir)["COMPOSE_FILE"])
	require.Contains(t, said, "Wrote ./legal, a draft")
	require.Contains(t, said, "Wrote ./recipients.json, a draft")
	require.Contains(t, said, "SUMSUB_WEBHOOK_SECRET: Enter it at Sumsub")
	shownNowhere(t, dir, said)
	everythingStarts(t, dir)

	before := state(t, dir)
	said, err = unattended(t, dir, rehearsal())
	require.NoError(t, err, said)
	require.Contains(t, said, "Nothing was written")
	require.Equal(t, before, state(t, dir))

	env := environment(t, "api")
	env["RECIPIENTS_FILE"] = filepath.Join(dir, "recipients.json")
	said, ended := start(t, "api", env)
	require.True(t, ended)
	require.Contains(t, said, "RECIPIENTS_FILE has a draft for domestic_wire")
}

// A value that exists is replaced with consent only. Everything else stays as it is, including settings that init does
// not know.
func TestInitReplacesWithConsent(t *testing.T) {
	dir := installation(t)
	said, err := unattended(t, dir, rehearsal())
	require.NoError(t, err, said)
	file := filepath.Join(dir, ".env")
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, append(raw, []byte("# Since May:\nPAYOUT_TWO_ABOVE=500 # dollars\n")...), 0o600))
	before := state(t, dir)

	said, err = unattended(t, dir, rehearsal()+"BRAND='Another'\n")
	require.Error(t, err)
	require.Contains(t, said, "--overwrite")
	require.Contains(t, said, "BRAND")
	require.Equal(t, before, state(t, dir))
	d, err := converse(t, dir, map[string][]string{"BRAND": {"Another"}, "CONFIRM": {"n"}})
	require.Error(t, err)
	require.Contains(t, d.said.String(), "Replace BRAND in .env?")
	require.Equal(t, before, state(t, dir))

	d, err = converse(t, dir, map[string][]string{"BRAND": {"Another"}, "CONFIRM": {"y"}})
	require.NoError(t, err, d.said.String())
	after := state(t, dir)
	require.Equal(t, strings.Replace(before[file], "BRAND=Tradepost\n", "BRAND=Another\n", 1), after[file])
	delete(before, file)
	delete(after, file)
	require.Equal(t, before, after, "keys and passwords are those from before")
}

// A file of answers that is wrong is refused as a whole: every fault is named, no secret is, and nothing is written.
func TestInitNamesEveryFaultOfAFile(t *testing.T) {
	dir := installation(t)
	said, err := unattended(t, dir, "SITE_HOST=localhost\nSTRIPE_KAY=1\n")
	require.Error(t, err)
	require.Contains(t, said, "STRIPE_KAY is no setting")
	said, err = unattended(t, dir, "SITE_HOST=localhost\nRAILS=card\nSTRIPE_KEY=sk_test_canary0123456789\n"+
		"AWS_ACCESS_KEY_ID=one\nBITGO_TOKEN=short\nLANGUAGES=fr\n")
	require.Error(t, err)
	for _, name := range []string{"SITE_HOST must be", "STRIPE_KEY must be a live credential",
		"AWS_SECRET_ACCESS_KEY belong together", "BITGO_TOKEN is too short", "BITGO_PASSPHRASE has no answer", "LANGUAGES",
		"KRAKEN_KEY has no answer", "SMTP_URL has no answer"} {
		require.Contains(t, said, name)
	}
	require.NotContains(t, said, "canary")
	require.Empty(t, state(t, dir))
}

// A folder of secrets outside of the installation is in the container at its path. It is made if it does not exist, and
// its owner alone can open it.
func TestInitSecretsElsewhere(t *testing.T) {
	dir, folder := installation(t), filepath.Join(t.TempDir(), "keys")
	begun := "SECRETS_DIR='" + folder + "'\nCOMPOSE_FILE=docker-compose.yml:docker-compose.secrets.yml\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".env"), []byte(begun), 0o600))
	said, err := unattended(t, dir, rehearsal(), "--overwrite")
	require.NoError(t, err, said)
	require.Contains(t, said, "--volume "+folder+":"+folder+" ")
	require.FileExists(t, filepath.Join(folder, "OPERATORS_PASSWORD"))
	require.FileExists(t, filepath.Join(folder, "SECRET_KEY"))
	require.NoDirExists(t, filepath.Join(dir, "secrets"))
	info, err := os.Stat(folder)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	said, err = unattended(t, dir, rehearsal())
	require.NoError(t, err, said)
	require.Contains(t, said, "Nothing was written")
}

// Without .env the files of its secrets are not replaced: what they sealed could not be opened any more.
func TestInitKeepsFilesOfALostEnv(t *testing.T) {
	dir := installation(t)
	said, err := unattended(t, dir, rehearsal())
	require.NoError(t, err, said)
	require.NoError(t, os.Remove(filepath.Join(dir, ".env")))
	before := state(t, dir)
	said, err = unattended(t, dir, rehearsal())
	require.Error(t, err)
	require.Contains(t, said, "of an installation without its .env")
	require.Equal(t, before, state(t, dir))
}

// Without a terminal and without answers nothing is asked.
func TestInitWithoutATerminal(t *testing.T) {
	dir := installation(t)
	out, err := initCommand(t.Context(), dir).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "--answers")
	require.Empty(t, state(t, dir))
}

// Each command of operators runs in the service that has its settings.
func TestOperatorsProgramRunsEachCommandInItsService(t *testing.T) {
	dir := installation(t)
	for given, runs := range map[string]string{
		"":                        "compose run --rm operator /app/api --help",
		"doctor --json":           "compose run --rm --build doctor /app/api doctor --json",
		"webhooks register":       "compose run --rm --build doctor /app/api webhooks register",
		"admin grant a@shop.test": "compose run --rm operator /app/api admin grant a@shop.test",
	} {
		command := exec.CommandContext(t.Context(), "sh", append([]string{"tradepost"}, strings.Fields(given)...)...)
		command.Dir, command.Env = dir, []string{"PATH=" + filepath.Join(dir, "bin") + ":" + os.Getenv("PATH")}
		out, err := command.CombinedOutput()
		require.NoError(t, err, string(out))
		require.Equal(t, runs+"\n", string(out))
		service := strings.TrimPrefix(strings.Fields(runs)[3], "--build")
		if service == "" {
			service = strings.Fields(runs)[4]
		}
		require.Contains(t, composed(t).AllServices(), service)
	}
}
