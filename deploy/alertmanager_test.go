package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/VictoriaMetrics/metricsql"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/tradepost/tradepost/models/reporting"
)

// alerting is the configuration that Alertmanager is started with.
type alerting struct {
	Global map[string]any
	Route  struct {
		Receiver string
		Routes   []struct {
			Receiver       string
			Matchers       []string
			GroupInterval  string `yaml:"group_interval"`
			RepeatInterval string `yaml:"repeat_interval"`
		}
	}
	Receivers []struct {
		Name     string
		Emails   []map[string]any `yaml:"email_configs"`
		Webhooks []map[string]any `yaml:"webhook_configs"`
	}
}

// alertingOf runs the script of compose with settings; what stands for Alertmanager prints its configuration.
func alertingOf(t *testing.T, settings ...string) alerting {
	t.Helper()
	dir := t.TempDir()
	standIn := "#!/bin/sh\nfor word; do case $word in --config.file=*) cat \"${word#*=}\" ;; esac; done\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "alertmanager"), []byte(standIn), 0o700))
	command := exec.CommandContext(t.Context(), "sh", "observability/alertmanager.sh")
	command.Env = append(settings, "PATH="+dir+":"+os.Getenv("PATH"), "TMPDIR="+dir, "MAIL_FROM=Joe's <no-reply@tradepost.test>")
	out, err := command.Output()
	require.NoError(t, err)
	var config alerting
	require.NoError(t, yaml.Unmarshal(out, &config))
	info, err := os.Stat(filepath.Join(dir, "alertmanager.yml"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "it has a password")
	return config
}

// Alertmanager sends by the mail server of the product: from SMTP_URL as the product reads it, or from its file.
func TestAlertmanagerSendsByOurMailServer(t *testing.T) {
	file := filepath.Join(t.TempDir(), "SMTP_URL")
	require.NoError(t, os.WriteFile(file, []byte("smtps://of-file@mail.tradepost.test"), 0o600))
	for _, c := range []struct {
		setting, server string
		implicit        bool
		account         []string // and its password
	}{
		{"SMTP_URL=smtps://a%40b.c:pa%25s%27w:d@mail.tradepost.test:465", "mail.tradepost.test:465", true, []string{"a@b.c", "pa%s'w:d"}},
		{"SMTP_URL=smtps://mail.tradepost.test", "mail.tradepost.test:465", true, nil},
		{"SMTP_URL=smtp://u:p@mail.tradepost.test", "mail.tradepost.test:587", false, []string{"u", "p"}},
		{"SMTP_URL=smtp://mail.tradepost.test:2525", "mail.tradepost.test:2525", false, nil},
		{"SMTP_URL=smtps://[fd00::1]:465", "[fd00::1]:465", true, nil},
		{"SMTP_URL_FILE=" + file, "mail.tradepost.test:465", true, []string{"of-file", ""}},
	} {
		want := map[string]any{"smtp_require_tls": true, "smtp_from": "Joe's <no-reply@tradepost.test>",
			"smtp_smarthost": c.server, "smtp_force_implicit_tls": c.implicit}
		if c.account != nil {
			want["smtp_auth_username"], want["smtp_auth_password"] = c.account[0], c.account[1]
		}
		require.Equal(t, want, alertingOf(t, c.setting).Global, c.setting)
	}
}

// Rules call people by mail and webhook; the heartbeat goes where it is awaited, every minute, and is never ended by a
// message; what core sends by itself is not sent twice. What is not set is told nobody.
func TestAlertmanagerTellsPeopleAndTheSwitch(t *testing.T) {
	config := alertingOf(t, "SMTP_URL=smtp://mail.tradepost.test", "ALERT_MAIL_TO=a@tradepost.test, b@tradepost.test",
		"ALERTMANAGER_WEBHOOK_URL=https://call.test/x", "ALERTMANAGER_HEARTBEAT_URL=https://beat.test/y")
	require.Equal(t, "people", config.Route.Receiver)
	require.Len(t, config.Route.Routes, 2)
	beat, own := config.Route.Routes[0], config.Route.Routes[1]
	require.Equal(t, []string{`alertname = "Heartbeat"`}, beat.Matchers)
	require.Equal(t, "heartbeat 1m 30s", beat.Receiver+" "+beat.GroupInterval+" "+beat.RepeatInterval)
	require.Equal(t, []string{`kind != ""`}, own.Matchers)
	require.NotEmpty(t, reporting.AlertKinds)
	require.Equal(t, "core", own.Receiver)
	told := map[string]int{}
	for _, receiver := range config.Receivers {
		told[receiver.Name] = len(receiver.Emails) + len(receiver.Webhooks)
		switch receiver.Name {
		case "people":
			people := map[string]any{"to": "a@tradepost.test, b@tradepost.test", "send_resolved": true}
			require.Equal(t, []map[string]any{people}, receiver.Emails)
			require.Equal(t, []map[string]any{{"url": "https://call.test/x", "send_resolved": true}}, receiver.Webhooks)
		case "heartbeat":
			require.Equal(t, []map[string]any{{"url": "https://beat.test/y", "send_resolved": false}}, receiver.Webhooks)
		}
	}
	require.Equal(t, map[string]int{"people": 2, "heartbeat": 1, "core": 0}, told)
	for _, receiver := range alertingOf(t, "SMTP_URL=smtp://mail.tradepost.test").Receivers {
		require.Empty(t, receiver.Emails, receiver.Name)
		require.Empty(t, receiver.Webhooks, receiver.Name)
	}
}

// The heartbeat is an alert that core's answer to Prometheus holds open, so it ends when core is away; Prometheus tells
// the Alertmanager of compose.
func TestTheHeartbeatEndsWithCore(t *testing.T) {
	var file struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr string
				Labels      map[string]string
			}
		}
	}
	require.NoError(t, yaml.Unmarshal([]byte(read(t, "deploy/observability/heartbeat.yml")), &file))
	require.Len(t, file.Groups, 1)
	require.Len(t, file.Groups[0].Rules, 1)
	rule := file.Groups[0].Rules[0]
	require.Equal(t, `Heartbeat max(up{job="core"}) == 1`, rule.Alert+" "+rule.Expr)
	require.Equal(t, map[string]string{"severity": "none"}, rule.Labels, "it has no kind")
	_, err := metricsql.Parse(rule.Expr)
	require.NoError(t, err)

	var config struct {
		Alerting struct {
			Alertmanagers []struct {
				DNS []struct {
					Names []string
					Port  int
				} `yaml:"dns_sd_configs"`
			}
		}
	}
	require.NoError(t, yaml.Unmarshal([]byte(read(t, "deploy/observability/prometheus.yml")), &config))
	require.Len(t, config.Alerting.Alertmanagers, 1)
	require.Equal(t, []string{"alertmanager"}, config.Alerting.Alertmanagers[0].DNS[0].Names)
	require.Equal(t, 9093, config.Alerting.Alertmanagers[0].DNS[0].Port)
	project := composed(t)
	require.Contains(t, joined(project.Services["prometheus"]), "watching")
	require.Equal(t, []string{"calling", "watching"}, joined(project.Services["alertmanager"]))
	service := project.Services["alertmanager"]
	require.Equal(t, []string{"/bin/sh", "/etc/alertmanager/alertmanager.sh"}, []string(service.Entrypoint))
	release := names(`prometheus/alertmanager v(\S+)`, read(t, "deploy/observability/prometheus/go.mod"))[0]
	require.Equal(t, "prom/alertmanager:v"+release, strings.Split(service.Image, "@")[0], "Prometheus is built with it")
}
