#!/bin/sh
# Temporal's schemas in the databases that roles.sh made. A schema that is there
# already is brought to this release's version.
set -eu
[ -z "${SQL_PASSWORD_FILE:-}" ] || SQL_PASSWORD=$(cat "$SQL_PASSWORD_FILE")
export SQL_PASSWORD

schema() {
  name=$1 files=/etc/temporal/schema/postgresql/v12/$2/versioned
  set -- temporal-sql-tool --plugin postgres12_pgx --ep "${POSTGRES_HOST:-postgres}" --port 5432 --user temporal --db "$name"
  "$@" setup-schema --version 0.0 || echo "$name: has a schema already; updating it"
  "$@" update-schema --schema-dir "$files"
}

schema temporal temporal
schema temporal_visibility visibility
