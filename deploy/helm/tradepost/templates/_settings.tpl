{{- define "tradepost.folder" -}}/run/secrets/tradepost{{- end }}

{{- /* What is made of the other values; no setting of values.yaml replaces it. */ -}}
{{- define "tradepost.made" -}}
{{- $site := printf "https://%s" .Values.site.host }}
{{- $folder := include "tradepost.folder" . }}
MODE: {{ .Values.mode }}
PUBLIC_URL: {{ $site }}
HEALTH_LISTEN: 0.0.0.0:9090
LISTEN: 0.0.0.0:8080
WEB_DIR: /app/web
LEGAL_DIR: /etc/tradepost/legal
GOMEMLIMIT: {{ (index .Values.processes .process).memoryGoal }}
TRUSTED_PROXIES: {{ join "," .Values.trustedProxies | quote }}
BITGO_ENV: {{ ternary "test" "prod" (eq .Values.mode "staging") }}
EMBEDDED_IDENTITY: {{ .Values.identity.enabled | quote }}
{{- if .Values.identity.enabled }}
OIDC_ISSUER: https://{{ .Values.identity.host }}
IDENTITY_LISTEN: 0.0.0.0:8090
IDENTITY_URL: https://{{ .Values.identity.host }}
IDENTITY_REDIRECTS: {{ $site }}/api/login/callback,{{ $site }}/
IDENTITY_SITE_LOGOUT_URL: http://{{ .Release.Name }}-api:8080/api/logout/backchannel
{{- end }}
PGSSLMODE: {{ .Values.postgres.tls.mode }}
PGTARGETSESSIONATTRS: read-write
{{- if .Values.postgres.tls.ca.name }}
PGSSLROOTCERT: {{ $folder }}/postgres/ca.crt
{{- end }}
TEMPORAL_ADDRESS: {{ .Values.temporal.address }}
TEMPORAL_NAMESPACE: {{ .Values.temporal.namespace }}
TEMPORAL_TLS: {{ .Values.temporal.tls.enabled | quote }}
{{- with .Values.temporal.tls }}
{{- if .serverName }}
TEMPORAL_TLS_SERVER_NAME: {{ .serverName }}
{{- end }}
{{- if .ca.name }}
TEMPORAL_TLS_CA: {{ $folder }}/temporal/ca.crt
{{- end }}
{{- if .client.name }}
TEMPORAL_TLS_CERT: {{ $folder }}/temporal/tls.crt
TEMPORAL_TLS_KEY: {{ $folder }}/temporal/tls.key
{{- end }}
{{- end }}
{{- end }}

{{- /* What holds where settings do not say otherwise. */ -}}
{{- define "tradepost.fallback" -}}
WORKER_BUILD_ID: {{ .Values.image.tag | quote }}
{{- if .Values.identity.enabled }}
PASSWORD_URL: https://{{ .Values.identity.host }}/account/password
ADDRESS_URL: https://{{ .Values.identity.host }}/account
{{- end }}
{{- if eq .Values.mode "staging" }}
STRIPE_DASHBOARD_URL: https://dashboard.stripe.com/test/search?query=
EXPLORER_URLS: bitcoin=https://mempool.space/testnet4/tx/,ethereum=https://hoodi.etherscan.io/tx/,tron=https://shasta.tronscan.org/#/transaction/
{{- end }}
{{- end }}

{{- /* The host of an address, with or without a scheme. */ -}}
{{- define "tradepost.hostOf" -}}
{{- regexReplaceAll "^([a-z]+://)?([^:/]*).*$" . "${2}" }}
{{- end }}

{{- /* What Go and the library of AWS read of this cluster; no setting of docs/operations.md. */ -}}
{{- define "tradepost.surroundings" -}}
{{- $trusted := list }}
{{- range .spec.trusts }}
{{- if (index $.Values.authorities .).name }}{{ $trusted = append $trusted . }}{{ end }}
{{- end }}
{{- if $trusted }}
- {name: SSL_CERT_DIR, value: {{ include "tradepost.folder" . }}/authorities}
{{- end }}
{{- if and (has "bucket" (.spec.trusts | default list)) .Values.aws.region }}
- {name: AWS_REGION, value: {{ .Values.aws.region | quote }}}
{{- end }}
{{- if and (has "outside" .spec.reaches) .Values.proxy.url }}
{{- $bitgo := include "tradepost.hostOf" .Values.settings.BITGO_URL }}
{{- $direct := list ".svc" ".cluster.local" (include "tradepost.hostOf" .Values.temporal.address) $bitgo }}
- {name: HTTPS_PROXY, value: {{ .Values.proxy.url | quote }}}
- {name: NO_PROXY, value: {{ concat $direct .Values.proxy.except | uniq | join "," | quote }}}
{{- end }}
{{- end }}

{{- /* Which of values.yaml's secrets a process has under a name: its own address of the database. */ -}}
{{- define "tradepost.secret" -}}
{{- if eq .name "DATABASE_URL" }}{{ ternary "OPERATOR" (upper .process) (eq .process "doctor") }}_{{ end }}{{ .name }}
{{- end }}

{{- define "tradepost.env" -}}
{{- $names := .spec.settings }}
{{- $groups := (include "tradepost.table" . | fromYaml).groups }}
{{- range .spec.groups }}{{ $names = concat $names (index $groups .) }}{{ end }}
{{- $given := dict }}
{{- range $name, $value := .Values.settings }}{{ if $value }}{{ $_ := set $given $name $value }}{{ end }}{{ end }}
{{- $all := mustMergeOverwrite (include "tradepost.fallback" . | fromYaml) $given (include "tradepost.made" . | fromYaml) }}
{{- range $name := $names | uniq | sortAlpha }}
{{- with index $all $name }}
- {name: {{ $name }}, value: {{ . | toString | quote }}}
{{- end }}
{{- end }}
{{- range $name := .spec.secrets }}
{{- with index $.Values.secrets (include "tradepost.secret" (dict "name" $name "process" $.process)) }}
- {name: {{ $name }}_FILE, value: {{ include "tradepost.folder" $ }}/{{ $name }}}
{{- end }}
{{- end }}
{{- include "tradepost.surroundings" . }}
{{- end }}

{{- /* The files of a process: its secrets and certificates, and no others. */ -}}
{{- define "tradepost.sources" -}}
{{- range $name := .spec.secrets }}
{{- with index $.Values.secrets (include "tradepost.secret" (dict "name" $name "process" $.process)) }}
- secret: {name: {{ .name | quote }}, items: [{key: {{ .key | quote }}, path: {{ $name }}}]}
{{- end }}
{{- end }}
{{- if has "postgres" .spec.groups }}
{{- with .Values.postgres.tls.ca }}{{ if .name }}
- secret: {name: {{ .name | quote }}, items: [{key: {{ .key | quote }}, path: postgres/ca.crt}]}
{{- end }}{{ end }}
{{- end }}
{{- if has "temporal" .spec.groups }}
{{- with .Values.temporal.tls.ca }}{{ if .name }}
- secret: {name: {{ .name | quote }}, items: [{key: {{ .key | quote }}, path: temporal/ca.crt}]}
{{- end }}{{ end }}
{{- with .Values.temporal.tls.client }}{{ if .name }}
- secret: {name: {{ .name | quote }}, items: [{key: {{ .certificate | quote }}, path: temporal/tls.crt}, {key: {{ .key | quote }}, path: temporal/tls.key}]}
{{- end }}{{ end }}
{{- end }}
{{- range $name := .spec.trusts }}
{{- with index $.Values.authorities $name }}{{ if .name }}
- secret: {name: {{ .name | quote }}, items: [{key: {{ .key | quote }}, path: authorities/{{ $name }}.crt}]}
{{- end }}{{ end }}
{{- end }}
{{- end }}
