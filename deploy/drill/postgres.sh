#!/bin/bash
# What the entrypoint of Postgres' image does, as far as docker-compose.yml depends on it: begins as root, makes the data
# folder its own and becomes postgres; in an empty folder makes the cluster and runs the scripts of
# /docker-entrypoint-initdb.d on a socket alone.
set -euo pipefail

export PGDATA=/var/lib/postgresql/18/docker PGHOST=/var/run/postgresql
if [ "$(id -u)" = 0 ]; then
  mkdir -p "$PGDATA"
  chown -R postgres "$PGDATA" "$PGHOST"
  exec gosu postgres "$0" "$@"
fi
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  chmod 700 "$PGDATA"
  # shellcheck disable=SC2086 # several arguments
  initdb --username=postgres --pwfile="$POSTGRES_PASSWORD_FILE" --auth-local=trust $POSTGRES_INITDB_ARGS
  echo "host all all all scram-sha-256" >>"$PGDATA/pg_hba.conf"
  pg_ctl -D "$PGDATA" -o "-c listen_addresses= -c unix_socket_directories=$PGHOST" -w start
  for script in /docker-entrypoint-initdb.d/*.sh; do bash "$script"; done
  pg_ctl -D "$PGDATA" -m fast -w stop
fi
exec "$@" -c listen_addresses='*' -c unix_socket_directories="$PGHOST"
