#!/bin/sh
# Starts Alertmanager with a configuration made of SMTP_URL and MAIL_FROM, as the product has them, ALERT_MAIL_TO,
# ALERTMANAGER_WEBHOOK_URL and ALERTMANAGER_HEARTBEAT_URL: it reads none from the environment itself. What is empty is
# not told. Alerts with a kind are core's own, which sends them by itself (models/reporting/alert.go): when core is away
# the rules about that are left, and they have none.
set -eu
umask 077

if [ -n "${SMTP_URL_FILE:-}" ]; then SMTP_URL=$(cat "$SMTP_URL_FILE"); fi

case ${SMTP_URL:?} in
  smtps://*) implicit=true port=465 ;;
  smtp://*) implicit=false port=587 ;;
  *) echo "SMTP_URL must begin with smtp:// or smtps://" >&2; exit 1 ;;
esac
address=${SMTP_URL#*://}
address=${address%%[/?#]*}
account= password=
case $address in *@*) account=${address%@*} address=${address##*@} ;; esac
case $account in *:*) password=${account#*:} account=${account%%:*} ;; esac
case $address in
  \[*\]) ;; # an address of IPv6 without a port
  *:*) port=${address##*:} address=${address%:*} ;;
esac

# decoded is a part of an address with its %XX replaced.
decoded() {
  rest=$1 text=
  while :; do
    before=${rest%%%[0-9A-Fa-f][0-9A-Fa-f]*}
    if [ "$before" = "$rest" ]; then break; fi
    rest=${rest#"$before%"}
    code=${rest%"${rest#??}"}
    rest=${rest#??}
    text=$text$before$(printf "\\$(printf %03o "0x$code")")
  done
  printf %s "$text$rest"
}

# quoted is a text of YAML.
quoted() { printf "'%s'" "$(printf %s "$1" | sed "s/'/''/g")"; }

file=${TMPDIR:-/tmp}/alertmanager.yml
{
  cat <<YAML
global:
  smtp_smarthost: $(quoted "$address:$port")
  smtp_from: $(quoted "${MAIL_FROM:?}")
  smtp_require_tls: true
  smtp_force_implicit_tls: $implicit
YAML
  if [ -n "$account" ]; then
    cat <<YAML
  smtp_auth_username: $(quoted "$(decoded "$account")")
  smtp_auth_password: $(quoted "$(decoded "$password")")
YAML
  fi
  cat <<YAML
route:
  receiver: people
  group_by: [alertname, job]
  group_wait: 30s
  group_interval: 5m
  repeat_interval: 4h
  routes:
    - receiver: heartbeat
      matchers: ['alertname = "Heartbeat"']
      group_wait: 0s
      group_interval: 1m
      repeat_interval: 30s
    - receiver: core
      matchers: ['kind != ""']
receivers:
  - name: core
  - name: heartbeat
YAML
  if [ -n "${ALERTMANAGER_HEARTBEAT_URL:-}" ]; then
    printf '    webhook_configs: [{url: %s, send_resolved: false}]\n' "$(quoted "$ALERTMANAGER_HEARTBEAT_URL")"
  fi
  echo "  - name: people"
  if [ -n "${ALERT_MAIL_TO:-}" ]; then
    printf '    email_configs: [{to: %s, send_resolved: true}]\n' "$(quoted "$ALERT_MAIL_TO")"
  fi
  if [ -n "${ALERTMANAGER_WEBHOOK_URL:-}" ]; then
    printf '    webhook_configs: [{url: %s, send_resolved: true}]\n' "$(quoted "$ALERTMANAGER_WEBHOOK_URL")"
  fi
} >"$file"
exec alertmanager --config.file="$file" --storage.path=/alertmanager --cluster.listen-address=
