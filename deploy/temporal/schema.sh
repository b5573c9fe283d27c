#!/bin/sh
# Temporal's databases and schemas; what is there already is brought to this
# release's version.
set -eu

schema() {
  name=$1 files=/etc/temporal/schema/postgresql/v12/$2/versioned
  set -- temporal-sql-tool --plugin postgres12_pgx --ep postgres --port 5432 --user temporal --db "$name"
  "$@" create --defaultdb postgres || true # exists
  "$@" setup-schema --version 0.0 || true  # exists
  "$@" update-schema --schema-dir "$files"
}

schema temporal temporal
schema temporal_visibility visibility
